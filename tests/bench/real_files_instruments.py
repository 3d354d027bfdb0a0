"""Files of programs and instruments: MGH by nibabel, EM by emfile, SPIDER by Pillow and by its description (numpy),
FITS by astropy."""
import itertools
import os

import astropy.io.fits
import emfile
import nibabel
import numpy as np
from PIL import Image

from real_files import Variant
from real_files_volume import Folder, lps, patch, pattern


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


def em(folder):
    files = Folder(folder)
    for dtype, shape in itertools.product(("int8", "int16", "int32", "float32", "float64"), ((3, 4, 5), (1, 7, 6), (6, 3, 8))):
        data = pattern(shape, dtype)
        path = files.name(".em")
        emfile.write(path, data)
        patch(path, (120, "<i", 2625))  # emfile writes parameters at a wrong place, and reads them at the right one
        header, right = emfile.read(path)
        assert right.dtype == dtype and header["OBJ"] == 2625
        yield Variant(f"{dtype} {shape}", path, right, info={"spacing": (2.625, 2.625, 2.625), "unit": "A"})
        # The order of a workstation, which emfile does not write: the header turned by hand.
        with open(path, "rb") as file:
            head = bytearray(file.read(512))
        head[0] = 3
        for at in (*range(4, 16, 4), *range(96, 256, 4)):
            head[at:at + 4] = head[at:at + 4][::-1]
        path = files.name(".em")
        with open(path, "wb") as file:
            file.write(bytes(head) + data.astype(data.dtype.newbyteorder(">")).tobytes())
        yield Variant(f"{dtype} {shape} big-endian", path, data, info={"spacing": (2.625, 2.625, 2.625), "unit": "A"})
    path = files.name(".em")
    emfile.write(path, data)
    yield Variant("no size of a pixel", path, data, info={"unit": "px"})
    with open(path, "r+b") as file:
        file.truncate(512 + data.nbytes - 1)
    yield Variant("cut", path, sentence="truncated")


