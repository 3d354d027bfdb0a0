"""DICOM by pydicom, HDF5 by h5py, BMP, PNM, PFM, GIF, WebP and JPEG 2000 by Pillow or by their descriptions."""
import itertools
import json
import os

import h5py
import numpy as np
import pydicom
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import UID, generate_uid

from real_files import Variant, grey, values

LITTLE, BIG, IMPLICIT = "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2"
DEFLATED, RLE, JPEG, JPEG2000 = (
    "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.5", "1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.90")
ENHANCED_MR, ENHANCED_PET, CT = (
    "1.2.840.10008.5.1.4.1.1.4.1", "1.2.840.10008.5.1.4.1.1.130", "1.2.840.10008.5.1.4.1.1.2")
PET, MR, SECONDARY = "1.2.840.10008.5.1.4.1.1.128", "1.2.840.10008.5.1.4.1.1.4", "1.2.840.10008.5.1.4.1.1.7"
DOSE, NUCLEAR = "1.2.840.10008.5.1.4.1.1.481.2", "1.2.840.10008.5.1.4.1.1.20"


def variant(kind, name, path, expected, options=(), tolerance=0.0, place=None, spacing=None):
    return Variant(name, path, np.asarray(expected), tuple(options), info={} if spacing is None else {"spacing": spacing},
                   tolerance=tolerance, place=place, format=kind)


# --- DICOM ------------------------------------------------------------------------------------


def item(**elements):
    data = Dataset()
    for name, value in elements.items():
        setattr(data, name, value)
    return data


def dicom(path, pixels, kind=CT, syntax=LITTLE, series="1.2.3.1", packed=None, **elements):
    """Writes frames or one picture; `pixels` are frames, rows, columns (and components)."""
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = kind, generate_uid()
    meta.TransferSyntaxUID = UID(syntax)
    data = Dataset()
    data.file_meta = meta
    data.SOPClassUID, data.SOPInstanceUID = kind, meta.MediaStorageSOPInstanceUID
    data.StudyInstanceUID, data.SeriesInstanceUID, data.Modality = "1.2.3.9", series, "OT"
    colour = pixels.ndim == 4
    frames, data.Rows, data.Columns = pixels.shape[:3]
    data.SamplesPerPixel, data.PhotometricInterpretation = (3, "RGB") if colour else (1, "MONOCHROME2")
    if colour:
        data.PlanarConfiguration = 0
    if frames > 1 or "PerFrameFunctionalGroupsSequence" in elements:
        data.NumberOfFrames = frames
    bits = 8 * pixels.itemsize
    data.BitsAllocated, data.BitsStored, data.HighBit = bits, bits, bits - 1
    data.PixelRepresentation = int(pixels.dtype.kind == "i")
    for name, value in elements.items():
        setattr(data, name, value)
    if packed is not None:
        data.PixelData = encapsulate(packed)
        data["PixelData"].VR = "OB"
    else:
        raw = pixels.astype(pixels.dtype.newbyteorder(">" if syntax == BIG else "<")).tobytes()
        data.PixelData = raw + b"\0" * (len(raw) % 2)
        data["PixelData"].VR = "OW"
    if syntax == RLE:
        data.file_meta.TransferSyntaxUID = UID(LITTLE)
        data.compress(UID(RLE), encoding_plugin="pydicom")
    pydicom.dcmwrite(path, data, enforce_file_format=True, little_endian=syntax != BIG, implicit_vr=syntax == IMPLICIT,
                     **({"overwrite": True}))


AXES = {"axial": [1, 0, 0, 0, 1, 0], "coronal": [1, 0, 0, 0, 0, -1], "sagittal": [0, 1, 0, 0, 0, -1],
        "oblique": [0.6, 0.8, 0, -0.8, 0.6, 0], "flipped": [-1, 0, 0, 0, 1, 0]}


