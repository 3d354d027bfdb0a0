"""MRC by mrcfile, NIfTI and Analyze by nibabel (which needs SciPy to write for SPM), NRRD by pynrrd, MetaImage by its
description (numpy)."""
import gzip
import itertools
import os
import struct
import zlib

import mrcfile
import nibabel
import nrrd
import numpy as np

from real_files import Variant


def pattern(shape, dtype, seed=0):
    """Values all over a type, few enough bits to be exact in float64."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.integers(-2000, 2000, shape) / 8).astype(dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.integers(max(low, -(1 << 40)), min(high, 1 << 40), shape, endpoint=True).astype(dtype)


class Folder:
    """Numbered names in a folder."""

    def __init__(self, folder):
        self.folder, self.count = folder, itertools.count()

    def name(self, extension):
        return os.path.join(self.folder, f"v{next(self.count)}{extension}")


def patch(path, *fields):
    """Writes (offset, format, value) into a file."""
    with open(path, "r+b") as file:
        for at, kind, value in fields:
            file.seek(at)
            file.write(struct.pack(kind, value))


def mrc(folder):
    files = Folder(folder)
    types = {"int8": 0, "int16": 1, "float32": 2, "uint16": 6, "float16": 12}
    for (dtype, mode), shape, packed in itertools.product(types.items(), ((7, 6), (5, 4, 3), (4, 9, 2)), (False, True)):
        data = pattern(shape, dtype)
        path = files.name(".mrc.gz" if packed else ".mrc")
        with mrcfile.new(path, data, compression="gzip" if packed else None) as file:
            file.voxel_size = (1.5, 2.5, 4.0)
            assert int(file.header.mode) == mode
        yield Variant(f"mode {mode} {shape} {'gz' if packed else ''}", path, data,
                      info={"spacing": (1.5, 2.5, 4.0), "unit": "A"})
    # Columns, rows and sections along other axes: the cell stays x, y, z.
    data = pattern((3, 4, 5), "int16")
    for axes, dtype in itertools.product(itertools.permutations((1, 2, 3)), ("int16", "float32")):
        # The file runs over sections, rows, columns; the array of the volume over z, y, x.
        stored = np.transpose(data.astype(dtype), [3 - axis for axis in reversed(axes)])
        path = files.name(".map")
        with mrcfile.new(path, np.ascontiguousarray(stored)) as file:
            file.header.mapc, file.header.mapr, file.header.maps = axes
            file.header.mx, file.header.my, file.header.mz = 5, 4, 3
            file.header.cella = (7.5, 10, 12)
            file.header.nxstart, file.header.nystart, file.header.nzstart = [10 * axis for axis in axes]
        yield Variant(f"axes {axes} {dtype}", path, data, note="" if axes == (1, 2, 3) else "order x, y, z",
                      info={"spacing": (1.5, 2.5, 4.0), "origin": (15, 50, 120)})
    # Extended headers, stacks, origins.
    for size in (80, 1024, 40000):
        path = files.name(".rec")
        with mrcfile.new(path, data) as file:
            file.set_extended_header(np.zeros(size, "V1"))
        yield Variant(f"extended header {size}", path, data)
    path = files.name(".mrcs")
    with mrcfile.new(path, data) as file:
        file.set_image_stack()
    yield Variant("stack of images", path, data, note="stack of images")
    stack = pattern((2, 3, 4, 5), "float32")
    path = files.name(".mrc")
    mrcfile.write(path, stack)
    for frame in range(2):
        yield Variant(f"stack of volumes {frame}", path, stack[frame], ("--frame", frame), note="each of 2 volumes")
    path = files.name(".mrc")
    with mrcfile.new(path, data) as file:
        file.header.origin = (3.5, -2.25, 1e5)
    yield Variant("origin", path, data, info={"origin": (3.5, -2.25, 1e5)})
    # Headers that programs leave incomplete.
    loose = {
        "axes 0 0 0": [(64, "<i", 0), (68, "<i", 0), (72, "<i", 0)],
        "stamp 68 32": [(213, "B", 0x20)],
        "stamp 0": [(212, "<i", 0)],
        "stamp of letters": [(212, "<i", 0x41424344)],
        "wrong stamp": [(212, "<H", 0x1111)],
        "no MAP": [(208, "<i", 0)],
        "cell 0": [(40, "<f", 0), (44, "<f", 0), (48, "<f", 0)],
        "intervals 0": [(28, "<i", 0), (32, "<i", 0), (36, "<i", 0)],
    }
    for name, fields in loose.items():
        path = files.name(".mrc")
        mrcfile.write(path, data)
        patch(path, *fields)
        yield Variant(name, path, data, note=" ")
    # Unsigned bytes, by the extremes and by the values; signed ones.
    smooth = (np.arange(60) * 4).astype("uint8").reshape(3, 4, 5)
    for name, values, low, high in (("0..255", smooth, 0, 236), ("none", smooth, 0, -1), ("signed", smooth.view("int8"), -128, 108)):
        path = files.name(".mrc")
        mrcfile.write(path, values.view("int8"))
        patch(path, (76, "<f", low), (80, "<f", high))
        yield Variant(f"bytes {name}", path, values, note="mode 0")
    # Four bits, by the description of IMOD.
    for width in (4, 5, 9):
        values = pattern((2, 3, width), "uint8") % 16
        even = np.pad(values, ((0, 0), (0, 0), (0, width % 2)))
        path = files.name(".mrc")
        mrcfile.write(path, np.zeros((2, 3, width), "int8"))
        with open(path, "rb") as file:
            header = file.read(1024)
        with open(path, "wb") as file:
            file.write(header + (even[..., 0::2] | even[..., 1::2] << 4).astype("uint8").tobytes())
        patch(path, (12, "<i", 101))
        yield Variant(f"4 bits, {width} columns", path, values)
    path = files.name(".mrc")
    mrcfile.write(path, pattern((2, 3, 4), "float32").astype("complex64"))
    yield Variant("complex", path, sentence="Fourier transform")


def lps(affine):
    """Spacing, origin and direction of a right-anterior-superior affine, as flcc-cli gives them."""
    left = np.diag([-1.0, -1, 1, 1]) @ affine
    spacing = np.linalg.norm(left[:3, :3], axis=0)
    return {"spacing": spacing, "origin": left[:3, 3], "direction": (left[:3, :3] / spacing).ravel()}


def nifti(folder):
    files = Folder(folder)
    rng = np.random.default_rng(5)
    types = ("uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
    forms = ((nibabel.Nifti1Image, ".nii"), (nibabel.Nifti2Image, ".nii"), (nibabel.Nifti1Image, ".nii.gz"),
             (nibabel.Nifti1Pair, ".img"), (nibabel.Nifti2Pair, ".img"), (nibabel.Nifti1Pair, ".img.gz"))

    def save(kind, data, affine, extension, **header):
        image = kind(data, affine, dtype=data.dtype)
        for key, value in header.items():
            image.header[key] = value
        path = files.name(extension)
        nibabel.save(image, path)
        return path

    for (kind, extension), dtype in itertools.product(forms, types):
        data = pattern((5, 4, 3), dtype)
        affine = np.eye(4)
        affine[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0] * (0.5, 0.75, 2)
        affine[:3, 3] = rng.normal(size=3) * 50
        path = save(kind, data, affine, extension)
        right = nibabel.load(path)
        yield Variant(f"{kind.__name__} {extension} {dtype}", path, np.asanyarray(right.dataobj).T, info=lps(right.affine))
        if extension.startswith(".img"):
            header = path.replace(".img", ".hdr")
            yield Variant(f"{kind.__name__} {extension} {dtype} by its header", header, np.asanyarray(right.dataobj).T)
    # sform and qform, alone, both, different; sheared.
    data = pattern((5, 4, 3), "int16")
    one, other = np.diag([2.0, 3, 4, 1]), np.diag([-1.0, 2, 2, 1])
    one[:3, 3], other[:3, 3] = (10, 20, 30), (-5, 6, -7)
    sheared = one.copy()
    sheared[0, 1] = 0.7
    for qcode, scode, matrix in itertools.product((0, 1, 4), (0, 2), (one, sheared)):
        image = nibabel.Nifti1Image(data, None)
        image.set_qform(other, qcode)
        image.set_sform(matrix, scode)
        path = files.name(".nii")
        nibabel.save(image, path)
        right = lps(nibabel.load(path).affine) if qcode or scode else {}
        yield Variant(f"qform {qcode} sform {scode}", path, data.T, info=right,
                      note="sform was taken" if qcode and scode else "")
    # Other byte order, scaling, four dimensions, one and two dimensions, colours.
    for dtype in ("int16", "float32", "float64"):
        image = nibabel.Nifti1Image(pattern((5, 4, 3), dtype), np.eye(4), nibabel.Nifti1Header(endianness=">"))
        path = files.name(".nii")
        nibabel.save(image, path)
        yield Variant(f"big-endian {dtype}", path, np.asanyarray(nibabel.load(path).dataobj).T)
    for slope, inter in ((2.0, 0.0), (0.5, -1024.0), (-3.0, 7.0)):
        image = nibabel.Nifti1Image(data, np.eye(4))
        image.header.set_slope_inter(slope, inter)
        path = files.name(".nii.gz")
        nibabel.save(image, path)
        right = np.asanyarray(nibabel.load(path).dataobj).T
        yield Variant(f"slope {slope}, {inter}", path, right, tolerance=1e-6 * np.abs(right).max())
    series = pattern((5, 4, 3, 3), "int16")
    path = save(nibabel.Nifti1Image, series, np.eye(4), ".nii")
    for frame in range(3):
        yield Variant(f"frame {frame}", path, series[..., frame].T, ("--frame", frame))
    for shape in ((9, 7), (9,)):
        flat = pattern(shape, "uint16")
        path = save(nibabel.Nifti1Image, flat, np.eye(4), ".nii")
        yield Variant(f"{len(shape)} dimensions", path, flat.reshape(9, -1).T)
    path = save(nibabel.Nifti1Image, data, np.eye(4), ".nii")
    patch(path, (80, "<f", -2.0), (84, "<f", 3.0))
    yield Variant("negative pixdim", path, data.T, note="negative")
    path = save(nibabel.Nifti1Image, data, np.eye(4), ".nii")
    patch(path, (108, "<f", 0.0))
    yield Variant("vox_offset 0", path, data.T, note="vox_offset")
    path = save(nibabel.Nifti1Image, pattern((5, 4, 3), "float32").astype("complex64"), np.eye(4), ".nii")
    yield Variant("complex", path, sentence="complex")


def analyze(folder):
    files = Folder(folder)
    kinds = (nibabel.AnalyzeImage, nibabel.Spm99AnalyzeImage, nibabel.Spm2AnalyzeImage)
    for kind, dtype, order, size in itertools.product(kinds, ("uint8", "int16", "int32", "float32", "float64"), "<>",
                                                      ((5, 4, 3), (8, 3, 6))):
        data = pattern(size, dtype)
        header = kind.header_class(endianness=order)
        header.set_data_dtype(dtype)
        image = kind(data, np.diag([-2.0, 3, 4, 1]), header)
        path = files.name(".img")
        nibabel.save(image, path)
        mat = path.replace(".img", ".mat")
        if os.path.exists(mat):
            os.remove(mat)  # SPM's matrix beside it, which flcc-cli does not read
        right = nibabel.load(path)
        yield Variant(f"{kind.__name__} {dtype} {order} {size}", path, np.asanyarray(right.dataobj).T,
                      info=lps(right.affine), note="Analyze 7.5", tolerance=1e-6)


def nrrds(folder):
    files = Folder(folder)
    types = ("uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")
    for dtype, encoding, detached in itertools.product(types, ("raw", "gzip", "ascii"), (False, True)):
        data = pattern((5, 4, 3), dtype)
        path = files.name(".nhdr" if detached else ".nrrd")
        nrrd.write(path, data, {"encoding": encoding, "spacings": [0.5, 0.75, 2.0]})
        yield Variant(f"{dtype} {encoding} {'detached' if detached else ''}", path, data.T, info={"spacing": (0.5, 0.75, 2.0)})
    for space, sign in (("left-posterior-superior", (1, 1)), ("right-anterior-superior", (-1, -1)), ("LAS", (1, -1))):
        data = pattern((5, 4, 3), "int16")
        path = files.name(".nrrd")
        nrrd.write(path, data, {"space": space, "space directions": np.diag([0.5, 2, 4]), "space origin": [10, 20, 30]})
        yield Variant(space, path, data.T, info={"spacing": (0.5, 2, 4), "origin": (10 * sign[0], 20 * sign[1], 30)})
    # An axis that is none of space, at each place.
    for kind, place in itertools.product(("time", "list", "vector", "RGB-color"), range(4)):
        data = pattern((5, 4, 2, 3), "uint8")  # x, y, z, and the other axis
        moved = np.moveaxis(data, 3, place)
        rows = np.vstack([np.diag([1.0, 2, 3])])
        directions = np.insert(rows, place, np.full(3, np.nan), axis=0)
        path = files.name(".nrrd")
        nrrd.write(path, np.asfortranarray(moved),
                   {"space": "LPS", "space directions": directions, "encoding": "gzip" if place % 2 else "raw",
                    "kinds": list(np.insert(np.array(["space"] * 3, object), place, kind))})
        if kind == "RGB-color":
            red, green, blue = (data[..., i].astype(float) for i in range(3))
            yield Variant(f"{kind} at {place}", path, np.floor(0.299 * red + 0.587 * green + 0.114 * blue + 0.5).T)
            continue
        for number in range(3):
            yield Variant(f"{kind} at {place}, {number}", path, data[..., number].T,
                          ("--frame" if kind == "time" else "--channel", number), info={"spacing": (1, 2, 3)})
    # Several files, by the description of the format: pynrrd does not write them.
    data = pattern((5, 4, 6), "int16")
    for encoding, split, form in itertools.product(("raw", "gzip", "ascii"), (3, 2), ("list", "pattern")):
        parts = [data[..., i] for i in range(6)] if split == 3 else [data[:, i, j] for j in range(6) for i in range(4)]
        stem = os.path.basename(files.name(""))
        names = [f"{stem}_{i:03d}.raw" for i in range(len(parts))]
        for name, part in zip(names, parts):
            text = part.tobytes(order="F")
            if encoding == "ascii":
                text = " ".join(map(str, part.ravel(order="F"))).encode()
            with open(os.path.join(folder, name), "wb") as file:
                file.write(gzip.compress(text) if encoding == "gzip" else text)
        path = files.name(".nhdr")
        with open(path, "w") as file:
            file.write(f"NRRD0004\ntype: short\ndimension: 3\nsizes: 5 4 6\nendian: little\nencoding: {encoding}\n")
            if form == "list":
                file.write(("data file: LIST\n" if split == 3 else f"data file: LIST {split - 1}\n") + "\n".join(names) + "\n")
            else:
                file.write(f"data file: {stem}_%03d.raw 0 {len(parts) - 1} 1 {split - 1}\n")
        yield Variant(f"{form} of {len(parts)} files {encoding}", path, data.T)
    path = files.name(".nrrd")
    nrrd.write(path, data, {"encoding": "bzip2"})
    yield Variant("bzip2", path, sentence="bzip2")


def metaimage(folder):
    files = Folder(folder)
    types = {"MET_UCHAR": "u1", "MET_CHAR": "i1", "MET_USHORT": "u2", "MET_SHORT": "i2", "MET_UINT": "u4", "MET_INT": "i4",
             "MET_FLOAT": "f4", "MET_DOUBLE": "f8"}
    forms = ("local", "detached", "packed", "packed beside", "text", "list", "pattern", "swapped")
    for (word, code), form in itertools.product(types.items(), forms):
        data = pattern((3, 4, 5), code)
        order = ">" if form == "swapped" else "<"
        stored = data.astype(order + code)
        path = files.name(".mha" if form in ("local", "packed", "text", "swapped") else ".mhd")
        stem = os.path.basename(path)[:-4]
        header = f"ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementSpacing = 0.5 0.75 2\nElementType = {word}\n"
        header += f"BinaryData = {form != 'text'}\nBinaryDataByteOrderMSB = {form == 'swapped'}\n"
        header += f"CompressedData = {form.startswith('packed')}\n"
        body, beside = b"", {}
        if form in ("local", "swapped"):
            header, body = header + "ElementDataFile = LOCAL\n", stored.tobytes()
        elif form == "packed":
            header, body = header + "ElementDataFile = LOCAL\n", zlib.compress(stored.tobytes())
        elif form == "text":
            header, body = header + "ElementDataFile = LOCAL\n", " ".join(map(str, stored.ravel())).encode()
        elif form == "detached":
            header, beside = header + f"ElementDataFile = {stem}.raw\n", {f"{stem}.raw": stored.tobytes()}
        elif form == "packed beside":
            header, beside = header + f"ElementDataFile = {stem}.zraw\n", {f"{stem}.zraw": zlib.compress(stored.tobytes())}
        else:
            beside = {f"{stem}_{i + 1:02d}.raw": stored[i].tobytes() for i in range(3)}
            header += "ElementDataFile = " + ("LIST\n" + "\n".join(beside) + "\n" if form == "list" else f"{stem}_%02d.raw 1 3 1\n")
        with open(path, "wb") as file:
            file.write(header.encode() + body)
        for name, content in beside.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        yield Variant(f"{word} {form}", path, data, info={"spacing": (0.5, 0.75, 2)})


def variants(folder):
    for name, section in (("MRC", mrc), ("NIfTI", nifti), ("Analyze", analyze), ("NRRD", nrrds), ("MetaImage", metaimage)):
        own = os.path.join(folder, name)
        os.makedirs(own)
        for variant in section(own):
            variant.format = name
            yield variant
