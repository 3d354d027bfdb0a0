"""Peaks that flcc-cli finds in scenes of noise beside those that its automatic threshold promises, and what it finds of objects.

false_positives.py FLCC_CLI [--scenes N] [--rows NAME,NAME] [--objects] [--keep FOLDER]: for each kind of scene the mean
number of peaks of N scenes at which 0.1, 1 and 10 are promised; with --objects precision, recall and F1 of scenes with
objects. --keep writes maps and peaks as .npz, to try laws on. Needs numpy and scipy.
"""

import argparse
import json
import os
import subprocess
import tempfile

import numpy
from scipy import ndimage

PROMISES = (0.1, 1, 10)


def smooth(rng, shape, sigma):
    image = ndimage.gaussian_filter(rng.normal(size=shape), sigma, mode="wrap")
    return image / image.std()


def coloured(rng, shape, power):
    """Noise whose power falls as frequency^-power."""
    f = numpy.sqrt(sum(numpy.meshgrid(*[numpy.fft.fftfreq(n) ** 2 for n in shape], indexing="ij")))
    f.flat[0] = numpy.inf
    image = numpy.fft.ifftn(numpy.fft.fftn(rng.normal(size=shape)) * f ** (-power / 2)).real
    return image / image.std()


def wedged(rng, shape):
    """Without what tilts from -50 to 50 degrees about y do not tell."""
    z, y, x = numpy.meshgrid(*[numpy.fft.fftfreq(n) for n in shape], indexing="ij")
    kept = numpy.abs(z) <= numpy.abs(x) * numpy.tan(numpy.deg2rad(50))
    return numpy.fft.ifftn(numpy.fft.fftn(smooth(rng, shape, 1)) * kept).real


def part(rng, shape, share, one, other):
    image = other(rng, shape)
    image[..., : int(shape[-1] * share)] = one(rng, shape)[..., : int(shape[-1] * share)]
    return image


