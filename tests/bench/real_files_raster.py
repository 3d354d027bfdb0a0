"""TIFF, ImageJ and OME by tifffile (with imagecodecs), JPEG and PNG by Pillow."""
import io
import itertools
import os
import struct

import numpy as np
import tifffile
from PIL import Image, ImageOps

from real_files import Variant, grey, values

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8"]


def variant(kind, name, path, expected, options=(), tolerance=0.0):
    return Variant(name, path, expected, tuple(options), tolerance=tolerance, format=kind)


def tiff_variants(folder):
    found = []

    def add(name, data, options=(), expected=None, **how):
        path = os.path.join(folder, name.replace(" ", "_") + ".tif")
        tifffile.imwrite(path, data, **how)
        right = tifffile.imread(path) if expected is None else expected
        found.append(variant("TIFF", name, path, right, options))

    plain = {"metadata": None, "photometric": "minisblack"}
    for dtype, order, big in itertools.product(TYPES, "<>", (False, True)):
        add(f"type {dtype} {'little' if order == '<' else 'big'}{' BigTIFF' if big else ''}", values((7, 11), dtype),
            byteorder=order, bigtiff=big, **plain)
    for codec, tile in itertools.product(["zlib", "lzw", "packbits", "zstd", "lerc"], (None, (16, 16))):
        for dtype in ("u1", "u2", "f4"):
            add(f"{codec} {dtype}{' tiles' if tile else ' strips'}", values((37, 45), dtype), compression=codec, tile=tile,
                **({"rowsperstrip": 5} if tile is None else {}), **plain)
    for codec, dtype, order in itertools.product(["zlib", "lzw"], ["u1", "u2", "i4", "f2", "f4", "f8"], "<>"):
        add(f"{codec} predictor {dtype} {order}", values((20, 33), dtype), compression=codec, predictor=True, byteorder=order,
            **plain)
    for planar, dtype, tile in itertools.product(["contig", "separate"], ["u1", "u2"], (None, (16, 16))):
        data = values((21, 19, 3), dtype)
        add(f"RGB {planar} {dtype}{' tiles' if tile else ''}",
            data if planar == "contig" else np.ascontiguousarray(np.moveaxis(data, 2, 0)), photometric="rgb",
            planarconfig=planar, tile=tile, metadata=None, expected=grey(data))
    for samples in (2, 5):
        data = values((9, 8, samples), "u2")
        for sample in range(samples):
            add(f"{samples} samples, number {sample}", data, ["--channel", str(sample)], data[..., sample],
                photometric="minisblack", planarconfig="contig", metadata=None, extrasamples=[0] * (samples - 1))
    for bits in (1, 2, 4, 10, 12, 14):
        data = values((6, 13), "u2") % (1 << bits)
        add(f"{bits} bits", data.astype("u1" if bits <= 8 else "u2") if bits > 1 else data.astype(bool),
            bitspersample=bits, expected=data, **plain)
    add("white is zero", values((5, 6), "u1"), photometric="miniswhite", metadata=None,
        expected=255 - values((5, 6), "u1"))
    palette = values((3, 256), "u2", 3)
    index = values((5, 6), "u1")
    add("palette", index, photometric="palette", colormap=palette, metadata=None,
        expected=grey(np.moveaxis(palette[:, index] >> 8, 0, -1)))
    for pages, kind in ((4, {}), (4, {"contiguous": False})):
        add(f"{pages} pages {kind}", values((pages, 6, 7), "u2"), **plain, **kind)
    for dtype, how in itertools.product(["u1", "u2", "f4"], [{}, {"compression": "zlib"}, {"tile": (16, 16)},
                                                             {"tile": (2, 16, 16)}, {"tile": (4, 16, 32)},
                                                             {"tile": (2, 16, 16), "compression": "lzw"},
                                                             {"rowsperstrip": 3}, {"rowsperstrip": 5, "compression": "lzw"}]):
        add(f"ImageDepth {dtype} {how}", values((5, 17, 35), dtype), volumetric=True, **plain, **how)
    for order in "<>":
        add(f"ImageDepth {order}", values((3, 18, 20), "u2"), volumetric=True, byteorder=order, tile=(2, 16, 16), **plain)
    big = values((30, 40), "u2")
    for size in ((7, 9), (30, 12)):
        path = os.path.join(folder, f"other_page_{size[0]}.tif")
        for first in (False, True):
            with tifffile.TiffWriter(path) as out:
                for page in ([values(size, "u2"), big] if first else [big, values(size, "u2")]):
                    out.write(page, metadata=None, photometric="minisblack")
            copy = path.replace(".tif", "_first.tif" if first else "_last.tif")
            os.replace(path, copy)
            found.append(variant("TIFF", f"page of {size} {'first' if first else 'last'}", copy, big))
    path = os.path.join(folder, "sub.tif")
    with tifffile.TiffWriter(path) as out:
        out.write(big, subifds=1, metadata=None, photometric="minisblack")
        out.write(big[::2, ::2], subfiletype=1, metadata=None, photometric="minisblack")
        out.write(big[::4, ::4], subfiletype=1, metadata=None, photometric="minisblack")
    found.append(variant("TIFF", "pyramid in SubIFDs and a marked page", path, big))
    return found


