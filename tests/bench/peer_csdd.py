"""Times flcc-cli features beside the same algorithm written with SciPy, and beside scikit-image's blob detectors.

peer_csdd.py FLCC_CLI [growth|paper|scipy|skimage]...: needs scikit-image and SciPy; prints tables. Peer and program
alternate; each figure is the least of --repeat runs of flcc-cli (execute_ms of its report) or of the peer.
"""

import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
from scipy import ndimage
from skimage import data, feature, io

CLI = sys.argv[1]
FOLDER = Path(tempfile.mkdtemp())
REPEAT = 2


def texture(width, height):
    """Noise at four sizes, 8 bits."""
    random = numpy.random.default_rng(1)
    image = sum(ndimage.gaussian_filter(random.standard_normal((height, width)), s) * s for s in (1, 3, 8, 20))
    return numpy.round((image - image.min()) / (image.max() - image.min()) * 255).astype(numpy.uint8)


def ours(image, *options):
    """The report of a run."""
    file = FOLDER / "image.png"
    io.imsave(file, image, check_contrast=False)
    done = subprocess.run([CLI, "features", file, "--json", *options], capture_output=True, check=True)
    return json.loads(done.stdout)


def seconds(report):
    return report["run"]["execute_ms"] / 1000


def scipy_csdd(image, scales, levels, threads=2):
    """Response at each scale: gaussian_laplace of every indicator image."""
    low, high = float(image.min()), float(image.max())
    step = (high - low) / levels
    with ThreadPoolExecutor(threads) as pool:
        for sigma in scales:
            def one(k):
                inside = (image <= low + (k + 0.5) * step).astype(float)
                return numpy.abs(ndimage.gaussian_laplace(inside, sigma, mode="nearest"))
            total = numpy.zeros(image.shape)
            for part in pool.map(one, range(levels)):
                total += part
            total *= numpy.e * sigma**2 / 2 * step


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def growth():
    print("| image | levels | scales | seconds | ns a voxel, level and scale |\n|---|---:|---|---:|---:|")
    cases = [(256, 128, "2:20:6"), (512, 128, "2:20:6"), (1024, 128, "2:20:6"), (512, 32, "2:20:6"),
             (512, 64, "2:20:6"), (512, 256, "2:20:6"), (512, 128, "2:20:3"), (512, 128, "2:20:12"),
             (512, 128, "2:4:6"), (512, 128, "40:80:6"), (1024, 128, "2:102.4:12")]
    for side, levels, scales in cases:
        image = texture(side, side)
        best = min((ours(image, "--scales", scales, "--levels", str(levels)) for _ in range(REPEAT)), key=seconds)
        work = side * side * int(scales.split(":")[2]) * best["problem"]["channel_ranges"][0]["distinct_levels"]
        print(f"| {side}x{side} | {levels} | {scales} | {seconds(best):.2f} | {seconds(best) * 1e9 / work:.1f} |",
              flush=True)


def paper():
    print("| image, 128 levels, 8 scales | seconds |\n|---|---:|")
    for width, height in [(320, 256), (512, 384), (512, 512), (640, 512), (768, 512), (768, 768), (1024, 768)]:
        image = texture(width, height)
        print(f"| {width}x{height} | {min(seconds(ours(image, '--scales', '2:32:8')) for _ in range(REPEAT)):.2f} |",
              flush=True)


def scipy():
    print("| image, 32 levels | sigma | SciPy, 2 threads, s | flcc-cli, 2 threads, s | ratio |\n|---|---|---:|---:|---:|")
    image = texture(512, 512)
    for first, last in [(2, 4), (4, 16), (16, 40)]:
        scales = numpy.geomspace(first, last, 3)
        peer, own = [], []
        for _ in range(REPEAT):
            own.append(seconds(ours(image, "--scales", f"{first}:{last}:3", "--levels", "32", "--threads", "2")))
            peer.append(timed(lambda: scipy_csdd(image, scales, 32)))
        print(f"| 512x512 | {first}..{last}, 3 | {min(peer):.2f} | {min(own):.2f} | {min(peer) / min(own):.1f} |",
              flush=True)


def common(blobs, ours_list):
    """The peer's blobs with one of ours within one radius of the larger one and half to twice the size."""
    found = 0
    for y, x, sigma in blobs:
        found += any((b["centre"][0] - x) ** 2 + (b["centre"][1] - y) ** 2 <= 2 * max(b["sigma"], sigma) ** 2
                     and 0.5 <= b["sigma"] / sigma <= 2 for b in ours_list)
    return found


def skimage():
    colour = data.hubble_deep_field()[0:500, 0:500]
    grey = numpy.round(colour @ [0.2125, 0.7154, 0.0721]).astype(numpy.uint8)
    unit = grey / 255
    # The example of scikit-image; its smallest sigma is 1, threshold .1.
    log = lambda: feature.blob_log(unit, max_sigma=30, num_sigma=10, threshold=0.1)
    dog = lambda: feature.blob_dog(unit, max_sigma=30, threshold=0.1)
    mine = lambda: ours(grey, "--scales", "1:30:12", "--min-strength", "25.5")
    own, peers = [], {"blob_log": [], "blob_dog": []}
    for _ in range(REPEAT):
        own.append(mine())
        peers["blob_log"].append(timed(log))
        peers["blob_dog"].append(timed(dog))
    best = min(own, key=seconds)
    print("| hubble_deep_field, 500x500 grey | seconds | blobs | of these found by flcc |\n|---|---:|---:|---:|")
    print(f"| flcc-cli features | {seconds(best):.2f} | {best['listed']} | |")
    for name, call in (("blob_log", log), ("blob_dog", dog)):
        blobs = [b for b in call() if b[2] > 1]
        print(f"| {name} | {min(peers[name]):.2f} | {len(blobs)} | {common(blobs, best['blobs'])} |", flush=True)


for wanted in sys.argv[2:] or ["growth", "paper", "scipy", "skimage"]:
    {"growth": growth, "paper": paper, "scipy": scipy, "skimage": skimage}[wanted]()
