#!/usr/bin/env python3
"""real_files.py FLCC_CLI [--verbose] [FORMAT...]: files written by other libraries, read by flcc-cli.

Asks every module real_files_*.py beside this script for its variants and prints a table: format, variants, equal,
failing; with FORMATs, theirs alone. Ends with 1 if a variant fails. The function variants(folder) of a module writes
files into the folder and yields a Variant for each volume to be read of them. A module whose libraries are not installed
raises ImportError and is left out with a line. Needs numpy; each module says what else."""
import dataclasses
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

SECONDS = 60


@dataclasses.dataclass
class Variant:
    """A file, and what is right for it."""
    name: str
    path: str
    voxels: np.ndarray = None  # z, y, x; None: the file must be refused
    options: tuple = ()  # such as ("--frame", "1")
    info: dict = dataclasses.field(default_factory=dict)  # fields of `flcc-cli info` and their values
    note: str = ""  # a part of one of the notes of `flcc-cli info`
    sentence: str = ""  # a part of the sentence of a refusal
    tolerance: float = 0.0  # of the voxels
    place: tuple = None  # position of the first slice, and the step to the next one
    format: str = ""  # the row of the table


def values(shape, dtype, seed=0):
    """Different values in the type; of floats with fractions, all exact in 16 bits."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (rng.integers(-800, 800, shape) / 8).astype(kind)
    limits = np.iinfo(kind)
    return rng.integers(max(limits.min, -2**31), min(limits.max, 2**31), shape, endpoint=True).astype(kind)


def grey(colours):
    """The brightness of the last axis, as flcc-cli rounds it."""
    c = colours.astype(float)
    return np.floor(0.299 * c[..., 0] + 0.587 * c[..., 1] + 0.114 * c[..., 2] + 0.5)


def call(cli, *args):
    return subprocess.run([cli, *map(str, args)], capture_output=True, text=True, errors="replace", timeout=SECONDS)


def read_mha(path):
    """The voxels of a float64 MetaImage file that flcc-cli wrote."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"\n", data.index(b"ElementDataFile")) + 1
    fields = dict(line.partition(" = ")[::2] for line in data[:end].decode().splitlines())
    shape = [int(length) for length in fields["DimSize"].split()][::-1]
    return np.frombuffer(data[end:], "<f8" if "DOUBLE" in fields["ElementType"] else "<f4").reshape(shape)


def difference_of_voxels(cli, variant, folder):
    out = os.path.join(folder, "voxels.mha")
    ended = call(cli, "convolve", variant.path, "box:1", "--output", out, "--precision", "double", "--quiet",
                 *variant.options)
    if ended.returncode != 0:
        return f"code {ended.returncode}: {ended.stderr.strip()}"
    got = read_mha(out)
    right = np.asarray(variant.voxels, float)
    solid = lambda array: array.reshape((1,) * (3 - array.ndim) + array.shape)
    got, right = solid(got), solid(right)
    if got.shape != right.shape:
        return f"extents {got.shape[::-1]}, right are {right.shape[::-1]}"
    off = np.abs(got - right)
    if not np.isfinite(off).all() or off.max() > variant.tolerance:
        return f"{(off > 0).sum()} of {off.size} voxels differ, most by {off.max():g}"
    return ""


def difference_of_info(cli, variant):
    ended = call(cli, "info", variant.path)
    if ended.returncode != 0:
        return f"info: code {ended.returncode}: {ended.stderr.strip()}"
    info = json.loads(ended.stdout)
    for field, right in variant.info.items():
        got = info[field]
        same = got == right if isinstance(right, str) else np.allclose(got, right, rtol=1e-5, atol=1e-4)
        if not same:
            return f"{field} is {got}, right is {right}"
    if variant.place is not None:
        step = np.array(info["direction"]).reshape(3, 3)[:, 2] * info["spacing"][2]
        if not np.allclose([info["origin"], step], np.array(variant.place, float), atol=1e-6):
            return f"first slice {info['origin']}, step {step}; right are {variant.place}"
    if variant.note and not any(variant.note in note for note in info["notes"]):
        return f"no note has \"{variant.note}\": {info['notes']}"
    return ""


def difference(cli, variant, folder):
    """What is wrong; empty if nothing is."""
    if variant.voxels is None:
        ended = call(cli, "info", "--verify", variant.path)
        if ended.returncode != 3 or variant.sentence not in ended.stderr:
            return f"code {ended.returncode}: {ended.stderr.strip()}"
        return ""
    wrong = difference_of_voxels(cli, variant, folder)
    if not wrong and (variant.info or variant.note or variant.place is not None):
        wrong = difference_of_info(cli, variant)
    return wrong


def modules():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)  # modules import Variant from here
    for path in sorted(glob.glob(os.path.join(here, "real_files_*.py"))):
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ImportError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        yield module


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--verbose"]
    if not args:
        sys.exit(__doc__)
    cli, wanted, verbose = os.path.abspath(args[0]), args[1:], "--verbose" in sys.argv
    rows = {}
    for module in modules():
        with tempfile.TemporaryDirectory(prefix="flcc-real-") as folder:
            for variant in module.variants(folder):
                if wanted and variant.format not in wanted:
                    continue
                wrong = difference(cli, variant, folder)
                rows.setdefault(variant.format, []).append((variant.name, wrong))
                if verbose:
                    print(f"    {variant.format}, {variant.name}: {wrong or 'equal'}")
    print(f"{'format':20} {'variants':>8} {'equal':>8} {'failing':>8}")
    for name, found in rows.items():
        failing = [(variant, wrong) for variant, wrong in found if wrong]
        print(f"{name:20} {len(found):8} {len(found) - len(failing):8} {len(failing):8}")
        for variant, wrong in failing:
            print(f"    {variant}: {wrong}")
    return 1 if any(wrong for found in rows.values() for _, wrong in found) else 0


if __name__ == "__main__":
    sys.modules["real_files"] = sys.modules["__main__"]
    sys.exit(main())