def turned(data, orientation):
    """The picture as it is shown; rows of `data` are those of the file."""
    flip = {1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
            5: lambda a: a.swapaxes(0, 1), 6: lambda a: a[::-1].swapaxes(0, 1),
            7: lambda a: a[::-1, ::-1].swapaxes(0, 1), 8: lambda a: a[:, ::-1].swapaxes(0, 1)}
    return flip[orientation](data)


def orientation_variants(folder):
    found = []
    for orientation in range(1, 9):
        data = values((7, 11), "u1", orientation)
        for dtype, tile, order in (("u1", None, "<"), ("u2", (16, 16), ">"), ("f4", None, ">")):
            path = os.path.join(folder, f"turned_{orientation}_{dtype}.tif")
            typed = values((7, 11), dtype, orientation)
            tifffile.imwrite(path, typed, metadata=None, photometric="minisblack", tile=tile, byteorder=order,
                             extratags=[(274, 3, 1, orientation, True)])
            found.append(variant("TIFF", f"orientation {orientation} {dtype}", path, turned(typed, orientation)))
            found.append(variant("TIFF", f"orientation {orientation} {dtype} stored", path, typed,
                                 ["--orientation", "stored"]))
        rgb = values((9, 5, 3), "u1", orientation)
        path = os.path.join(folder, f"turned_{orientation}_rgb.tif")
        tifffile.imwrite(path, rgb, metadata=None, photometric="rgb", extratags=[(274, 3, 1, orientation, True)])
        found.append(variant("TIFF", f"orientation {orientation} RGB", path, grey(turned(rgb, orientation))))
        stack = values((3, 4, 6), "u2", orientation)
        path = os.path.join(folder, f"turned_{orientation}_stack.tif")
        tifffile.imwrite(path, stack, metadata=None, photometric="minisblack",
                         extratags=[(274, 3, 1, orientation, False)])
        found.append(variant("TIFF", f"orientation {orientation} stack", path,
                             np.stack([turned(page, orientation) for page in stack])))
        for order in ("<", ">"):
            endian = b"II" if order == "<" else b"MM"
            exif = b"Exif\0\0" + endian + struct.pack(order + "HIHHHIHHI", 42, 8, 1, 274, 3, 1, orientation, 0, 0)
            for mode in ("L", "RGB"):
                picture = Image.fromarray(data).resize((88, 56), Image.NEAREST).convert(mode)
                path = os.path.join(folder, f"turned_{orientation}_{endian.decode()}_{mode}.jpg")
                picture.save(path, quality=95, exif=exif, progressive=orientation % 2 == 0)
                shown = np.asarray(ImageOps.exif_transpose(Image.open(path)))
                found.append(variant("JPEG", f"orientation {orientation} {endian.decode()} {mode}", path,
                                     grey(shown) if mode == "RGB" else shown, (), 2))
                stored = np.asarray(Image.open(path))
                found.append(variant("JPEG", f"orientation {orientation} {endian.decode()} {mode} stored", path,
                                     grey(stored) if mode == "RGB" else stored, ["--orientation", "stored"], 2))
            path = os.path.join(folder, f"turned_{orientation}_{endian.decode()}.png")
            Image.fromarray(data).save(path, exif=exif)
            found.append(variant("PNG", f"orientation {orientation} {endian.decode()}", path,
                                 np.asarray(ImageOps.exif_transpose(Image.open(path)))))
            found.append(variant("PNG", f"orientation {orientation} {endian.decode()} stored", path, data,
                                 ["--orientation", "stored"]))
        path = os.path.join(folder, f"turned_{orientation}_rgb.png")
        Image.fromarray(rgb).save(path, exif=exif)
        found.append(variant("PNG", f"orientation {orientation} RGB", path, grey(turned(rgb, orientation))))
    return found


