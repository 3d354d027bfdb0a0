"""One template in 36 angles on one image: flcc-cli beside OpenCV, corrmatch and Intel IPP.

peer_rotations.py FLCC_CLI [--turns N]: prints the milliseconds of each turn, all contestants in
turns, and where each finds the planted template. The turning is included. Needs numpy and
opencv-python-headless; corrmatch and ipp where they are installed (PyPI).

flcc-cli states execute_ms: members made, prepared, matched and merged, from memory to memory. With a
round mask the same pixels count in every angle; without one, OpenCV and IPP score the black corners
of turned templates, and corrmatch leaves them out as flcc-cli does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import cv2
import numpy

try:
    import corrmatch
except ImportError:
    corrmatch = None

SIDE, EDGE, STEP = 2000, 64, 10
PLACE, ANGLE = (1210, 640), 70


def turned(templ, degrees):
    """Counter-clockwise about the centre, as OpenCV does it."""
    centre = ((templ.shape[1] - 1) / 2, (templ.shape[0] - 1) / 2)
    return cv2.warpAffine(templ, cv2.getRotationMatrix2D(centre, degrees, 1), templ.shape[::-1],
                          flags=cv2.INTER_CUBIC)


def pictures():
    rng = numpy.random.default_rng(3)
    scene = cv2.GaussianBlur(rng.normal(size=(SIDE, SIDE)), (0, 0), 2)
    templ = cv2.GaussianBlur(rng.normal(size=(EDGE, EDGE)), (0, 0), 3)
    scene, templ = scene / scene.std(), templ / templ.std()
    x, y = PLACE
    disc = turned(numpy.ones((EDGE, EDGE)), 45) * turned(numpy.ones((EDGE, EDGE)), 0)
    inside = disc > 0.99
    part = scene[y:y + EDGE, x:x + EDGE]
    part[inside] = 2 * turned(templ, ANGLE)[inside] + 0.3 * part[inside]
    return [numpy.clip(127 + 25 * image, 0, 255).astype(numpy.uint8) for image in (scene, templ)]


def by_opencv(scene, templ, mask=None):
    best = (-2, None, None)
    for degrees in range(0, 360, STEP):
        own = turned(templ, degrees)
        scores = (cv2.matchTemplate(scene, own, cv2.TM_CCOEFF_NORMED) if mask is None else
                  cv2.matchTemplate(scene, own, cv2.TM_CCOEFF_NORMED, mask=mask))
        _, high, _, place = cv2.minMaxLoc(scores)
        best = max(best, (high, place, degrees))
    return best


def by_flcc(program, folder, mask):
    report = os.path.join(folder, "report.json")
    subprocess.run([program, "match", f"{folder}/scene.png", f"{folder}/templ.png", "--rotations",
                    str(STEP), "--refine", "off", "--min-score", "0.5", "--max-peaks", "1",
                    "--report", report, "--quiet"] + (["--mask", mask] if mask else []), check=True)
    said = json.load(open(report))
    peak = said["peaks"][0]
    return said["run"]["execute_ms"]["median"], (round(peak["score"], 4), peak["corner"][:2],
                                                 peak["pose"]["euler"][2] % 360)


def ipp_worker(folder):
    scene = cv2.imread(f"{folder}/scene.png", cv2.IMREAD_GRAYSCALE)
    templ = cv2.imread(f"{folder}/templ.png", cv2.IMREAD_GRAYSCALE)
    scene.tofile(f"{folder}/scene")
    templ.tofile(f"{folder}/template")
    worker = subprocess.Popen(
        [sys.executable, os.path.join(os.path.dirname(__file__), "ipp_worker.py"), folder, "uint8",
         str(SIDE), str(SIDE), "1", str(EDGE), str(EDGE), "1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said = worker.stdout.readline()
    return worker if said.startswith("ready") else print("ipp:", said.strip())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--turns", type=int, default=3)
    options = arguments.parse_args()
    scene, templ = pictures()
    y, x = numpy.mgrid[:EDGE, :EDGE] - (EDGE - 1) / 2
    disc = (numpy.hypot(x, y) <= 31).astype(numpy.uint8)
    with tempfile.TemporaryDirectory() as folder:
        cv2.imwrite(f"{folder}/scene.png", scene)
        cv2.imwrite(f"{folder}/templ.png", templ)
        worker = ipp_worker(folder)
        runs = {"flcc": lambda: by_flcc(options.program, folder, None),
                "flcc, round mask": lambda: by_flcc(options.program, folder, "sphere:31"),
                "OpenCV": lambda: timed(lambda: by_opencv(scene, templ)),
                "OpenCV, round mask": lambda: timed(lambda: by_opencv(scene, templ, disc))}
        if worker:
            def by_ipp():
                turning, _ = timed(lambda: [turned(templ, a) for a in range(0, 360, STEP)])
                calls = []
                for _ in range(0, 360, STEP):
                    worker.stdin.write("2\n")
                    worker.stdin.flush()
                    calls.append(float(worker.stdout.readline().split()[0]))
                return turning + sum(calls), "not looked at"
            runs["IPP"] = by_ipp
        if corrmatch:
            def search():
                matching = corrmatch.MatchConfig(rotation="enabled", parallel=True)
                made = corrmatch.CompileConfig(coarse_step_deg=STEP, min_step_deg=STEP)
                return corrmatch.Template(templ).compile(made).matcher(matching).match_image(scene)
            # A pyramid; with one level, which looks at all placements, it takes minutes.
            runs["corrmatch"] = lambda: timed(search)
        for _ in range(options.turns):
            for name, run in runs.items():
                try:
                    milliseconds, answer = run()
                    print(f"{name}: {milliseconds:.1f} ms {answer}", flush=True)
                except Exception as error:  # a contestant may refuse
                    print(f"{name}: {error}", flush=True)


def timed(run):
    begin = time.perf_counter()
    answer = run()
    return 1000 * (time.perf_counter() - begin), answer


if __name__ == "__main__":
    main()
