#!/usr/bin/env python3
"""real_files.py FLCC_CLI [--verbose] [FORMAT...]: files written by other libraries, read by flcc-cli.

Runs the sections of every module real_files_*.py beside this script, or those of these formats, and prints a
table: format, variants, equal, failing. Ends with 1 if a variant fails. A module has

    SECTIONS = {"MRC": mrc, ...}

where mrc(folder) writes files into the folder and yields a Variant for each. A module whose libraries are not
installed raises ImportError and is left out with a line. Needs numpy; each module says what else."""
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
    tolerance: float = 0.0  # of the voxels, as a part of the largest


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
    if not np.isfinite(off).all() or off.max() > variant.tolerance * max(1.0, np.abs(right).max()):
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
    if not wrong and (variant.info or variant.note):
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
    failed = 0
    print(f"{'format':20} {'variants':>8} {'equal':>8} {'failing':>8}")
    for module in modules():
        for name, section in module.SECTIONS.items():
            if wanted and name not in wanted:
                continue
            count, wrong = 0, []
            with tempfile.TemporaryDirectory(prefix="flcc-real-") as folder:
                for variant in section(folder):
                    count += 1
                    if text := difference(cli, variant, folder):
                        wrong.append(f"    {variant.name}: {text}")
                    elif verbose:
                        print(f"    {variant.name}: equal")
            print(f"{name:20} {count:8} {count - len(wrong):8} {len(wrong):8}")
            for line in wrong:
                print(line)
            failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.modules["real_files"] = sys.modules["__main__"]
    sys.exit(main())