def groups(positions, axes, spacing=(0.7, 0.5), slopes=None, marks=None):
    """Shared and per-frame functional groups."""
    measures = item(PixelSpacing=list(spacing), SliceThickness=9.0)
    shared = item(PlaneOrientationSequence=[item(ImageOrientationPatient=list(axes))],
                  PixelMeasuresSequence=[measures])
    frames = []
    for i, position in enumerate(positions):
        frame = item(PlanePositionSequence=[item(ImagePositionPatient=[float(v) for v in position])],
                     FrameContentSequence=[item()])
        if slopes is not None:
            frame.PixelValueTransformationSequence = [
                item(RescaleSlope=slopes[i][0], RescaleIntercept=slopes[i][1], RescaleType="US")]
        for name, value in (marks[i] if marks else {}).items():
            if name == "EffectiveEchoTime":
                frame.MREchoSequence = [item(EffectiveEchoTime=value)]
            elif name == "DiffusionBValue":
                frame.MRDiffusionSequence = [item(DiffusionBValue=value)]
            else:
                setattr(frame.FrameContentSequence[0], name, value)
        frames.append(frame)
    return {"SharedFunctionalGroupsSequence": [shared], "PerFrameFunctionalGroupsSequence": frames}


def dicom_variants(folder):
    found = []

    def add(name, expected, path=None, options=(), place=None, spacing=None, tolerance=0.0, **how):
        at = os.path.join(folder, "d" + str(len(found)), "file.dcm") if path is None else path
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if path is None:
            dicom(at, **how)
        found.append(variant("DICOM", name, at, expected, options, tolerance, place, spacing))
        return at

    stack = values((3, 4, 5), "u2")
    for (title, axes), order in itertools.product(AXES.items(), itertools.permutations(range(3))):
        normal = np.cross(axes[:3], axes[3:])
        places = [np.array([10, -20, 5]) + 2.5 * k * normal for k in order]
        right = stack[np.argsort(order)]
        add(f"order {order} {title}", right, pixels=stack, kind=ENHANCED_MR, place=(np.array([10, -20, 5]), 2.5 * normal),
            spacing=(0.5, 0.7, 2.5), **groups(places, axes))
    steps = [(0, 0, k * 2.0) for k in range(3)]
    slopes = [(1.0, 0.0), (2.0, -5.0), (0.25, 100.0)]
    scaled = np.stack([stack[i] * s + o for i, (s, o) in enumerate(slopes)])
    for syntax, kind in itertools.product((LITTLE, BIG, IMPLICIT, DEFLATED, RLE), (ENHANCED_MR, ENHANCED_PET)):
        add(f"slopes {syntax} {kind}", scaled, pixels=stack, kind=kind, syntax=syntax, tolerance=0.02,
            **groups(steps, AXES["axial"], slopes=slopes))
    for dtype, order in itertools.product(("u1", "i1", "u2", "i2", "u4", "i4"), ((0, 1, 2), (2, 0, 1))):
        data = values((3, 4, 5), dtype)
        add(f"type {dtype} {order}", data[np.argsort(order)], pixels=data, kind=ENHANCED_MR,
            **groups([steps[k] for k in order], AXES["axial"]))
    # Sets of frames at the same places: which is chosen by --frame.
    for mark, level in (("TemporalPositionIndex", (1, 2)), ("EffectiveEchoTime", (4.6, 9.2)), ("StackID", ("1", "2")),
                        ("DiffusionBValue", (0.0, 1000.0))):
        data = values((6, 4, 5), "u2", 7)
        for number, inner in itertools.product(range(2), (True, False)):
            places = steps * 2 if inner else [p for p in steps for _ in range(2)]
            marks = [{mark: level[i // 3 if inner else i % 2]} for i in range(6)]
            right = data[3 * number:3 * number + 3] if inner else data[number::2]
            add(f"{mark} frame {number} {'inner' if inner else 'outer'}", right, pixels=data, kind=ENHANCED_MR,
                options=["--frame", str(number)], **groups(places, AXES["axial"], marks=marks))
    film = values((3, 4, 5), "u1")
    for number in range(3):
        add(f"film {number}", film[number], pixels=film, kind=SECONDARY, options=["--frame", str(number)],
            FrameIncrementPointer=0x00181063, FrameTime=40.0)
    # Other objects that say where their frames lie.
    for offsets, z in (([0.0, 3.0, 6.0], 0), ([0.0, -3.0, -6.0], -6), ([6.0, 0.0, 3.0], 0)):
        first = offsets[0]
        right = stack[np.argsort(offsets)] * 0.5
        add(f"dose {offsets}", right, pixels=stack, kind=DOSE, tolerance=0.01, place=([0, 0, z], [0, 0, 3]),
            ImagePositionPatient=[0, 0, first], ImageOrientationPatient=AXES["axial"], PixelSpacing=[1, 1],
            GridFrameOffsetVector=offsets, DoseGridScaling=0.5, FrameIncrementPointer=0x3004000C)
    for between, right in ((2.0, stack), (-2.0, stack[::-1])):
        detector = item(ImagePositionPatient=[0, 0, 8], ImageOrientationPatient=AXES["axial"])
        add(f"nuclear {between}", right, pixels=stack, kind=NUCLEAR, place=([0, 0, 8 if between > 0 else 4], [0, 0, 2]),
            PixelSpacing=[1, 1], SpacingBetweenSlices=between, SliceVector=[1, 2, 3], NumberOfSlices=3,
            DetectorInformationSequence=[detector], FrameIncrementPointer=0x00540080)
    # Series of files.
    for name, slope in (("PET", [1.5, 2.5, 0.5]), ("CT", [1, 1, 1])):
        at = os.path.join(folder, "series" + name)
        os.makedirs(at)
        for i in range(3):
            dicom(os.path.join(at, f"{2 - i}.dcm"), stack[i:i + 1], kind=PET if name == "PET" else CT, RescaleSlope=slope[i],
                  RescaleIntercept=-10 if name == "CT" else 0, ImagePositionPatient=[0, 0, 2 * i],
                  ImageOrientationPatient=AXES["axial"], PixelSpacing=[1, 1], InstanceNumber=i)
        right = np.stack([stack[i] * float(slope[i]) - (10 if name == "CT" else 0) for i in range(3)])
        add(f"series {name}", right, at, tolerance=0.01)
    for mark in ("EchoTime", "TemporalPositionIdentifier", "TriggerTime"):
        at = os.path.join(folder, "series" + mark)
        os.makedirs(at)
        data = values((2, 3, 4, 5), "u2", 11)
        for t, i in itertools.product(range(2), range(3)):
            dicom(os.path.join(at, f"{t}{i}.dcm"), data[t, i:i + 1], kind=MR, ImagePositionPatient=[0, 0, 2 * i],
                  ImageOrientationPatient=AXES["axial"], PixelSpacing=[1, 1], InstanceNumber=3 * t + i,
                  **{mark: t + 1})
        for t in range(2):
            add(f"series {mark} {t}", data[t], at, options=["--frame", str(t)])
    # Colours.
    colour = values((1, 4, 6, 3), "u1")
    add("RGB", grey(colour), pixels=colour)
    planes = np.ascontiguousarray(np.moveaxis(colour, 3, 1))
    at = add("RGB planes", grey(colour), pixels=colour)
    data = pydicom.dcmread(at)
    data.PlanarConfiguration, data.PixelData = 1, planes.tobytes()
    data.save_as(at)
    at = add("YBR_FULL", grey(pydicom.pixels.convert_color_space(colour, "YBR_FULL", "RGB")), pixels=colour, tolerance=1,
             PhotometricInterpretation="YBR_FULL")
    index = values((1, 4, 6), "u1")
    tables = {c: values(256, "u2", k) for k, c in enumerate(("Red", "Green", "Blue"))}
    lookup = {f"{c}PaletteColorLookupTableDescriptor": [256, 0, 16] for c in tables}
    lookup |= {f"{c}PaletteColorLookupTableData": t.astype("<u2").tobytes() for c, t in tables.items()}
    add("palette", grey(np.stack([t[index] for t in tables.values()], -1)), pixels=index,
        PhotometricInterpretation="PALETTE COLOR", **lookup)
    add("MONOCHROME1", index, pixels=index, PhotometricInterpretation="MONOCHROME1")
    picture = Image.fromarray(values((16, 16), "u1"))
    packed = os.path.join(folder, "packed.jp2")
    for name, syntax, how in (("jp2", JPEG2000, {"no_jp2": True, "irreversible": False}), ("jpg", JPEG, {"quality": 90})):
        picture.save(packed.replace("jp2", "j2k" if name == "jp2" else name), **how)
        frame = open(packed.replace("jp2", "j2k" if name == "jp2" else name), "rb").read()
        right = np.asarray(Image.open(packed.replace("jp2", "j2k" if name == "jp2" else name)))
        add(f"packed {name}", right, pixels=np.asarray(picture)[None], syntax=syntax, packed=[frame],
            tolerance=0 if name == "jp2" else 2)
    smooth = Image.fromarray(values((6, 8, 3), "u1", 3)).resize((32, 24), Image.BICUBIC)
    for subsampling, colours in itertools.product((0, 1, 2), ("YBR_FULL_422", "YBR_FULL", "RGB")):
        smooth.save(packed + ".jpg", quality=90, subsampling=subsampling)
        add(f"JPEG {subsampling} {colours}", grey(np.asarray(Image.open(packed + ".jpg"))), pixels=np.asarray(smooth)[None],
            syntax=JPEG, packed=[open(packed + ".jpg", "rb").read()], tolerance=2, PhotometricInterpretation=colours)
    luma = pydicom.pixels.convert_color_space(np.asarray(smooth), "RGB", "YBR_FULL")
    shared = np.repeat(luma[:, ::2], 2, axis=1)
    shared[..., 0] = luma[..., 0]
    at = add("YBR_FULL_422", grey(pydicom.pixels.convert_color_space(shared, "YBR_FULL", "RGB")), tolerance=2,
             pixels=np.asarray(smooth)[None], PhotometricInterpretation="YBR_FULL_422")
    data = pydicom.dcmread(at)
    data.PixelData = np.stack([luma[:, ::2, 0], luma[:, 1::2, 0], luma[:, ::2, 1], luma[:, ::2, 2]], -1).tobytes()
    data.save_as(at)
    return found


# --- HDF5 -------------------------------------------------------------------------------------


def tags(axes):
    flags = {"c": 1, "t": 8}
    return json.dumps({"axes": [{"key": a, "typeFlags": flags.get(a, 2), "resolution": 0, "description": ""} for a in axes]})


def mark_axes(dataset, axes, way):
    if way == "axistags":
        dataset.attrs["axistags"] = tags(axes)
    elif way == "labels":
        for i, axis in enumerate(axes):
            dataset.dims[i].label = axis
    elif way == "fixed labels":
        dataset.attrs["DIMENSION_LABELS"] = np.array([a.encode() for a in axes], "S4")
    else:
        for i, axis in enumerate(axes):
            scale = dataset.file.create_dataset(axis, data=np.arange(dataset.shape[i], dtype="f4"))
            scale.make_scale(axis)
            dataset.dims[i].attach_scale(scale)


def hdf5_variants(folder):
    found = []

    def add(name, data, expected, options=(), axes=None, way="axistags", attributes=None, libver=None, place="",
            dataset="volume", spacing=None, **how):
        path = os.path.join(folder, f"h{len(found)}.h5")
        with h5py.File(path, "w", libver=libver) as file:
            made = file.create_dataset(dataset, data=data, **how)
            if axes:
                mark_axes(made, axes, way)
            for key, value in (attributes or {}).items():
                made.attrs[key] = value
        found.append(variant("HDF5", name, path + place, expected, options, spacing=spacing))

    size = {"z": 3, "y": 4, "x": 5, "c": 2, "t": 2}
    ways = ("axistags", "labels", "fixed labels", "scales")
    for axes, way in itertools.product(itertools.permutations("zyx"), ways):
        data = values([size[a] for a in axes], "u2")
        add(f"{''.join(axes)} {way}", data, np.moveaxis(data, [axes.index(a) for a in "zyx"], [0, 1, 2]), axes=axes, way=way,
            chunks=(2, 2, 2) if way == "labels" else None)
    for axes, way in itertools.product(("yx", "xy"), ways):
        data = values([size[a] for a in axes], "f4")
        add(f"{axes} {way}", data, data if axes == "yx" else data.T, axes=axes, way=way)
    for extra, axes in itertools.product("ct", itertools.permutations("zyx")):
        for at in range(4):
            named = list(axes)
            named.insert(at, extra)
            data = values([size[a] for a in named], "u1", at)
            right = np.moveaxis(data, [named.index(a) for a in extra + "zyx"], [0, 1, 2, 3])
            add(f"{''.join(named)}", data, right[1], ["--channel" if extra == "c" else "--frame", "1"], axes=named)
    for named in ("tczyx", "tzcyx", "tzyxc", "cztxy", "xyzct", "zyxtc"):
        data = values([size[a] for a in named], "i2")
        right = np.moveaxis(data, [named.index(a) for a in "tczyx"], [0, 1, 2, 3, 4])
        for t, c in itertools.product(range(2), range(2)):
            add(f"{named} {t} {c}", data, right[t, c], ["--frame", str(t), "--channel", str(c)], axes=named, way="labels")
    for named in ("tzyxc", "yxc"):
        data = values([1 if a in "ct" else size[a] for a in named], "u2")
        add(f"{named} with axes of one", data, data.squeeze(), axes=named)
    for dtype in ("u1", "i1", "<u2", ">u2", "<i2", ">i4", "<u4", "<f2", "<f4", ">f4", ">f8"):
        add(f"type {dtype}", values((3, 4, 5), dtype), values((3, 4, 5), dtype))
    for name, how in (("gzip", {"compression": "gzip", "shuffle": True}), ("lzf", {"compression": "lzf"}),
                      ("lzf shuffle", {"compression": "lzf", "shuffle": True}), ("fletcher", {"fletcher32": True})):
        plain = np.repeat(values((6, 16), "u2"), 16, axis=0).reshape(6, 16, 16)
        add(name, plain, plain, chunks=(2, 16, 8), **how)
    for libver in ("earliest", "v108", "v110", "v112", "v114", "latest"):
        add(f"library {libver}", values((3, 4, 5), "u2"), values((3, 4, 5), "u2"), libver=libver, chunks=(1, 4, 5))
    mask = values((3, 4, 5), "u1") > 127
    add("bool", mask, mask)
    add("bool in chunks, turned", mask, np.moveaxis(mask, [2, 1, 0], [0, 1, 2]), axes="xyz", chunks=(2, 2, 2))
    labels = h5py.enum_dtype({"none": 0, "cell": 7, "wall": 9}, basetype="u2")
    add("enumeration", np.array([[0, 7], [9, 7]], "u2").astype(labels), np.array([[0, 7], [9, 7]]), dtype=labels)
    add("five axes without names", values((2, 2, 3, 4, 5), "u2"), values((2, 2, 3, 4, 5), "u2")[1, 0],
        ["--frame", "1", "--channel", "0"])
    add("element_size_um, turned", values((5, 4, 3), "u2"), values((5, 4, 3), "u2").T, axes="xyz", spacing=(1, 2, 3),
        attributes={"element_size_um": [3.0, 2.0, 1.0]})
    for shape, axes in (((4, 5), "yx"), ((4, 5, 3), "yxz")):
        path = os.path.join(folder, f"matlab{len(shape)}.mat")
        data = values(shape, "f8")
        with h5py.File(path, "w", userblock_size=512) as file:
            made = file.create_dataset("volume", data=data.T)  # MATLAB's first axis runs fastest
            made.attrs["MATLAB_class"] = np.bytes_("double")
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b" " * 8 + b"\x00\x02IM")
        found.append(variant("HDF5", f"MATLAB {axes}", path, data if len(shape) == 2 else np.moveaxis(data, 2, 0)))
    found += imaris_variants(folder)
    return found


def letters(text):
    return np.array([c.encode() for c in str(text)], "S1")


def imaris_variants(folder):
    path = os.path.join(folder, "image.ims")
    size, levels = (3, 5, 6), 2  # z, y, x; the datasets are padded to 4, 8, 8
    data = values((levels, 2, 2) + size, "u2")
    with h5py.File(path, "w") as file:
        file.attrs["ImarisVersion"] = letters("5.5.0")
        info = file.create_group("DataSetInfo/Image")
        for key, value in {"X": 6, "Y": 5, "Z": 3, "Unit": "um", "ExtMin0": "-3.5", "ExtMin1": "1", "ExtMin2": "0",
                           "ExtMax0": "-0.5", "ExtMax1": "2", "ExtMax2": "6"}.items():
            info.attrs[key] = letters(value)
        for r, t, c in itertools.product(range(levels), range(2), range(2)):
            group = file.create_group(f"DataSet/ResolutionLevel {r}/TimePoint {t}/Channel {c}")
            padded = np.zeros((4, 8, 8), "u2")
            padded[:3, :5, :6] = data[r, t, c]
            group.create_dataset("Data", data=padded, chunks=(2, 4, 4), compression="gzip")
            for axis, count in zip("ZYX", size):
                group.attrs[f"ImageSize{axis}"] = letters(count)
        file.create_dataset("Thumbnail/Data", data=values((16, 64), "u1"))
    found = []
    for r, t, c in itertools.product(range(levels), range(2), range(2)):
        place = path if r == 0 else f"{path}:/DataSet/ResolutionLevel {r}"
        found.append(variant("HDF5", f"Imaris {r} {t} {c}", place, data[r, t, c], ["--frame", str(t), "--channel", str(c)],
                             spacing=(0.5, 0.2, 2)))
        found.append(variant("HDF5", f"Imaris dataset {r} {t} {c}",
                             f"{path}:/DataSet/ResolutionLevel {r}/TimePoint {t}/Channel {c}/Data", data[r, t, c]))
    return found


# --- Pictures ---------------------------------------------------------------------------------


def picture_variants(folder):
    found = []

    def add(kind, extension, name, picture, expected, tolerance=0.0, **how):
        path = os.path.join(folder, f"p{len(found)}.{extension}")
        if isinstance(picture, bytes):
            with open(path, "wb") as file:
                file.write(picture)
        else:
            picture.save(path, **how)
        found.append(variant(kind, name, path, expected, (), tolerance))
        return path

    def shown(path):
        """As Pillow reads it, in grey."""
        picture = Image.open(path)
        picture = picture if picture.mode in ("L", "LA", "RGB", "RGBA") else picture.convert("RGBA")
        data = np.asarray(picture)
        return data if data.ndim == 2 else data[..., 0] if data.shape[2] == 2 else grey(data)

    def decoded(kind, extension, name, picture, tolerance=0.0, **how):
        path = add(kind, extension, name, picture, 0, tolerance, **how)
        found[-1].voxels = shown(path)

    sizes = [(1, 1), (2, 3), (5, 4), (7, 9), (13, 6), (33, 20), (64, 1)]
    for width, height in sizes:
        data = values((height, width), "u1", width)
        rgb, alpha = values((height, width, 3), "u1", width), values((height, width, 4), "u1", width)
        size = f"{width}x{height}"
        palette = Image.fromarray(data % 16, "P")
        palette.putpalette(values((16, 3), "u1", 5).tobytes())
        # BMP
        for mode, picture in (("L", Image.fromarray(data)), ("RGB", Image.fromarray(rgb)), ("1", Image.fromarray(data > 99)),
                              ("P", palette), ("RGBA", Image.fromarray(alpha))):
            decoded("BMP", "bmp", f"{mode} {size}", picture)
        for bits, mask, name in ((16, None, "555"), (16, (0xF800, 0x07E0, 0x1F), "565"), (32, (0xFF000000, 0xFF0000, 0xFF00), "swapped")):
            row = (width * bits + 31) // 32 * 4
            raw = values((height, row), "u1", 2).tobytes()
            offset = 54 + (12 if mask else 0)
            head = b"BM" + (offset + len(raw)).to_bytes(4, "little") + bytes(4) + offset.to_bytes(4, "little")
            for down in (False, True):
                tall = (-height if down else height).to_bytes(4, "little", signed=True)
                info = (40).to_bytes(4, "little") + width.to_bytes(4, "little") + tall + b"\1\0" + bits.to_bytes(2, "little")
                info += (3 if mask else 0).to_bytes(4, "little") + bytes(20)
                fields = b"".join(m.to_bytes(4, "little") for m in mask or ())
                decoded("BMP", "bmp", f"{name} {size} {'down' if down else 'up'}", head + info + fields + raw)
        # PNM and PFM
        add("PNM", "pgm", f"P5 {size}", Image.fromarray(data), data)
        add("PNM", "ppm", f"P6 {size}", Image.fromarray(rgb), grey(rgb))
        add("PNM", "pbm", f"P4 {size}", Image.fromarray(data > 99), data > 99)
        wide = values((height, width), "u2", width)
        add("PNM", "pgm", f"P5 16 bits {size}", Image.fromarray(wide), wide)
        header = f"{width} {height}\n".encode()
        text = lambda a: " ".join(map(str, a.ravel())).encode()  # noqa: E731
        add("PNM", "pgm", f"P2 {size}", b"P2\n# a comment\n" + header + b"65535\n" + text(wide), wide)
        add("PNM", "ppm", f"P3 {size}", b"P3 " + header + b"255\n" + text(rgb), grey(rgb))
        add("PNM", "pbm", f"P1 {size}", b"P1 " + header + text((data <= 99).astype(int)), data > 99)
        add("PNM", "pgm", f"P5 12 bits {size}", b"P5 " + header + b"4095\n" + (wide % 4096).astype(">u2").tobytes(), wide % 4096)
        add("PNM", "pam", f"P7 {size}", f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
            .encode() + values((height, width, 4), ">u2", 3).tobytes(), grey(values((height, width, 4), ">u2", 3)))
        real = values((height, width), "f4", width)
        add("PFM", "pfm", f"Pillow {size}", Image.fromarray(real), real)
        for order, scale in itertools.product("<>", (1, 0.5, 3)):
            head = b"Pf\n" + header + f"{-scale if order == '<' else scale}\n".encode()
            add("PFM", "pfm", f"{order} {scale} {size}", head + real[::-1].astype(order + "f4").tobytes(), real)
        # GIF
        for interlace, picture in itertools.product((0, 1), (Image.fromarray(data), palette, Image.fromarray(data > 99))):
            decoded("GIF", "gif", f"{picture.mode} {interlace} {size}", picture, interlace=interlace)
        decoded("GIF", "gif", f"three pictures {size}", Image.fromarray(data), save_all=True,
                append_images=[Image.fromarray(255 - data), Image.fromarray(data // 2)])
        decoded("GIF", "gif", f"transparent {size}", palette, transparency=3)
        # WebP: lossy pixels depend on the decoder's filters, which are the same library here.
        for mode, array in (("RGB", rgb), ("RGBA", alpha), ("L", data)):
            lossless = Image.fromarray(array)
            right = data if mode == "L" else grey(array)
            add("WebP", "webp", f"lossless {mode} {size}", lossless, right, lossless=True, exact=True)
        smooth = Image.fromarray(rgb).resize((48, 40), Image.BICUBIC)
        decoded("WebP", "webp", f"lossy {size}", smooth, 1, quality=80)
        decoded("WebP", "webp", f"lossy with opacity {size}", smooth.convert("RGBA"), 1, quality=50)
        add("WebP", "webp", f"two pictures {size}", Image.fromarray(rgb), grey(rgb), lossless=True, exact=True, save_all=True,
            append_images=[Image.fromarray(255 - rgb)])
        # JPEG 2000
        for name, array in (("L", data), ("RGB", rgb), ("RGBA", alpha), ("16 bits", wide), ("LA", alpha[..., :2])):
            right = array if array.ndim == 2 else array[..., 0] if array.shape[2] == 2 else grey(array)
            for bare in (False, True):
                if not (bare and name == "LA"):
                    add("JPEG 2000", "j2k" if bare else "jp2", f"{name} {size} {'bare' if bare else 'boxes'}",
                        Image.fromarray(array), right, irreversible=False, no_jp2=bare)
    for signed, name in ((True, "signed"), (False, "unsigned")):
        picture = Image.fromarray(values((20, 30), "u1"))
        decoded("JPEG 2000", "jp2", f"tiles {name}", picture, tile_size=(16, 16), num_resolutions=2)
    return found


def variants(folder):
    parts = (dicom_variants, hdf5_variants, picture_variants)
    return [variant for part in parts for variant in part(folder)]
