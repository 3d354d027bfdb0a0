"""Reads lists of flcc-cli with the readers of other programs, and lists of theirs with flcc-cli.

    python3 -m venv lists && lists/bin/pip install starfile dynamotable imodmodel roifile slicerio copick eulerangles cryocat 'pandas<3'
    lists/bin/python tests/bench/foreign_lists.py build/release/bin/flcc-cli

A library that is not installed is skipped and named. Ends with 1 if a position differs.
"""

import csv
import importlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile

CLI = sys.argv[1] if len(sys.argv) > 1 else "flcc-cli"
BINNING, PIXEL, SIZE = 4, 1.35, (1604, 800, 405)
BOX = 9
FACTS = ["--binning", str(BINNING), "--unbinned-pixel", str(PIXEL), "--unbinned-size", "1604,800,405"]
# Positions in voxels, whole and between voxels, and angles of RELION: rot, tilt, psi.
POINTS = [(10, 20, 30), (11.5, 4.25, 7), (388.0625, 180.5, 60.75)]
ANGLES = [(25, 40, -70), (-170, 90, 12.5), (0, 5, 100)]
SCORES = [0.875, 0.5, 0.25]
FAULTS = []


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: {name} is not installed")
        return None


def convert(source, target, form, *more):
    run = subprocess.run([CLI, "peaks", str(source), "--to", form, "--output", str(target), "--quiet",
                          *FACTS, *more], capture_output=True, text=True)
    if run.returncode != 0:
        FAULTS.append(f"{form}: {run.stderr.strip()}")
    return target


def check(name, found, expected, tolerance=1e-4):
    found = [tuple(float(v) for v in row) for row in found]
    wrong = len(found) != len(expected) or any(
        abs(a - b) > tolerance for f, e in zip(found, expected) for a, b in zip(f, e))
    if wrong:
        FAULTS.append(f"{name}: {found} instead of {expected}")
    print(f"{'DIFFERS' if wrong else 'same'}: {name}")


def moved(scale, shift):
    return [tuple(scale * v + d for v, d in zip(point, shift)) for point in POINTS]


def own_list(folder):
    """A list of FLCC with angles, in the geometry of a volume."""
    file = folder / "own.csv"
    names = ("rank,score,x,y,z,cx,cy,cz,wx,wy,wz,template,rotation,scale,zscore,false_positives,status,bound,rival,"
             "phi,theta,psi").split(",")
    lines = ["# FLCC peaks", "# scene: tomo.mrc (401x200x101 voxels)", f"# template: t.mrc ({BOX}x{BOX}x{BOX} voxels)",
             "# wx wy wz: the centre in world units; unit A (header); axes LPS", "# spacing: 5.4 5.4 5.4",
             "# origin: 0 0 0", "# direction (rows): 1 0 0 0 1 0 0 0 1", ",".join(names)]
    for i, (point, angles) in enumerate(zip(POINTS, ANGLES)):
        row = dict.fromkeys(names, "")
        row.update(rank=i + 1, score=SCORES[i], cx=point[0], cy=point[1], cz=point[2], template=0,
                   wx=5.4 * point[0], wy=5.4 * point[1], wz=5.4 * point[2], phi=angles[0], theta=angles[1], psi=angles[2])
        lines.append(",".join(str(row[name]) for name in names))
    file.write_text("\n".join(lines) + "\n")
    return file


def rows_of(file):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def back(name, folder, file, *more, points=POINTS, tolerance=1e-4):
    """What flcc-cli reads of a file of another program."""
    rows = rows_of(convert(file, folder / "back.csv", "csv", *more))
    check(name, [(r["cx"], r["cy"], r["cz"]) for r in rows], points, tolerance)
    return rows