def square(rng, shape, one, other):
    """A tenth of the area, in the middle, is `one`."""
    image, patch = other(rng, shape), one(rng, shape)
    edge = [int(n * 0.1 ** (1 / len(shape))) for n in shape]
    at = tuple(slice((n - e) // 2, (n - e) // 2 + e) for n, e in zip(shape, edge))
    image[at] = patch[at]
    return image


def gain(rng, shape):
    return smooth(rng, shape, 1) * numpy.exp(1.5 * smooth(rng, shape, 40)) + 3 * smooth(rng, shape, 60)


def dark(rng, shape):
    return part(rng, shape, 0.5, lambda r, s: r.poisson(0.2, size=s), lambda r, s: r.poisson(20, size=s))


WHITE = lambda rng, shape: rng.normal(size=shape)
S1, S2, S3 = (lambda rng, shape, s=s: smooth(rng, shape, s) for s in (1, 2, 3))


def texture(rng, shape, sigma=1.5):
    return smooth(rng, shape, sigma) + 0.3 * rng.normal(size=shape)


def spot(rng, shape, _):
    return numpy.exp(-sum((i - n // 2) ** 2 for i, n in zip(numpy.indices(shape), shape)) / 8)


FLAT, BIG, DEEP = (256, 256), (512, 512), (72, 72, 72)
T2, T3 = (21, 21), (11, 11, 11)
DISC = ["--mask", "sphere:9"]
# name: scene, its shape, shape of the template, number of templates, options
ROWS = {
    "white": (WHITE, BIG, T2, 1, []),
    "smooth": (S2, BIG, T2, 1, []),
    "smooth on one axis": (lambda r, s: smooth(r, s, (0.4, 3)), BIG, T2, 1, []),
    "heavy tails": (lambda r, s: r.standard_t(3, size=s), BIG, T2, 1, []),
    "Poisson 3": (lambda r, s: r.poisson(3, size=s), BIG, T2, 1, []),
    "sparse counts": (lambda r, s: r.poisson(0.05, size=s), BIG, T2, 1, []),
    "gain": (gain, BIG, T2, 1, []),
    "half smoother": (lambda r, s: part(r, s, 0.5, S3, WHITE), BIG, T2, 1, []),
    "tenth smoother": (lambda r, s: square(r, s, S3, WHITE), BIG, T2, 1, []),
    "dark half": (dark, BIG, T2, 1, []),
    "1/f^2": (lambda r, s: coloured(r, s, 2), BIG, T2, 1, []),
    "mask": (S1, BIG, T2, 1, DISC),
    "mask, half smoother": (lambda r, s: part(r, s, 0.5, S3, WHITE), BIG, T2, 1, DISC),
    "bank of 12": (S1, FLAT, T2, 12, []),
    "bank of 12, half smoother": (lambda r, s: part(r, s, 0.5, S3, WHITE), FLAT, T2, 12, []),
    "same, overlap": (S1, FLAT, T2, 1, ["--extent", "same", "--outside", "overlap", "--partial-peaks"]),
    "full, overlap": (S1, FLAT, T2, 1, ["--extent", "full", "--outside", "overlap", "--partial-peaks"]),
    "36 poses, white": (WHITE, FLAT, T2, 1, DISC + ["--rotations", "10"]),
    "36 poses, smooth": (S2, FLAT, T2, 1, DISC + ["--rotations", "10"]),
    "36 poses, half smoother": (lambda r, s: part(r, s, 0.5, S3, WHITE), FLAT, T2, 1, DISC + ["--rotations", "10"]),
    "576 poses, white": (WHITE, (160, 160), T2, 1, DISC + ["--rotations", "0.625"]),
    "576 poses, smooth": (S2, (160, 160), T2, 1, DISC + ["--rotations", "0.625"]),
    "5 sizes, white": (WHITE, FLAT, T2, 1, ["--scales", "0.6,0.77,1,1.3,1.69"]),
    "5 sizes, smooth": (S2, FLAT, T2, 1, ["--scales", "0.6,0.77,1,1.3,1.69"]),
    "3D, white": (WHITE, DEEP, T3, 1, []),
    "3D, smooth": (S1, DEEP, T3, 1, []),
    "3D, wedge": (wedged, DEEP, T3, 1, ["--wedge", "50,50"]),
    "3D, half smoother": (lambda r, s: part(r, s, 0.5, S2, WHITE), DEEP, T3, 1, []),
    "3D, 576 poses, white": (WHITE, (36, 36, 36), T3, 1, ["--mask", "sphere:5", "--rotations", "30"]),
    "3D, 576 poses, smooth": (S1, (36, 36, 36), T3, 1, ["--mask", "sphere:5", "--rotations", "30"]),
}


def camera(rng, shape):
    """Planes of even brightness with edges, and a little noise."""
    image = numpy.zeros(shape)
    for _ in range(60):
        at = [rng.integers(0, n) for n in shape]
        size = [rng.integers(20, 120) for _ in shape]
        image[tuple(slice(max(0, a - s // 2), a + s // 2) for a, s in zip(at, size))] = rng.normal() * 2
    return ndimage.gaussian_filter(image, 0.7) + 0.3 * rng.normal(size=shape)


def gravel(rng, shape):
    return ndimage.gaussian_filter(numpy.abs(smooth(rng, shape, 2)), 0.7) * 2 + 0.1 * rng.normal(size=shape)


def plant(rng, image, templ, share, strength, poses):
    """Objects of `strength` deviations that do not touch, over `share` of the scene; their centres."""
    edge = max(templ.shape) * (1.42 if poses else 1)
    wanted = max(1, int(share * image.size / templ.size))
    centres = []
    for _ in range(200 * wanted):
        if len(centres) == wanted:
            break
        at = numpy.array([rng.integers(0, n - m + 1) for n, m in zip(image.shape, templ.shape)])
        if any(numpy.max(numpy.abs(at - c)) < edge for c in centres):
            continue
        centres.append(at)
        shown = templ
        if poses:
            shown = ndimage.rotate(templ, rng.uniform(0, 360), reshape=False, order=3, mode="nearest")
            r = numpy.hypot(*(numpy.indices(templ.shape) - (numpy.array(templ.shape) - 1).reshape(-1, 1, 1) / 2))
            shown = shown * (r <= 9)
        here = tuple(slice(a, a + m) for a, m in zip(at, templ.shape))
        image[here] += strength * shown
    return image, numpy.array(centres) + (numpy.array(templ.shape) - 1) / 2


OBJECTS = {
    f"{name}, {int(100 * share)} %": (make, shape, t, share, strength, options)
    for name, make, shape, t, strength, options in (
        ("white", WHITE, BIG, T2, 0.5, []),
        ("smooth", S2, BIG, T2, 1.2, []),
        ("half smoother", lambda r, s: part(r, s, 0.5, S3, WHITE), BIG, T2, 1.2, []),
        ("gravel", gravel, BIG, T2, 1, []),
        ("camera", camera, BIG, T2, 1.2, []),
        ("36 poses, white", WHITE, FLAT, T2, 0.7, DISC + ["--rotations", "10"]),
        ("3D, white", WHITE, DEEP, T3, 0.4, []),
        ("3D, smooth", S1, DEEP, T3, 1.2, []),
    )
    for share in (0.01, 0.1, 0.4)
}


def write(path, image):
    data = numpy.ascontiguousarray(image, dtype="<f4")
    with open(path, "wb") as file:
        file.write(("ObjectType = Image\nNDims = %d\nDimSize = %s\nElementType = MET_FLOAT\n"
                    "ElementByteOrderMSB = False\nElementDataFile = LOCAL\n"
                    % (data.ndim, " ".join(str(n) for n in data.shape[::-1]))).encode())
        file.write(data.tobytes())


def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    at = raw.index(b"ElementDataFile = LOCAL") + len(b"ElementDataFile = LOCAL\n")
    head = dict(line.split(" = ", 1) for line in raw[:at].decode().splitlines() if " = " in line)
    kind = {"MET_FLOAT": "<f4", "MET_INT": "<i4", "MET_UCHAR": "u1"}[head["ElementType"]]
    return numpy.frombuffer(raw[at:], kind).reshape([int(n) for n in head["DimSize"].split()][::-1])


def match(cli, folder, scene, templates, options, keep):
    """The report of a search, and its maps if they are kept."""
    path = lambda name: os.path.join(folder, name)
    write(path("scene.mha"), scene)
    call = [cli, "match", path("scene.mha")]
    for i, templ in enumerate(templates):
        write(path(f"t{i}.mha"), templ)
        call += ([] if i == 0 else ["--template"]) + [path(f"t{i}.mha")]
    call += options + ["--report", path("r.json"), "--quiet", "--max-peaks", "100000"]
    if "--rotations" in options or "--scales" in options:
        call += ["--refine", "off"]
    several = len(templates) > 1 or "--rotations" in options or "--scales" in options
    if keep:
        call += ["--map", path("map.mha"), "--status", path("status.mha")]
        call += ["--index", path("index.mha")] if several else []
    subprocess.run(call, check=True)
    with open(path("r.json")) as file:
        report = json.load(file)
    maps = {}
    if keep:
        maps = {"map": read(path("map.mha")), "status": read(path("status.mha"))}
        if several:
            maps["index"] = read(path("index.mha"))
    return report, maps


def counts(report, promises):
    """Peaks that each promise lists, of a search that promised the largest of them."""
    return [sum(1 for peak in report["peaks"] if peak["false_positives"] <= promise) for promise in promises]


def score(report, centres, reach):
    """Precision, recall and F1; a peak belongs to the nearest free object within `reach`."""
    free = [tuple(c) for c in centres]
    right = 0
    listed = [peak for peak in report["peaks"] if peak["false_positives"] <= 1]
    for peak in listed:
        at = numpy.array(peak["centre"][: len(centres[0])][::-1])
        near = [c for c in free if numpy.max(numpy.abs(at - numpy.array(c))) <= reach]
        if near:
            free.remove(min(near, key=lambda c: numpy.sum((at - numpy.array(c)) ** 2)))
            right += 1
    return right / max(1, len(listed)), right / len(centres), 2 * right / max(1, len(listed) + len(centres))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--rows", default="")
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--keep")
    given = parser.parse_args()
    table = OBJECTS if given.objects else ROWS
    names = given.rows.split(";") if given.rows else list(table)
    for number, name in enumerate(table):
        if name not in names:
            continue
        row, results = table[name], []
        for i in range(given.scenes):
            rng = numpy.random.default_rng([number, i])
            with tempfile.TemporaryDirectory() as folder:
                if given.objects:
                    make, shape, t, share, strength, options = row
                    templates = [texture(rng, t)]
                    scene, centres = plant(rng, make(rng, shape), templates[0], share, strength, "--rotations" in options)
                else:
                    make, shape, t, several, options = row
                    templates = [(spot if name == "sparse counts" else texture)(rng, t, (1.5, 0.7, 2.5)[j % 3]) for j in range(several)]
                    scene = make(rng, shape)
                extra = [] if given.objects and not given.keep else ["--false-positives", "10"]
                report, maps = match(given.cli, folder, scene, templates, options + extra, given.keep)
            if given.objects:
                results.append(score(report, centres, 2))
            else:
                results.append(counts(report, PROMISES))
            if given.keep:
                low = {key: report["threshold"][key] for key in ("parameters", "value")}
                file = os.path.join(given.keep, f"{'o' if given.objects else 'n'}{number:02}-{i:02}.npz")
                numpy.savez(file, name=name, law=json.dumps(low), peaks=[[p["score"], p["false_positives"]] for p in report["peaks"]],
                            templ=numpy.array(templates[0].shape), centres=centres if given.objects else [], options=options, **maps)
        print(f"| {name} | " + " | ".join(f"{value:.3g}" for value in numpy.mean(results, axis=0)) + " |", flush=True)


if __name__ == "__main__":
    main()
