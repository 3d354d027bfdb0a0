"""Three objects of 762x521 in 4024x3036, all angles: the searches of flcc-cli beside each other.

pruned_rotations.py FLCC_CLI [--turns N] [--step DEGREES] [--min-score S]: prints the milliseconds of
each search without preparing the template, of preparing it, of finding peaks and refining them, and
how far the refined places and angles lie from the truth and from those of the exhaustive search.
Needs numpy, scipy and Pillow.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

import numpy
from PIL import Image
from scipy import ndimage

SCENE, TEMPL = (4024, 3036), (762, 521)
TRUTH = [(700.3, 800.7, 37.23), (2600.6, 900.2, 143.61), (1900.25, 2300.4, -81.87)]


def noise(rng, extents, sigma):
    image = ndimage.gaussian_filter(rng.normal(size=extents[::-1]).astype("f4"), sigma)
    return image / image.std()


def template(rng):
    image = 25 * noise(rng, TEMPL, 5) + 12 * noise(rng, TEMPL, 1.2)
    y, x = numpy.mgrid[0:TEMPL[1], 0:TEMPL[0]]
    for left, top, radius, value in ((200, 150, 90, 60), (520, 330, 120, -50), (380, 250, 60, 70)):
        image[(x - left) ** 2 + (y - top) ** 2 < radius ** 2] += value
    image[240:290, 60:700] += 40
    return ndimage.gaussian_filter(image, 0.8)


def plant(scene, templ, x, y, degrees):
    """Counter-clockwise on a screen, the centre of the template at (x, y)."""
    angle = numpy.deg2rad(degrees)
    reach = int(numpy.hypot(*TEMPL) / 2) + 3
    left, top = int(x) - reach, int(y) - reach
    rows, columns = numpy.mgrid[0:2 * reach + 1, 0:2 * reach + 1]
    dx, dy = columns + left - x, rows + top - y
    u = numpy.cos(angle) * dx - numpy.sin(angle) * dy + (TEMPL[0] - 1) / 2
    v = numpy.sin(angle) * dx + numpy.cos(angle) * dy + (TEMPL[1] - 1) / 2
    inside = (u >= 0) & (u <= TEMPL[0] - 1) & (v >= 0) & (v <= TEMPL[1] - 1)
    values = ndimage.map_coordinates(templ, [v, u], order=3, mode="nearest")
    part = scene[top:top + 2 * reach + 1, left:left + 2 * reach + 1]
    part[inside] = 0.9 * values[inside] + 120 + 0.25 * (part[inside] - 110)


def write(folder):
    rng = numpy.random.default_rng(5)
    scene = 110 + 18 * noise(rng, SCENE, 6) + 10 * noise(rng, SCENE, 1.5)
    templ = template(rng)
    for place in TRUTH:
        plant(scene, templ, *place)
    for name, image in (("scene", scene), ("templ", templ + 110)):
        Image.fromarray(numpy.clip(image, 0, 255).round().astype("u1")).save(f"{folder}/{name}.png")


def run(program, folder, search, arguments):
    report = os.path.join(folder, "report.json")
    subprocess.run([program, "match", f"{folder}/scene.png", f"{folder}/templ.png", "--rotations",
                    str(arguments.step), "--search", search, "--min-score",
                    str(arguments.min_score), "--max-peaks", "3", "--repeat",
                    "1" if search == "exhaustive" else str(arguments.turns), "--report", report,
                    "--quiet"], check=True)
    said = json.load(open(report))
    peaks = [(*peak["centre"][:2], peak["pose"]["euler"][2]) for peak in said["peaks"]]
    if search == "exhaustive":
        alone, prepare = said["run"]["execute_ms"]["median"], 0
    else:
        alone, prepare = said["run"]["stream_ms"]["median"], said["poses"]["pruned"]["prepare_ms"]
    return alone, prepare, said["run"]["peaks_ms"], peaks


def distance(peaks, others):
    """The largest distance in pixels and degrees; infinite where something was missed."""
    far = [0, 0]
    for x, y, degrees in others:
        apart = [(numpy.hypot(px - x, py - y), abs((angle - degrees + 180) % 360 - 180))
                 for px, py, angle in peaks] or [(numpy.inf, numpy.inf)]
        far = [max(have, new) for have, new in zip(far, min(apart))]
    return f"{far[0]:.3f} px {far[1]:.4f} degrees"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--step", type=float, default=0.5)
    parser.add_argument("--min-score", type=float, default=0.6)
    parser.add_argument("--searches", default="exhaustive,pruned,heuristic")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        whole = None
        for search in arguments.searches.split(","):
            alone, prepare, peaks_ms, peaks = run(arguments.program, folder, search, arguments)
            whole = peaks if search == "exhaustive" else whole
            print(f"{search}: {alone:.0f} ms, preparing {prepare:.0f} ms, peaks {peaks_ms:.0f} ms; "
                  f"from the truth {distance(peaks, TRUTH)}"
                  + (f", from exhaustive {distance(peaks, whole)}" if whole else ""))


if __name__ == "__main__":
    main()
