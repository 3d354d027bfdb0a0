"""Orientations a second of a 24^3 template under a spherical mask in 200^3.

peer_rotations_3d.py FLCC_CLI [--turns N] [--side N] [--step DEGREES]: flcc-cli beside the arithmetic
of template matching on GPUs in electron tomography (pytom-match-pick 0.7), written with float32
transforms of SciPy on two threads: the deviation under the round mask once, then for each
orientation turn, normalise, transform, multiply, transform back, divide, keep the best. Turning is
linear there and cubic in flcc-cli. Needs numpy and scipy.
"""

import argparse
import json
import os
import struct
import subprocess
import tempfile
import time

import numpy
import scipy.fft
from scipy import ndimage
from scipy.spatial.transform import Rotation

EDGE, RADIUS, PEER_ORIENTATIONS = 24, 11, 24


def write_mrc(path, volume):
    header = bytearray(1024)
    z, y, x = volume.shape
    struct.pack_into("<4i", header, 0, x, y, z, 2)
    struct.pack_into("<3i3f3f3i", header, 28, x, y, z, x, y, z, 90, 90, 90, 1, 2, 3)
    struct.pack_into("<3f", header, 76, volume.min(), volume.max(), volume.mean())
    header[208:216] = b"MAP \x44\x44\x00\x00"
    with open(path, "wb") as file:
        file.write(bytes(header) + volume.astype("<f4").tobytes())


def volumes(side):
    rng = numpy.random.default_rng(2)
    scene = ndimage.gaussian_filter(rng.normal(size=(side,) * 3).astype("f4"), 1.5)
    templ = ndimage.gaussian_filter(rng.normal(size=(EDGE,) * 3).astype("f4"), 2)
    scene, templ = scene / scene.std(), templ / templ.std()
    scene[30:30 + EDGE, 40:40 + EDGE, 50:50 + EDGE] += 2 * templ
    return scene, templ


class Peer:
    def __init__(self, scene, templ):
        self.shape = scene.shape
        z, y, x = numpy.mgrid[:EDGE, :EDGE, :EDGE] - (EDGE - 1) / 2
        self.mask = (x * x + y * y + z * z <= RADIUS * RADIUS).astype("f4")
        self.count = self.mask.sum()
        self.templ = templ
        self.spectrum = scipy.fft.rfftn(scene, workers=2)
        weights = numpy.conj(scipy.fft.rfftn(self.mask, self.shape, workers=2))
        mean = scipy.fft.irfftn(self.spectrum * weights, self.shape, workers=2) / self.count
        squares = scipy.fft.irfftn(scipy.fft.rfftn(scene * scene, workers=2) * weights, self.shape,
                                   workers=2) / self.count
        self.deviation = numpy.sqrt(numpy.maximum(squares - mean * mean, 1e-12)) * self.count

    def run(self, turns):
        best = numpy.full(self.shape, -1, "f4")
        index = numpy.zeros(self.shape, "i4")
        middle = (EDGE - 1) / 2
        for number, turn in enumerate(turns):
            matrix = turn.as_matrix()
            made = ndimage.affine_transform(self.templ, matrix, middle - matrix @ ([middle] * 3),
                                            order=1, mode="nearest")
            made = (made - (made * self.mask).sum() / self.count) * self.mask
            made /= numpy.sqrt((made * made).sum() / self.count)
            spectrum = scipy.fft.rfftn(made, self.shape, workers=2)
            scores = scipy.fft.irfftn(self.spectrum * numpy.conj(spectrum), self.shape, workers=2)
            scores /= self.deviation
            better = scores > best
            best[better] = scores[better]
            index[better] = number
        return best.max()


def by_flcc(program, folder, step):
    report = os.path.join(folder, "report.json")
    subprocess.run([program, "match", f"{folder}/scene.mrc", f"{folder}/templ.mrc", "--rotations",
                    str(step), "--refine", "off", "--mask", f"sphere:{RADIUS}", "--min-score", "0.5",
                    "--max-peaks", "1", "--threads", "2", "--report", report, "--quiet"], check=True)
    said = json.load(open(report))
    return (1000 * said["poses"]["members"] / said["run"]["execute_ms"]["median"],
            said["poses"]["members"], said["peaks"][0]["score"], said["poses"]["predicted_ms"],
            said["run"]["execute_ms"]["median"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--side", type=int, default=200)
    parser.add_argument("--step", type=float, default=30)
    arguments = parser.parse_args()
    scene, templ = volumes(arguments.side)
    peer = Peer(scene, templ)
    turns = Rotation.random(PEER_ORIENTATIONS, random_state=1)
    with tempfile.TemporaryDirectory() as folder:
        write_mrc(f"{folder}/scene.mrc", scene)
        write_mrc(f"{folder}/templ.mrc", templ)
        for _ in range(arguments.turns):
            ours, members, score, predicted, measured = by_flcc(arguments.program, folder,
                                                                arguments.step)
            begin = time.perf_counter()
            best = peer.run(turns)
            theirs = PEER_ORIENTATIONS / (time.perf_counter() - begin)
            print(f"flcc {ours:.1f} a second ({members} orientations, best {score:.3f}, predicted "
                  f"{predicted:.0f} ms, measured {measured:.0f}); SciPy {theirs:.1f} (best of "
                  f"{PEER_ORIENTATIONS} {best:.3f}); ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main()
