"""Files of microscopes, read by RosettaSciIO. FLCC_RSCIIO names the folder rsciio/tests/data of its repository; its
archives are unpacked into a folder of their own."""
import glob
import os

import numpy as np
import rsciio.digitalmicrograph
import rsciio.tia

from real_files import Variant

LENGTHS = {"nm": ("nm", 1e-9), "µm": ("um", 1e-6), "mm": ("mm", 1e-3)}


def data_folder():
    folder = os.environ.get("FLCC_RSCIIO")
    if not folder:
        raise ImportError("FLCC_RSCIIO names no folder")
    return folder


DATA = data_folder()


def gatan():
    for path in sorted(glob.glob(os.path.join(DATA, "digitalmicrograph", "**", "*.dm[34]"), recursive=True)):
        name = os.path.relpath(path, DATA)
        try:
            first = rsciio.digitalmicrograph.file_reader(path)[0]
        except NotImplementedError:
            yield Variant(name, path, sentence="which cannot be read")
            continue
        data = first["data"]
        axes = sorted(first["axes"], key=lambda axis: axis["index_in_array"])
        if data.dtype.kind in "cV" or data.ndim > 3:
            yield Variant(name, path, sentence="cannot be read" if data.dtype.kind != "c" else "complex")
            continue
        if data.dtype.kind == "b":
            data = data.astype("uint8")
        if data.ndim == 3 and [axis["navigate"] for axis in axes] == [True, True, False]:
            data = np.moveaxis(data, -1, 0)  # RosettaSciIO puts the spectrum last
            axes = [axes[2], axes[0], axes[1]]
        info = {}
        if all(axis["units"] in LENGTHS for axis in axes):
            unit, metres = LENGTHS[axes[-1]["units"]]
            steps = [LENGTHS[axis["units"]][1] / metres for axis in reversed(axes)]
            info = {"unit": unit,
                    "spacing": ([a["scale"] * step for a, step in zip(reversed(axes), steps)] + [1, 1])[:3],
                    "origin": ([a["offset"] * step for a, step in zip(reversed(axes), steps)] + [0, 0])[:3]}
        yield Variant(name, path, data, info=info)


def ser():
    for path in sorted(glob.glob(os.path.join(DATA, "tia", "**", "*.ser"), recursive=True)):
        name = os.path.relpath(path, DATA)
        header, elements = rsciio.tia._api.load_ser_file(path)
        if header["DataTypeID"][0] != 0x4122:
            yield Variant(name, path, sentence="spectra")
            continue
        pictures = elements["Array"]
        info = {}
        if 0 < elements["CalibrationDeltaX"][0] < 1e-3:
            info = {"unit": "nm", "spacing": (elements["CalibrationDeltaX"][0] * 1e9, elements["CalibrationDeltaY"][0] * 1e9, 1)}
        shape = (elements["ArraySizeY"][0], elements["ArraySizeX"][0])
        with open(path, "rb") as file:  # load_ser_file reads the first picture twice and leaves out the last
            data = file.read()
        at, wide = int(header["OffsetArrayOffset"][0]), header["SeriesVersion"][0] > 0x210
        places = np.frombuffer(data, "<u8" if wide else "<u4", len(pictures), at)
        for number in {0, len(pictures) // 2, len(pictures) - 1}:
            right = np.frombuffer(data, pictures.dtype, shape[0] * shape[1], int(places[number]) + 50).reshape(shape)
            assert number > 0 or (right.ravel() == pictures[0].ravel()).all()
            yield Variant(f"{name} {number}", path, right, ("--frame", number) if len(pictures) > 1 else (), info=info)


def variants(folder):
    for name, section in (("Gatan", gatan), ("SER", ser)):
        for variant in section():
            variant.format = name
            yield variant