def about(axis, degrees):
    """The matrix of a turn about an axis, 'x', 'y' or 'z', by the right-hand rule."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {"x": ((1, 0, 0), (0, c, -s), (0, s, c)), "y": ((c, 0, s), (0, 1, 0), (-s, 0, c)),
            "z": ((c, -s, 0), (s, c, 0), (0, 0, 1))}[axis]


def product(*matrices):
    result = matrices[0]
    for other in matrices[1:]:
        result = tuple(tuple(sum(row[k] * other[k][j] for k in range(3)) for j in range(3)) for row in result)
    return result


def turn_of(rot, tilt, psi):
    """How angles of RELION turn the template."""
    return product(about("z", -psi), about("y", -tilt), about("z", -rot))


def flat(matrix):
    return tuple(value for row in matrix for value in row)


def stars(folder, own):
    starfile = library("starfile")
    if not starfile:
        return
    half = [n / 2 for n in SIZE]
    expected = {
        "relion4": (["rlnCoordinate" + a for a in "XYZ"], moved(BINNING, (0, 0, 0))),
        "relion5": ([f"rlnCenteredCoordinate{a}Angst" for a in "XYZ"],
                    [tuple((BINNING * v - h) * PIXEL for v, h in zip(p, half)) for p in POINTS]),
        "warp": (["rlnCoordinate" + a for a in "XYZ"], POINTS),
        "m": ([f"wrpCoordinate{a}1" for a in "XYZ"], moved(BINNING * PIXEL, (0, 0, 0))),
    }
    for form, (names, points) in expected.items():
        file = convert(own, folder / f"{form}.star", form)
        table = starfile.read(file)
        check(f"starfile reads {form}", table[names].to_numpy(), points)
        angles = [c for c in table.columns if "Angle" in c]
        check(f"starfile reads angles of {form}", table[angles].to_numpy(), ANGLES)
        again = folder / f"{form}-again.star"
        starfile.write(table, again)
        back(f"flcc-cli reads {form} of starfile", folder, again, "--from", form)
    table = starfile.read(convert(own, folder / "a.cbox", "cbox"))["cryolo"]
    check("starfile reads cbox", table[["CoordinateX", "CoordinateY", "CoordinateZ"]].to_numpy(),
          moved(1, (-BOX / 2, -BOX / 2, 0)))


def dynamo(folder, own):
    dynamotable = library("dynamotable")
    if not dynamotable:
        return
    for form, base in (("dynamo", 1), ("dynamo0", 0)):
        table = dynamotable.read(convert(own, folder / f"{form}.tbl", form))
        check(f"dynamotable reads {form}", table[["x", "y", "z"]].to_numpy(), moved(1, (base,) * 3))
        again = folder / f"{form}-again.tbl"
        dynamotable.write(table, again)
        back(f"flcc-cli reads {form} of dynamotable", folder, again, "--from", form)
    eulerangles = library("eulerangles")
    if eulerangles:
        import numpy
        found = eulerangles.convert_eulers(numpy.array(table[["tdrot", "tilt", "narot"]], float),
                                           source_meta="dynamo", target_meta="relion")
        turns = [eulerangles.euler2matrix(numpy.array(each, float), axes="zyz", intrinsic=True,
                                          right_handed_rotation=True) for each in (found, ANGLES)]
        check("eulerangles turns dynamo to RELION", turns[0].reshape(-1, 9), [tuple(m) for m in turns[1].reshape(-1, 9)])


def others(folder, own):
    roifile = library("roifile")
    if roifile:
        rois = roifile.roiread(convert(own, folder / "a.zip", "imagej-roi"))
        points = [(*roi.coordinates()[0], roi.position) for roi in rois]
        whole = [(x, y, int(z + 0.5) + 1) for x, y, z in POINTS]
        check("roifile reads imagej-roi", points, whole)
        made = [roifile.ImagejRoi.frompoints([(x, y)], position=int(z) - 1) for x, y, z in whole]
        for roi in made:
            roi.roitype = roifile.ROI_TYPE.POINT
        file = folder / "again.zip"
        file.unlink(missing_ok=True)
        roifile.roiwrite(file, made, mode="x")
        rows = rows_of(convert(file, folder / "back.csv", "csv"))
        check("flcc-cli reads imagej-roi of roifile", [(r["cx"], r["cy"], r["cz"]) for r in rows],
              [(x, y, z - 1) for x, y, z in whole])
    slicerio = library("slicerio")
    if slicerio:
        document = json.loads(convert(own, folder / "a.mrk.json", "slicer").read_text())
        markup = document["markups"][0]
        check("slicer markups are LPS", [(markup["coordinateSystem"] == "LPS",)], [(1,)])
        check("slicer positions", [p["position"] for p in markup["controlPoints"]], moved(5.4, (0, 0, 0)))
        old = folder / "a.fcsv"
        old.write_text("# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n"
                       "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n" +
                       "".join(f"{i},{x},{y},{z},0,0,0,1,1,1,0,p{i},,\n"
                               for i, (x, y, z) in enumerate(moved(5.4, (0, 0, 0)))))
        made = folder / "made.mrk.json"
        slicerio.fcsv_to_markups_json(str(old), str(made))
        scene = folder / "tomo.nrrd"
        scene.write_bytes(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 401 200 101\nencoding: raw\n"
                          b"space: left-posterior-superior\nspace directions: (5.4,0,0) (0,5.4,0) (0,0,5.4)\n"
                          b"space origin: (0,0,0)\n\n" + bytes(401 * 200 * 101))
        back("flcc-cli reads markups of slicerio", folder, made, "--scene", str(scene))
        back("flcc-cli reads fcsv", folder, old, "--scene", str(scene))
    copick = library("copick")
    if copick:
        from copick.models import CopickPicksFile
        picks = CopickPicksFile(**json.loads(convert(own, folder / "copick.json", "copick").read_text()))
        check("copick reads copick", [(p.location.x, p.location.y, p.location.z) for p in picks.points],
              moved(BINNING * PIXEL, (0, 0, 0)))
        again = folder / "copick-again.json"
        again.write_text(json.dumps(picks.model_dump() if hasattr(picks, "model_dump") else picks.dict()))
        back("flcc-cli reads copick of copick", folder, again)
    imodmodel = library("imodmodel")
    if imodmodel:
        import pandas
        # point2model of IMOD is no Python package: its lines are x y z of points, in 3dmod's coordinates.
        lines = convert(own, folder / "imod.txt", "imod").read_text().split("\n")
        points = [tuple(float(v) for v in line.split()) for line in lines if line]
        check("imod points", points, moved(1, (0.5, 0.5, 0)))
        model = folder / "a.mod"
        frame = pandas.DataFrame(points, columns=["x", "y", "z"]).assign(object_id=0, contour_id=0)
        imodmodel.write(frame[["object_id", "contour_id", "x", "y", "z"]], model)
        read = imodmodel.read(model)
        check("imodmodel keeps imod points", read[["x", "y", "z"]].to_numpy(), moved(1, (0.5, 0.5, 0)))
        again = folder / "again.txt"
        again.write_text("".join(f"{x:g} {y:.10g} {z:.10g}\n" for x, y, z in read[["x", "y", "z"]].to_numpy()))
        rows = rows_of(convert(again, folder / "back.csv", "csv"))
        check("flcc-cli reads points of imodmodel", [(r["cx"], r["cy"], r["cz"]) for r in rows], POINTS, 1e-3)


def stopgap(folder, own):
    """Positions count from 1; the turn is Rz(psi) Rx(the) Rz(phi)."""
    if not library("cryocat"):
        return
    import warnings
    warnings.simplefilter("ignore")
    from cryocat.cryomotl import StopgapMotl
    table = StopgapMotl(str(convert(own, folder / "motl.star", "stopgap"))).df
    places = table[["x", "y", "z"]].to_numpy() + table[["shift_x", "shift_y", "shift_z"]].to_numpy()
    check("cryocat reads stopgap", places, moved(1, (1, 1, 1)))
    check("cryocat reads the turns of stopgap",
          [flat(product(about("z", psi), about("x", the), about("z", phi)))
           for phi, the, psi in table[["phi", "theta", "psi"]].to_numpy()], [flat(turn_of(*a)) for a in ANGLES])
    again = folder / "motl-again.star"
    motl = StopgapMotl(table)
    motl.write_out(str(again))
    rows = back("flcc-cli reads stopgap of cryocat", folder, again)
    check("flcc-cli reads the turns of cryocat", [flat(turn_of(*(float(r[k]) for k in ("phi", "theta", "psi"))))
                                                  for r in rows], [flat(turn_of(*a)) for a in ANGLES])


def models(folder, own):
    imodmodel = library("imodmodel")
    if not imodmodel:
        return
    read = imodmodel.read(convert(own, folder / "own.mod", "imod-model"))
    check("imodmodel reads imod-model", read[["x", "y", "z"]].to_numpy(), moved(1, (0.5, 0.5, 0)))
    again = folder / "again.mod"
    imodmodel.write(read[["object_id", "contour_id", "x", "y", "z"]], again)
    back("flcc-cli reads models of imodmodel", folder, again)
    import pandas
    frame = pandas.DataFrame([(o, c, *p) for (o, c), p in zip(((0, 0), (0, 1), (1, 0)), moved(1, (0.5, 0.5, 0)))],
                             columns=["object_id", "contour_id", "x", "y", "z"])
    imodmodel.write(frame, again)
    back("flcc-cli reads contours and objects of imodmodel", folder, again)


def pictures(folder, own):
    """Lists of a flat picture: micrographs, and boxes of pictures that EMAN turns round."""
    starfile = library("starfile")
    text = own.read_text().replace("tomo.mrc (401x200x101", "m1.mrc (401x200x1").replace("9x9x9", "9x9x1")
    for point in POINTS:
        text = text.replace(f",{point[2]},,,", ",0,,,").replace(f"{point[0]},{point[1]},{point[2]},",
                                                                f"{point[0]},{point[1]},0,")
    for angles in ANGLES:
        text = text.replace(f",{angles[0]},{angles[1]},{angles[2]}", f",0,0,{angles[2]}")
    picture = folder / "picture.csv"
    picture.write_text(text)
    if starfile:
        run = subprocess.run([CLI, "peaks", str(picture), "--to", "relion-micrograph", "--output",
                              str(folder / "m1.star"), "--quiet"], capture_output=True, text=True)
        table = starfile.read(folder / "m1.star") if run.returncode == 0 else FAULTS.append(run.stderr)
        check("columns of micrographs", [(list(table.columns) == ["rlnMicrographName", "rlnCoordinateX", "rlnCoordinateY",
                                                                  "rlnAnglePsi", "rlnAutopickFigureOfMerit"],)], [(1,)])
        check("starfile reads micrographs", table[["rlnCoordinateX", "rlnCoordinateY", "rlnAnglePsi"]].to_numpy(),
              [(x, y, a[2]) for (x, y, _), a in zip(POINTS, ANGLES)])


def stacks(folder, own):
    """Points of one ROI, each on its slice, and points of napari with a channel."""
    roifile = library("roifile")
    whole = [(x, y, int(z + 0.5)) for x, y, z in POINTS]
    if roifile:
        import numpy
        roi = roifile.ImagejRoi.frompoints([(x, y) for x, y, _ in whole])
        roi.roitype = roifile.ROI_TYPE.POINT
        roi.counters = numpy.zeros(len(whole), "u1")
        roi.counter_positions = numpy.array([z + 1 for _, _, z in whole], "u4")
        file = folder / "points.roi"
        file.write_bytes(roi.tobytes())
        back("flcc-cli reads counters of roifile", folder, file, points=whole)
    file = folder / "napari.csv"
    with file.open("w", newline="") as opened: # as napari_builtins.io._write.write_csv
        writer = csv.writer(opened, delimiter=",", quotechar='"', quoting=csv.QUOTE_MINIMAL)
        writer.writerow(["index", "axis-0", "axis-1", "axis-2", "axis-3"])
        writer.writerows([i, 1.0, z, y, x] for i, (x, y, z) in enumerate(POINTS))
    back("flcc-cli reads napari with a channel", folder, file)
    copick = library("copick")
    if copick:
        from copick.models import CopickLocation, CopickPicksFile, CopickPoint
        edge, shift = BINNING * PIXEL, (3, -4, 5)
        points = [CopickPoint(location=CopickLocation(x=edge * x - shift[0], y=edge * y - shift[1], z=edge * z - shift[2]),
                              transformation_=[[*row, d] for row, d in zip(turn_of(*a), shift)] + [[0, 0, 0, 1]])
                  for (x, y, z), a in zip(POINTS, ANGLES)]
        picks = CopickPicksFile(pickable_object_name="ribosome", user_id="me", session_id="1", run_name="tomo",
                                voxel_spacing=edge, unit="angstrom", points=points)
        file = folder / "shifted.json"
        file.write_text(picks.model_dump_json())
        rows = back("flcc-cli reads translations of copick", folder, file)
        check("flcc-cli reads turns of copick", [flat(turn_of(*(float(r[k]) for k in ("phi", "theta", "psi"))))
                                                 for r in rows], [flat(turn_of(*a)) for a in ANGLES])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        own = own_list(folder)
        for part in (stars, dynamo, others, stopgap, models, pictures, stacks):
            part(folder, own)
    for fault in FAULTS:
        print(fault)
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
