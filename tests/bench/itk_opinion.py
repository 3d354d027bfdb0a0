#!/usr/bin/env python3
"""itk_opinion.py FLCC_CLI [--verbose] PATH...: the same images read by flcc-cli and by ITK.

    python3 -m venv opinion && opinion/bin/pip install itk numpy
    opinion/bin/python tests/bench/itk_opinion.py build/release/bin/flcc-cli FOLDER...

Of every file of DICOM, NIfTI, Analyze, NRRD, MetaImage and the formats that flcc-reader reads by ITK, below the given
folders too, sizes, spacing, origin, direction and voxels are compared. Prints a table: format, files, equal, different,
read by one of the two alone; with --verbose a line for each file that is not equal. A difference is a question, not a
fault: the two decide some files in different ways. ITK runs in a process of its own, as some files end it."""
import collections
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile

import itk
import numpy as np

SECONDS = 60
KINDS = {"DICOM", "NIfTI", "NRRD", "MetaImage", "VTK legacy", "GIPL", "BioRad", "Stimulate", "Bruker 2dseq", "GE Signa 4.x",
         "GE Signa 5.x", "GE Advantage", "Siemens Vision"}
ENDINGS = {".dcm": "DICOM", ".nii": "NIfTI", ".nii.gz": "NIfTI", ".hdr": "NIfTI", ".nrrd": "NRRD", ".nhdr": "NRRD",
           ".mha": "MetaImage", ".mhd": "MetaImage", ".vtk": "VTK legacy", ".gipl": "GIPL", ".gipl.gz": "GIPL",
           ".pic": "BioRad", ".spr": "Stimulate"}


