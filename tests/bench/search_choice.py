"""Whether the plan chooses the faster of a pruned search and one of all scores.

search_choice.py FLCC_CLI [SCENE TEMPLATE]...: templates cut from photographs and noise, and pairs of
files, each searched in all angles by --search exhaustive, pruned and auto. Prints what was chosen, the
times that the plan told and those of the runs, and how often the slower one was chosen. Needs numpy,
Pillow and scikit-image.
"""

import argparse
import json
import subprocess
import tempfile

import numpy
import skimage.data
from PIL import Image

CUTS = ((31, 24), (64, 64), (120, 150))
ANGLES = ((10, 0.8), (3, 0.7))


def pictures():
    rng = numpy.random.default_rng(1)
    yield "coins", skimage.data.coins()
    yield "camera", skimage.data.camera()
    yield "noise", numpy.clip(rng.normal(128, 30, (300, 400)), 0, 255).astype("u1")


def cases(folder, files):
    for name, scene in pictures():
        Image.fromarray(scene).save(f"{folder}/{name}.png")
        for width, height in CUTS:
            top, left = scene.shape[0] // 4, scene.shape[1] // 3
            templ = f"{folder}/{name}-{width}.png"
            Image.fromarray(scene[top:top + height, left:left + width]).save(templ)
            for step, least in ANGLES:
                yield f"{name} {width}x{height}", f"{folder}/{name}.png", templ, step, least
    for scene, templ in zip(files[::2], files[1::2]):
        yield templ, scene, templ, 5, 0.8


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--planning", default="measure")
    args = parser.parse_args()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, scene, templ, step, least in cases(folder, args.files):
            run, rows = {}, {}
            for search in ("exhaustive", "pruned", "auto"):
                report = f"{folder}/report.json"
                subprocess.run([args.cli, "match", scene, templ, "--rotations", str(step),
                                "--search", search, "--min-score", str(least), "--planning",
                                args.planning, "--report", report],
                               check=True, stdout=subprocess.DEVNULL)
                with open(report, encoding="utf-8") as file:
                    found = json.load(file)
                rows[search] = found["poses"]["searches"]
                run[search] = found["run"]["execute_ms"]["median"] + found["run"]["planning_ms"]
            told = ", ".join(f"{row['search']} {'over ' if row['at_least'] else ''}"
                             f"{row['predicted_ms']:.0f}" for row in rows["auto"])
            others = min(run["exhaustive"], run["pruned"])
            worse = run["auto"] > 1.5 * others
            wrong, count = wrong + worse, count + 1
            print(f"{name}, {step} degrees above {least}: told {told} ms; "
                  f"{rows['auto'][0]['search']} took {run['auto']:.0f}, --search pruned "
                  f"{run['pruned']:.0f}, all scores {run['exhaustive']:.0f} ms"
                  f"{' (slower)' if worse else ''}", flush=True)
    print(f"{wrong} of {count} took over 1.5 times as long as the faster of both")


if __name__ == "__main__":
    main()
