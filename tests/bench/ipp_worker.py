"""Intel IPP's ippiCrossCorrNorm as a contestant of flcc-bench.

ipp_worker.py FOLDER TYPE X Y Z X Y Z: reads FOLDER/scene and FOLDER/template, raw float32 or uint8 of
those extents, and says "ready" and the version of the package, or why not. Each line that comes in asks for one call with so many
threads, a band of the map each, by the fastest of IPP's three ways (automatic, direct, FFT) for this
problem, and is answered with its milliseconds; the first map is left in FOLDER/map. Needs numpy and
the package ipp of PyPI.
"""

import ctypes
import glob
import importlib.metadata
import os
import sys
import threading
import time

import numpy

VALID, COEFFICIENT = 0x10000, 0x200  # ippiROIValid, ippiNormCoefficient
WAYS = {"auto": 0, "direct": 1, "fft": 2}


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


def library(name):
    """The library of the package, which installs into the lib folder of the environment."""
    for path in glob.glob(os.path.join(sys.prefix, "lib", f"lib{name}.so*")):
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    sys.exit(f"lib{name} is not in {sys.prefix}/lib: install the package ipp of PyPI")


folder, kind = sys.argv[1:3]
names = f"{folder}/ipp"
if not os.path.isdir(names):
    # IPP looks for its code of each processor by names with a minor version, which the package lacks.
    os.mkdir(names)
    for path in glob.glob(os.path.join(sys.prefix, "lib", "libipp*.so.*")):
        for minor in range(10):
            os.symlink(path, f"{names}/{os.path.basename(path)}.{minor}")
    os.environ["LD_LIBRARY_PATH"] = names
    os.execv(sys.executable, [sys.executable, *sys.argv])
extents = [int(text) for text in sys.argv[3:]]
if extents[2] != 1 or extents[5] != 1:
    sys.exit("ippiCrossCorrNorm takes pictures only")
for name in ("ippcore", "ippvm", "ipps"):
    library(name)
ippi = library("ippi")
dtype = {"float32": numpy.float32, "uint8": numpy.uint8}[kind]
call = getattr(ippi, "ippiCrossCorrNorm_" + {"float32": "32f", "uint8": "8u32f"}[kind] + "_C1R")
scene = numpy.fromfile(f"{folder}/scene", dtype).reshape(extents[1], extents[0])
template = numpy.fromfile(f"{folder}/template", dtype).reshape(extents[4], extents[3])
found = numpy.zeros((extents[1] - extents[4] + 1, extents[0] - extents[3] + 1), numpy.float32)
pointer = lambda array: ctypes.c_void_p(array.ctypes.data)


class Band:
    """The rows from `first` up to `last` of the map, with a buffer of its own."""

    def __init__(self, first, last, way):
        self.way = VALID | COEFFICIENT | WAYS[way]
        self.scene = scene[first:last + template.shape[0] - 1]
        self.map = found[first:last]
        self.sizes = Size(scene.shape[1], len(self.scene)), Size(template.shape[1], template.shape[0])
        size = ctypes.c_int()
        self.status = ippi.ippiCrossCorrNormGetBufferSize(*self.sizes, self.way, ctypes.byref(size))
        self.buffer = numpy.empty(max(1, size.value), numpy.uint8)

    def run(self):
        self.status = self.status or call(
            pointer(self.scene), scene.strides[0], self.sizes[0], pointer(template), template.strides[0],
            self.sizes[1], pointer(self.map), found.strides[0], self.way, pointer(self.buffer))


def bands(way, threads):
    """The map in one band a thread; None where IPP refuses."""
    edges = [len(found) * i // threads for i in range(threads + 1)]
    made = [Band(a, b, way) for a, b in zip(edges, edges[1:]) if b > a]
    return None if any(band.status for band in made) else made


def timed(made):
    """Milliseconds of one call; ctypes lets the threads run beside each other."""
    begin = time.perf_counter()
    others = [threading.Thread(target=band.run) for band in made[1:]]
    for other in others:
        other.start()
    made[0].run()
    for other in others:
        other.join()
    return 1000 * (time.perf_counter() - begin)


print("ready", importlib.metadata.version("ipp"), flush=True)
ways = {}  # by threads: the bands of the fastest way
for line in sys.stdin:
    threads = int(line)
    if threads not in ways:
        best = []
        for way in WAYS:
            made = bands(way, threads)
            if made:
                timed(made)
                best.append((min(timed(made) for _ in range(2)), made))
        if not best or any(band.status for band in best[0][1]):
            sys.exit("ippiCrossCorrNorm refuses the problem")
        ways[threads] = min(best, key=lambda one: one[0])[1]
        timed(ways[threads])
        found.tofile(f"{folder}/map")
    print(timed(ways[threads]), flush=True)