def picture_variants(folder):
    found = []

    def png(name, picture, expected, **how):
        path = os.path.join(folder, name.replace(" ", "_") + ".png")
        picture.save(path, **how)
        found.append(variant("PNG", name, path, expected))

    for bits in (1, 2, 4, 8):
        index = values((6, 9), "u1") & ((1 << bits) - 1)
        palette = values((256, 3), "u1", bits)
        picture = Image.fromarray(index, "P")
        picture.putpalette(palette.tobytes())
        png(f"palette {bits}", picture, grey(palette[index]), bits=bits)
        png(f"palette {bits} with opacity", picture, grey(palette[index]), bits=bits, transparency=bytes([0, 128]))
    data = values((6, 9), "u1")
    png("1 bit", Image.fromarray(data > 127), (data > 127) * 255)
    png("16 bits", Image.fromarray(values((6, 9), "u2")), values((6, 9), "u2"))
    for mode, samples in (("LA", 2), ("RGBA", 4), ("RGB", 3)):
        array = values((6, 9, samples), "u1")
        png(mode, Image.fromarray(array, mode), grey(array) if samples > 2 else array[..., 0])
    png("grey with a transparent value", Image.fromarray(data), data, transparency=int(data[0, 0]))
    rgb = values((40, 56, 3), "u1")
    for mode, subsampling, progressive in itertools.product(("L", "RGB"), (0, 1, 2), (False, True)):
        path = os.path.join(folder, f"{mode}_{subsampling}_{progressive}.jpg")
        smooth = Image.fromarray(rgb).resize((64, 48), Image.BICUBIC).convert(mode)
        smooth.save(path, quality=90, subsampling=subsampling, progressive=progressive)
        decoded = Image.open(path)
        right = np.asarray(decoded)
        found.append(variant("JPEG", f"{mode} {subsampling} {progressive}", path,
                             grey(right) if mode == "RGB" else right, (), 2))
    return found


def imagej_variants(folder):
    found = []
    for frames, slices, channels in itertools.product((1, 2, 3), (1, 2, 4), (1, 2, 3)):
        data = values((frames, slices, channels, 5, 6), "u2", frames * 16 + slices * 4 + channels)
        for order, packed in (("<", None), (">", None), (">", "zlib")):
            path = os.path.join(folder, f"ij_{frames}{slices}{channels}{order == '<'}{packed}.tif")
            tifffile.imwrite(path, data, imagej=True, byteorder=order, compression=packed,
                             metadata={"axes": "TZCYX"})
            options = [] if channels == 1 else ["--channel", str(channels - 1)]
            options += [] if frames == 1 else ["--frame", str(frames - 1)]
            found.append(variant("ImageJ", f"{frames}x{slices}x{channels} {order} {packed}", path,
                                 data[-1, :, -1], options))
    return found


def ome_variants(folder):
    found = []
    sizes = {"T": 2, "Z": 3, "C": 2}
    for axes in itertools.permutations("TZC"):
        for dtype, how in itertools.product(("u1", "u2", "f4"), ({}, {"compression": "zlib"}, {"tile": (16, 16)})):
            data = values([sizes[a] for a in axes] + [18, 21], dtype)
            path = os.path.join(folder, f"ome_{''.join(axes)}_{dtype}_{'_'.join(how)}.ome.tif")
            tifffile.imwrite(path, data, ome=True, photometric="minisblack", metadata={"axes": "".join(axes) + "YX"}, **how)
            ordered = np.moveaxis(data, [axes.index(a) for a in "TZC"], [0, 1, 2])
            for t, c in ((0, 1), (1, 0)):
                found.append(variant("OME", f"{''.join(axes)} {dtype} {how} frame {t} channel {c}", path,
                                     ordered[t, :, c], ["--frame", str(t), "--channel", str(c)]))
    path = os.path.join(folder, "two_images.ome.tif")
    images = [values((3, 9, 7), "u2", 1), values((2, 5, 6), "u2", 2)]
    with tifffile.TiffWriter(path, ome=True) as out:
        for image in images:
            out.write(image, photometric="minisblack", metadata={"axes": "ZYX"})
    found += [variant("OME", f"image {i} of two", path, image, ["--image", str(i)]) for i, image in enumerate(images)]
    found.append(variant("OME", "the first of two images", path, images[0]))
    path = os.path.join(folder, "rgb.ome.tif")
    rgb = values((2, 9, 7, 3), "u1", 5)
    tifffile.imwrite(path, rgb, ome=True, photometric="rgb", metadata={"axes": "ZYXS"})
    found.append(variant("OME", "RGB", path, grey(rgb)))
    path = os.path.join(folder, "pyramid.ome.tif")
    large = values((64, 64), "u2", 6)
    with tifffile.TiffWriter(path, ome=True) as out:
        out.write(large, subifds=1, photometric="minisblack", metadata={"axes": "YX"})
        out.write(large[::2, ::2], subfiletype=1)
    found.append(variant("OME", "pyramid", path, large))
    found += ome_by_hand(folder)
    return found