def spider_header(shape, order, kind, stack=0, images=0, number=0):
    """By the description of the format: locations count from 1."""
    depth, height, width = shape
    records = -(-1024 // (4 * width))
    head = np.zeros(records * width, order + "f4")
    for place, value in {1: depth, 2: height, 3: depth * height, 5: kind, 12: width, 13: records, 22: records * width * 4,
                         23: 4 * width, 24: stack, 26: images, 27: number, 38: 1.25}.items():
        head[place - 1] = value
    return head.tobytes()


def spider(folder):
    files = Folder(folder)
    for width, height in ((5, 4), (64, 64), (300, 7), (33, 1)):
        data = pattern((height, width), "float32")
        path = files.name(".spi")
        Image.fromarray(data).save(path, format="SPIDER")
        yield Variant(f"Pillow {width}x{height}", path, np.asarray(Image.open(path)), info={"unit": "px"})
    for order, shape in itertools.product("<>", ((4, 3, 5), (2, 64, 33))):
        data = pattern(shape, "float32")
        path = files.name(".vol")
        with open(path, "wb") as file:
            file.write(spider_header(shape, order, 3) + data.astype(order + "f4").tobytes())
        yield Variant(f"volume {order} {shape}", path, data, info={"spacing": (1.25, 1.25, 1.25), "unit": "A"})
        path = files.name(".stk")
        flat = (1, *shape[1:])
        with open(path, "wb") as file:
            file.write(spider_header(flat, order, 1, stack=2, images=shape[0]))
            for number, image in enumerate(data):
                file.write(spider_header(flat, order, 1, number=number + 1) + image.astype(order + "f4").tobytes())
        for number in range(shape[0]):
            with Image.open(path) as image:
                if number > 0:
                    image.seek(number)
                yield Variant(f"stack {order} {shape} {number}", path, np.asarray(image), ("--frame", number))
        path2 = files.name(".stk")
        with open(path, "rb") as file, open(path2, "wb") as out:
            out.write(file.read()[:-1])
        yield Variant(f"cut {order}", path2, sentence="truncated")


def fits(folder):
    files = Folder(folder)
    types = ("uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
    for dtype, shape in itertools.product(types, ((4, 5), (3, 4, 5), (33, 64))):
        data = pattern(shape, dtype)
        for place in ("primary", "extension", "RICE_1", "GZIP_1"):
            if place.endswith("_1") and (dtype in ("int64", "uint64", "int8") or data.ndim > 2 or dtype[0] == "f" and place[0] == "R"):
                continue
            path = files.name(".fits")
            hdu = astropy.io.fits.PrimaryHDU(data) if place == "primary" else \
                astropy.io.fits.ImageHDU(data) if place == "extension" else \
                astropy.io.fits.CompImageHDU(data, compression_type=place, quantize_level=0)
            for axis, step in enumerate((0.5, 0.75, 2)[:data.ndim]):
                hdu.header[f"CDELT{axis + 1}"], hdu.header[f"CUNIT{axis + 1}"] = step, "um"
            parts = [hdu] if place == "primary" else [astropy.io.fits.PrimaryHDU(), hdu]
            astropy.io.fits.HDUList(parts).writeto(path)
            with astropy.io.fits.open(path) as opened:
                right = opened[len(parts) - 1].data
                yield Variant(f"{dtype} {shape} {place}", path, right, info={"spacing": (0.5, 0.75, 2)[:data.ndim] + (1,) * (3 - data.ndim), "unit": "um"})
    for dtype, scale, zero in (("int16", 0.5, -7), ("uint8", 2.5, 0), ("int32", 1e-3, 1e6), ("int16", 1, 100)):
        path = files.name(".fits")
        hdu = astropy.io.fits.PrimaryHDU(pattern((6, 7), dtype))
        hdu.writeto(path)
        with astropy.io.fits.open(path, "update", do_not_scale_image_data=True) as opened:
            opened[0].header["BSCALE"], opened[0].header["BZERO"] = scale, zero
        right = astropy.io.fits.getdata(path).astype("float64")
        yield Variant(f"{dtype} * {scale} + {zero}", path, right, tolerance=1e-6 * np.abs(right).max())
    series = pattern((3, 2, 4, 5), "int16")
    path = files.name(".fit")
    astropy.io.fits.PrimaryHDU(series).writeto(path)
    for frame in range(3):
        yield Variant(f"frame {frame}", path, series[frame], ("--frame", frame))
    path = files.name(".fits")
    sky = astropy.io.fits.PrimaryHDU(series[0, 0])
    sky.header["CDELT1"], sky.header["CUNIT1"] = -0.01, "deg"
    astropy.io.fits.HDUList([sky, astropy.io.fits.ImageHDU(series[0, 1])]).writeto(path)
    yield Variant("sky", path, series[0, 0], note="no length", info={"unit": "px"})
    yield Variant("two images", path, series[0, 0], note="first of its 2 images")
    path = files.name(".fits")
    table = astropy.io.fits.BinTableHDU.from_columns([astropy.io.fits.Column("a", "E", array=[1, 2])])
    astropy.io.fits.HDUList([astropy.io.fits.PrimaryHDU(), table]).writeto(path)
    yield Variant("a table", path, sentence="no image")
    for name, size in (("cut", 2880 + 200 * 300 * 4 - 1), ("cut header", 2000), ("half", 100000)):
        path = files.name(".fits")
        astropy.io.fits.PrimaryHDU(pattern((200, 300), "float32")).writeto(path)
        os.truncate(path, size)
        yield Variant(name, path, sentence="truncated")


def variants(folder):
    for name, section in (("MGH", mgh), ("EM", em), ("SPIDER", spider), ("FITS", fits)):
        own = os.path.join(folder, name)
        os.makedirs(own)
        for variant in section(own):
            variant.format = name
            yield variant
