"""Searches in photographs beside the same in noise, borders beside `--extent valid`, masks beside none.

photographs.py FLCC_CLI [--turns N]: prints rows for RESULTS.md (the form: results.h). A ratio is the
processor time of the peer's run, its files included, over ours, of runs that alternate. The photograph
is scikit-image's camera: mirrored to 2000x2000 as bytes, and enlarged, with a gain and a little noise,
as arbitrary floats. Needs numpy, scipy and Pillow.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile

import numpy
from PIL import Image
from scipy import ndimage

PICTURE = "/usr/lib/python3/dist-packages/skimage/data/camera.png"


def write(path, image):
    kind = {"uint8": "MET_UCHAR", "float32": "MET_FLOAT"}[str(image.dtype)]
    head = {"ObjectType": "Image", "NDims": image.ndim, "BinaryData": True, "BinaryDataByteOrderMSB": False,
            "DimSize": " ".join(map(str, image.shape[::-1])), "ElementType": kind, "ElementDataFile": "LOCAL"}
    with open(path, "wb") as file:
        file.write("".join(f"{key} = {value}\n" for key, value in head.items()).encode())
        file.write(numpy.ascontiguousarray(image).tobytes())


def pictures(folder):
    rng = numpy.random.default_rng(5)
    camera = numpy.array(Image.open(PICTURE).convert("L"))
    mirrored = numpy.block([[camera, camera[:, ::-1]], [camera[::-1], camera[::-1, ::-1]]])
    enlarged = ndimage.zoom(camera.astype(float), 2000 / 512, order=3)
    scenes = {"noise": ndimage.gaussian_filter(rng.normal(size=(2000, 2000)), 1),
              "camera": numpy.tile(mirrored, (2, 2))[:2000, :2000],
              "enlarged camera": enlarged * 1.2345678 + rng.normal(size=enlarged.shape) * 0.5,
              "noise in space": ndimage.gaussian_filter(rng.normal(size=(200, 200, 200)), 1)}
    for name, scene in scenes.items():
        scene = scene if scene.dtype == numpy.uint8 else scene.astype("f4")
        part = scene[60:84, 90:114, 70:94] if scene.ndim == 3 else scene[440:504, 900:964]
        write(f"{folder}/{name}.mha", scene)
        write(f"{folder}/{name} template.mha", part)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--turns", type=int, default=3)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pictures(folder)

        def seconds(name, *more):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([options.program, "match", f"{folder}/{name}.mha", f"{folder}/{name} template.mha",
                            "--quiet", "--planning", "estimate", "--threads", "2", *more],
                           check=True, stdout=subprocess.DEVNULL)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

        def row(line, what, peer, ours, theirs):
            name = ours[0]
            ratios = []
            for _ in range(options.turns):
                own = seconds(*ours)
                ratios.append(seconds(*theirs) / own)
            space = name == "noise in space"
            print(json.dumps({"what": what, "type": "uint8" if name == "camera" else "float32",
                              "scene": "200x200x200" if space else "2000x2000",
                              "content": "noise" if space else name,
                              "template": "24x24x24" if space else "64x64", "peer": peer,
                              "ratio": round(sorted(ratios)[len(ratios) // 2], 2), "least": round(min(ratios), 2),
                              "most": round(max(ratios), 2), "line": line}), flush=True)

        turns = ["--rotations", "10", "--refine", "off"]
        for name in ("camera", "enlarged camera"):
            for more in ([], ["--extent", "same"], ["--mask", "sphere:31"]):
                row("photograph", "36 angles in a photograph, also with `--extent same` or a round mask",
                    "the same in noise", [name, *turns, *more], ["noise", *turns, *more])
        for name in ("noise", "camera", "enlarged camera", "noise in space"):
            radius = 12 if name == "noise in space" else 32
            for mask in ("none", f"sphere:{radius}", f"sphere:{radius - 4},4"):
                row("same", "`--extent same`, also under a sphere, hard or soft", "`--extent valid`",
                    [name, "--mask", mask, "--extent", "same"], [name, "--mask", mask])
        for mask in ("sphere:32", "sphere:28,4"):
            for name in ("camera", "enlarged camera"):
                row("mask", "lcc under a sphere as mask, hard or soft", "the same without a mask",
                    [name, "--mask", mask], [name])


if __name__ == "__main__":
    main()