def ome_by_hand(folder):
    """Descriptions that tifffile does not write: blocks of planes, sets of files, planes that are missing."""
    found = []
    pages = values((6, 4, 5), "u2", 9)

    def write(name, data, pixels, blocks, root=""):
        path = os.path.join(folder, name)
        xml = (f'<?xml version="1.0"?><!-- <OME> > --><o:OME xmlns:o="http://www.openmicroscopy.org/Schemas/OME/2016-06"{root}>'
               f'<o:Image ID="Image:0"><o:Pixels ID="P" Name="a&gt;b" Type="uint16" SizeX="5" SizeY="4" {pixels}>{blocks}'
               "</o:Pixels></o:Image></o:OME>")
        tifffile.imwrite(path, data, description=xml, metadata=None, photometric="minisblack")
        return path

    for order in ("XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTZC", "XYTCZ"):
        size = {"Z": 3, "C": 2, "T": 1}
        pixels = f'SizeZ="3" SizeC="2" SizeT="1" DimensionOrder="{order}"'
        zc = np.moveaxis(pages.reshape([size[a] for a in reversed(order[2:])] + [4, 5]),
                         [list(reversed(order[2:])).index(a) for a in "TCZ"], [0, 1, 2])[0]
        path = write(f"block_{order}.ome.tif", pages, pixels, '<o:TiffData IFD="0" PlaneCount="6"/>')
        found += [variant("OME", f"one block {order} {c}", path, zc[c], ["--channel", str(c)]) for c in (0, 1)]
        # Two halves of the planes, each behind the other's place.
        flat = np.concatenate([pages[3:], pages[:3]])
        at = {"Z": 3, "C": 0, "T": 0}
        strides, stride = {}, 1
        for letter in order[2:]:
            strides[letter] = stride
            stride *= size[letter]
        first = {letter: 3 // strides[letter] % size[letter] for letter in "ZCT"}
        blocks = ('<o:TiffData IFD="3" PlaneCount="3"/>'
                  f'<o:TiffData FirstZ="{first["Z"]}" FirstC="{first["C"]}" FirstT="{first["T"]}" IFD="0" PlaneCount="3"/>')
        path = write(f"halves_{order}.ome.tif", flat, pixels, blocks)
        found += [variant("OME", f"two blocks {order} {c}", path, zc[c], ["--channel", str(c)]) for c in (0, 1)]
    full = 'SizeZ="3" SizeC="1" SizeT="2" DimensionOrder="XYZCT"'
    path = write("stopped.ome.tif", pages[:3], full, '<o:TiffData IFD="0" PlaneCount="6"/>')
    found.append(variant("OME", "stopped after a frame", path, pages[:3]))
    path = write("stopped_4.ome.tif", pages[:4], full, '<o:TiffData IFD="0" PlaneCount="6"/>')
    found.append(variant("OME", "stopped in a frame", path, pages[:3], ["--frame", "0"]))
    set_blocks = "".join(f'<o:TiffData FirstT="{t}" IFD="0" PlaneCount="3"><o:UUID FileName="set_{t}.ome.tif">urn:uuid:{t}'
                         "</o:UUID></o:TiffData>" for t in (0, 1))
    paths = [write(f"set_{t}.ome.tif", pages[3 * t:3 * t + 3], full, set_blocks, f' UUID="urn:uuid:{t}"') for t in (0, 1)]
    for path, frame in itertools.product(paths, (0, 1)):
        found.append(variant("OME", f"set, file {paths.index(path)}, frame {frame}", path, pages[3 * frame:3 * frame + 3],
                             ["--frame", str(frame)]))
    alone = os.path.join(folder, "alone")
    os.makedirs(alone, exist_ok=True)
    path = os.path.join(alone, "set_0.ome.tif")
    with open(paths[0], "rb") as source, open(path, "wb") as target:
        target.write(source.read())
    found.append(variant("OME", "set, the other file missing", path, pages[:3]))
    return found


def variants(folder):
    parts = (tiff_variants, orientation_variants, picture_variants, imagej_variants, ome_variants)
    return [variant for part in parts for variant in part(folder)]
