"""Files of programs and instruments: MGH by nibabel."""
import itertools
import os

import nibabel
import numpy as np

from real_files import Variant
from real_files_volume import Folder, lps, pattern


def mgh(folder):
    files = Folder(folder)
    rng = np.random.default_rng(7)
    for dtype, size, extension in itertools.product(("uint8", "int16", "int32", "float32", "uint16"),
                                                    ((5, 4, 3), (8, 3, 6), (7, 1, 1)), (".mgh", ".mgz", ".mgh.gz")):
        data = pattern(size, dtype)
        affine = np.eye(4)
        affine[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0] * (0.5, 0.75, 2)
        affine[:3, 3] = rng.normal(size=3) * 50
        path = files.name(".mgz" if extension == ".mgh.gz" else extension)
        try:
            nibabel.save(nibabel.MGHImage(data, affine), path)
        except nibabel.spatialimages.HeaderDataError:
            continue  # nibabel has no uint16
        if extension == ".mgh.gz":
            os.rename(path, path[:-1] + "h.gz")
            path = path[:-1] + "h.gz"
        right = nibabel.load(path) if extension != ".mgh.gz" else nibabel.MGHImage(data, affine)
        yield Variant(f"{dtype} {size} {extension}", path, data.T, info={**lps(right.affine), "unit": "mm"})
    series = pattern((5, 4, 3, 3), "int16")
    path = files.name(".mgz")
    nibabel.save(nibabel.MGHImage(series, np.eye(4)), path)
    for frame in range(3):
        yield Variant(f"frame {frame}", path, series[..., frame].T, ("--frame", frame))
    with open(path, "rb") as file:
        packed = file.read()
    path = files.name(".mgz")
    with open(path, "wb") as file:
        file.write(packed[:-30])
    yield Variant("cut", path, sentence="cannot read")


def variants(folder):
    for name, section in (("MGH", mgh),):
        own = os.path.join(folder, name)
        os.makedirs(own)
        for variant in section(own):
            variant.format = name
            yield variant