def read_by_itk(path):
    """What ITK finds, or why it finds nothing."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.close(receive)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            image = itk.imread(str(path))
            found = {"voxels": itk.array_from_image(image), "spacing": np.array(image.GetSpacing()),
                     "origin": np.array(image.GetOrigin()), "components": image.GetNumberOfComponentsPerPixel(),
                     "direction": itk.array_from_matrix(image.GetDirection())}
        except Exception as error:  # of any of its modules
            found = (str(error).strip().splitlines() or ["no reason given"])[-1]
        with os.fdopen(send, "wb") as out:
            pickle.dump(found, out)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as got:
        data = got.read()
    status = os.waitpid(child, 0)[1]
    return pickle.loads(data) if data else f"it ended, status {status}"


def call(*words):
    try:
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", f"more than {SECONDS} s")


def read_mha(path):
    """The voxels of a MetaImage file that flcc-cli wrote."""
    data = pathlib.Path(path).read_bytes()
    end = data.index(b"\n", data.index(b"ElementDataFile")) + 1
    fields = dict(line.partition(" = ")[::2] for line in data[:end].decode().splitlines())
    shape = [int(length) for length in fields["DimSize"].split()][::-1]
    return np.frombuffer(data[end:], "<f8" if "DOUBLE" in fields["ElementType"] else "<f4").reshape(shape)


def padded(values, length, fill):
    return np.concatenate([np.asarray(values, float)[:length], np.full(max(0, length - len(values)), fill)])


def difference(cli, path, info, theirs, folder):
    """What differs; empty if nothing does."""
    shape = (*info["extents"], 1, 1, 1)[:3]
    voxels = theirs["voxels"]
    axes = len(theirs["spacing"])
    if theirs["components"] > 1 or info["components"] * info["channels"] > 1:
        return "several numbers a voxel: not compared"
    sizes = voxels.shape[::-1]
    if info["frames"] > 1:
        sizes, voxels = sizes[:3], voxels.reshape((-1, *voxels.shape[-3:]))[0]
    if tuple(padded(sizes, 3, 1)) != tuple(shape):
        return f"size {shape}, of ITK {sizes}"
    spacing = padded(theirs["spacing"], 3, 1)
    ours = np.array(info["spacing"], float) * {"um": 1e-3, "nm": 1e-6, "A": 1e-7}.get(info["unit"], 1)
    if not np.allclose(ours, spacing, rtol=1e-5) and not np.allclose(info["spacing"], spacing, rtol=1e-5):
        return f"spacing {info['spacing']} {info['unit']}, of ITK {spacing}"
    if axes >= 3:
        directions = np.array(info["direction"]).reshape(3, 3), theirs["direction"][:3, :3]
        if not np.allclose(*directions, atol=1e-4):
            return f"direction {directions[0].tolist()}, of ITK {directions[1].tolist()}"
        if not np.allclose(info["origin"], theirs["origin"][:3], rtol=1e-4, atol=1e-3):
            return f"origin {info['origin']}, of ITK {theirs['origin']}"
    out = pathlib.Path(folder) / "ours.mha"
    frame = ["--frame", "0"] if info["frames"] > 1 else []
    ended = call(cli, "convolve", path, "box:1", "--output", out, "--precision", "double", "--quiet", *frame)
    if ended.returncode != 0:
        return f"flcc-cli convolve: {ended.stderr.strip()}"
    ours = read_mha(out)
    if ours.size != voxels.size:
        return f"{ours.size} voxels, of ITK {voxels.size}"
    off = np.abs(ours.reshape(-1) - voxels.reshape(-1).astype(float))
    limit = 1e-5 * max(1.0, float(np.nanmax(np.abs(ours))) if ours.size else 1.0)
    wrong = int((~(off <= limit) & ~(np.isnan(ours.reshape(-1)))).sum())
    return f"{wrong} of {off.size} voxels, most by {np.nanmax(off):g}" if wrong else ""


def judged(cli, path, folder):
    """Format and outcome of a file; nothing for a file of another format."""
    ended = call(cli, "info", path)
    info = json.loads(ended.stdout) if ended.returncode == 0 else None
    ending = "".join(path.suffixes[-2:]).lower() if path.name.lower().endswith(".gz") else path.suffix.lower()
    kind = info["format"] if info else ENDINGS.get(ending, "")
    if kind not in KINDS:
        return None
    theirs = read_by_itk(path)
    if isinstance(theirs, str):
        return kind, ("read by flcc-cli alone" if info else "read by none"), f"ITK: {theirs}"
    if info is None:
        return kind, "read by ITK alone", ended.stderr.strip()
    wrong = difference(cli, path, info, theirs, folder)
    return kind, "different" if wrong else "equal", wrong


def main():
    words = [word for word in sys.argv[1:] if word != "--verbose"]
    if len(words) < 2:
        sys.exit(__doc__)
    cli, verbose, rows = words[0], "--verbose" in sys.argv, collections.defaultdict(collections.Counter)
    paths = [file for word in words[1:] for file in ([pathlib.Path(word)] if pathlib.Path(word).is_file()
                                                       else sorted(pathlib.Path(word).rglob("*"))) if file.is_file()]
    with tempfile.TemporaryDirectory(prefix="flcc-opinion-") as folder:
        small = pathlib.Path(folder) / "small.mha"  # loads what all processes would load
        itk.imwrite(itk.image_from_array(np.zeros((2, 2, 2), np.uint8)), str(small))
        itk.imread(str(small))
        for path in paths:
            found = judged(cli, path, folder)
            if found is None:
                continue
            kind, outcome, why = found
            rows[kind][outcome] += 1
            if verbose and why:
                print(f"{outcome}: {path}: {why}", flush=True)
    outcomes = ("equal", "different", "read by flcc-cli alone", "read by ITK alone", "read by none")
    print(f"{'format':16} {'files':>6} " + " ".join(f"{outcome:>23}" for outcome in outcomes))
    for kind, row in sorted(rows.items()):
        print(f"{kind:16} {sum(row.values()):6} " + " ".join(f"{row[outcome]:23}" for outcome in outcomes))


if __name__ == "__main__":
    main()
