"""Times flcc-cli's convolutions, filters, SSD and SAD beside programs that only PyPI has: OpenCV 5, SciPy, DIPlib, ITK.

peer_filters.py FLCC_CLI --peers pypi [--venv DIR] [--row PART]... [--turns N] [--calls N] [--threads N] [--json FILE]
                [--record FILE.json]

--peers pypi makes a virtual environment in DIR (build/peers beside this project by default) with the newest
opencv-python-headless, scipy, diplib and itk-filtering, and runs itself there; --peers here takes the packages of this
Python. It is no test: it needs the network once, and some minutes. --row takes the rows whose name holds PART.

In every turn flcc-cli makes N runs and then each peer makes N calls after one that warms up, into an image that exists
where the peer can write to one. A time is the least of a turn, as other programs may run: flcc-cli's is execute_ms of its
report. The ratio is ours over the best peer of the same turn; the table has the median of the turns, the least and the
largest. The last column compares both results where both are computed with the same border: largest difference over the
largest value.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from record import filter_row, record

HERE = Path(__file__).resolve().parent
PACKAGES = ["opencv-python-headless>=5", "scipy", "diplib", "itk-filtering"]
SIDE = 2000


def parse():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("cli", type=Path)
    parser.add_argument("--peers", choices=["pypi", "here"], required=True)
    parser.add_argument("--venv", type=Path, default=HERE.parents[1] / "build" / "peers")
    parser.add_argument("--row", action="append", default=[])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--record", type=Path, help="figures for RESULTS.md")
    return parser.parse_args()


def run_in_venv(arguments):
    """Makes the virtual environment if there is none and replaces this process by itself in it."""
    python = arguments.venv / "bin" / "python"
    if not python.exists():
        print(f"making {arguments.venv}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", arguments.venv], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], check=True)
    environment = dict(os.environ)
    # A processor that is named to OpenBLAS by hand may not be the one that SciPy's own copy knows.
    environment.pop("OPENBLAS_CORETYPE", None)
    environment.update(OMP_NUM_THREADS=str(arguments.threads), OPENBLAS_NUM_THREADS=str(arguments.threads))
    words = [word if word != "pypi" else "here" for word in sys.argv[1:]]
    os.execve(python, [python, __file__, *words], environment)


ARGUMENTS = parse()
if ARGUMENTS.peers == "pypi":
    run_in_venv(ARGUMENTS)

import cv2  # noqa: E402
import diplib as dip  # noqa: E402
import itk  # noqa: E402
import numpy  # noqa: E402
import scipy  # noqa: E402
import scipy.fft  # noqa: E402
import scipy.signal  # noqa: E402

THREADS = ARGUMENTS.threads
FOLDER = tempfile.TemporaryDirectory()
cv2.setNumThreads(THREADS)
dip.SetNumberOfThreads(THREADS)
itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(THREADS)
RANDOM = numpy.random.default_rng(1)
MHA_TYPES = {"float32": "MET_FLOAT", "uint8": "MET_UCHAR", "float64": "MET_DOUBLE", "int64": "MET_LONG_LONG",
             "uint64": "MET_ULONG_LONG", "int32": "MET_INT", "uint32": "MET_UINT"}


def path(name):
    return str(Path(FOLDER.name) / name)


def write_mha(name, pixels):
    extents = " ".join(str(length) for length in reversed(pixels.shape))
    with open(path(name), "wb") as file:
        file.write(f"ObjectType = Image\nNDims = {pixels.ndim}\nBinaryData = True\nDimSize = {extents}\n"
                   f"ElementType = {MHA_TYPES[str(pixels.dtype)]}\nElementDataFile = LOCAL\n".encode())
        file.write(pixels.tobytes())
    return path(name)


def read_mha(name):
    """An image that flcc-cli wrote."""
    data = Path(path(name)).read_bytes()
    head, rest = data.split(b"ElementDataFile = LOCAL\n", 1)
    fields = dict(line.split(" = ", 1) for line in head.decode().splitlines() if " = " in line)
    shape = [int(length) for length in reversed(fields["DimSize"].split())]
    types = {name: kind for kind, name in MHA_TYPES.items()}
    return numpy.frombuffer(rest, types[fields["ElementType"]]).reshape(shape)


def noise(shape):
    return RANDOM.normal(100, 20, shape).astype(numpy.float32)


SCENE = noise((SIDE, SIDE))
VOLUME = noise((128, 128, 128))
BYTES = numpy.clip(noise((SIDE, SIDE)), 0, 255).astype(numpy.uint8)
FILES = {"scene": write_mha("scene.mha", SCENE), "volume": write_mha("volume.mha", VOLUME),
         "bytes": write_mha("bytes.mha", BYTES)}
RESULT = numpy.empty_like(SCENE)
REPLICATE = cv2.BORDER_REPLICATE


class Row:
    """One line of the table: how we are called, the peers, the goal, and where results can be compared."""

    def __init__(self, name, command, peers, goal, compared=None):
        self.name, self.command, self.peers, self.goal, self.compared = name, command, peers, goal, compared


def convolve(scene, kernel):
    return ["convolve", FILES[scene], kernel, "--border", "replicate", "--output", path("own.mha")]


def match(operation, template):
    return ["match", FILES["bytes"], template, "--operation", operation, "--max-peaks", "1", "--map", path("own.mha")]


def fft(scene, kernel):
    """SciPy's transform of the whole scene; it knows no border but zeros."""
    def call():
        with scipy.fft.set_workers(THREADS):
            return scipy.signal.oaconvolve(scene, kernel, mode="same")
    return call


def whole_fft(scene, kernel):
    def call():
        with scipy.fft.set_workers(THREADS):
            return scipy.signal.fftconvolve(scene, kernel, mode="same")
    return call


def itk_log(sigma):
    image = itk.image_view_from_array(SCENE)
    filter_ = itk.LaplacianRecursiveGaussianImageFilter.New(Input=image, Sigma=sigma)

    def call():
        filter_.Modified()
        filter_.Update()
        return itk.array_view_from_image(filter_.GetOutput())
    return call


def plain_sad(template):
    """The definition in C, compiled with -O3, rows shared by the threads."""
    library = path("plain_sad.so")
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", library, HERE / "plain_sad.c"], check=True)
    function = ctypes.CDLL(library).plain_sad
    side = template.shape[0]
    rows = SIDE - side + 1
    sums = numpy.empty((rows, rows), numpy.int32)
    parts = [(rows * i // THREADS, rows * (i + 1) // THREADS) for i in range(THREADS)]
    pool = ThreadPoolExecutor(THREADS)

    def part(limits):
        function(ctypes.c_void_p(BYTES.ctypes.data), ctypes.c_long(SIDE), ctypes.c_void_p(template.ctypes.data),
                 ctypes.c_long(side), ctypes.c_void_p(sums.ctypes.data), ctypes.c_long(limits[0]),
                 ctypes.c_long(limits[1]))

    def call():
        list(pool.map(part, parts))
        return sums
    return call


def rows():
    for size, goal in [(3, 1.2), (7, 1.2), (15, 0.25), (31, 0.25), (63, 0.25)]:
        weights = noise((size, size))
        flipped = numpy.ascontiguousarray(weights[::-1, ::-1])  # filter2D correlates
        peers = {"OpenCV": lambda k=flipped: cv2.filter2D(SCENE, cv2.CV_32F, k, dst=RESULT, borderType=REPLICATE)}
        if size >= 15:
            peers["SciPy oaconvolve"] = fft(SCENE, weights)
            peers["SciPy fftconvolve"] = whole_fft(SCENE, weights)
        yield Row(f"convolution {size}", convolve("scene", write_mha(f"kernel{size}.mha", weights)), peers, goal, "OpenCV")
    for size in (5, 15):
        weights = noise((size, size, size))
        peers = {"SciPy oaconvolve": fft(VOLUME, weights), "SciPy fftconvolve": whole_fft(VOLUME, weights)}
        yield Row(f"convolution {size}^3 in 128^3", convolve("volume", write_mha(f"cube{size}.mha", weights)), peers, 0.17)
    for size in (15, 31):
        line = noise((size,))
        weights = numpy.outer(line, line).astype(numpy.float32)
        flipped = numpy.ascontiguousarray(line[::-1])
        peers = {"OpenCV": lambda k=flipped: cv2.sepFilter2D(SCENE, cv2.CV_32F, k, k, dst=RESULT, borderType=REPLICATE)}
        yield Row(f"separable {size}", convolve("scene", write_mha(f"line{size}.mha", weights)), peers, 0.8, "OpenCV")
    image = dip.Image(SCENE)
    for sigma, goal in [(2, 1.3), (5, 0.5), (10, 0.33), (30, 0.2), (100, 0.2)]:
        peers = {"OpenCV": lambda s=sigma: cv2.GaussianBlur(SCENE, (0, 0), s, dst=RESULT, borderType=REPLICATE),
                 "DIPlib GaussIIR": lambda s=sigma: dip.GaussIIR(image, s, boundaryCondition=["add zeros"]),
                 "DIPlib GaussFIR": lambda s=sigma: dip.GaussFIR(image, s)}
        yield Row(f"gaussian:{sigma}", convolve("scene", f"gaussian:{sigma}"), peers, goal, "OpenCV")
    yield Row("log:5", convolve("scene", "log:5"), {"ITK": itk_log(5)}, 0.1)
    yield Row("box:15", convolve("scene", "box:15"),
              {"OpenCV": lambda: cv2.blur(SCENE, (15, 15), dst=RESULT, borderType=REPLICATE)}, 0.8, "OpenCV")
    for size in (16, 32, 116):
        template = numpy.ascontiguousarray(BYTES[500:500 + size, 700:700 + size])
        peers = {"OpenCV": lambda t=template: cv2.matchTemplate(BYTES, t, cv2.TM_SQDIFF)}
        yield Row(f"ssd uint8 {size}", match("ssd", write_mha(f"template{size}.mha", template)), peers, 0.25, "OpenCV")
    for size in (16, 32):
        template = numpy.ascontiguousarray(BYTES[500:500 + size, 700:700 + size])
        yield Row(f"sad uint8 {size}", match("sad", write_mha(f"sad{size}.mha", template)),
                  {"plain loop": plain_sad(template)}, 0.2, "plain loop")


def own(row):
    """One turn: the least milliseconds, and the method."""
    command = [ARGUMENTS.cli, *row.command, "--threads", str(THREADS), "--repeat", str(ARGUMENTS.calls), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    report = json.loads(done.stdout)
    chosen = next(c for c in report["candidates"] if c["verdict"] == "chosen")
    return report["run"]["execute_ms"]["min"], chosen["method"]


def turn_of(call):
    result = call()
    times = []
    for _ in range(ARGUMENTS.calls):
        start = time.perf_counter()
        result = call()
        times.append(1000 * (time.perf_counter() - start))
    return min(times), result


def compare(row):
    ours, ratios, methods = [], [], []
    theirs = {name: [] for name in row.peers}
    difference = ""
    for _ in range(ARGUMENTS.turns):
        ms, method = own(row)
        ours.append(ms)
        methods.append(method)
        best = float("inf")
        for name, call in row.peers.items():
            peer_ms, result = turn_of(call)
            theirs[name].append(peer_ms)
            best = min(best, peer_ms)
            if name == row.compared:
                mine = read_mha("own.mha").astype(float)
                difference = f"{numpy.abs(mine - result).max() / numpy.abs(mine).max():.0e}"
        ratios.append(ms / best)
    best_name = min(theirs, key=lambda name: statistics.median(theirs[name]))
    found = {"row": row.name, "goal": row.goal, "method": statistics.mode(methods), "own_ms": ours, "peers_ms": theirs,
             "best_peer": best_name, "ratios": ratios, "difference": difference}
    middle = statistics.median(ratios)
    print(f"| {row.name} | {found['method']} | {statistics.median(ours):.2f} | {best_name} | "
          f"{statistics.median(theirs[best_name]):.2f} | {middle:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | {row.goal:g} | "
          f"{'yes' if middle <= row.goal else 'no'} | {difference} |", flush=True)
    return found


def main():
    print(f"OpenCV {cv2.__version__}, SciPy {scipy.__version__}, DIPlib {dip.__version__}, ITK {itk.__version__}; "
          f"{THREADS} threads, {ARGUMENTS.turns} turns of {ARGUMENTS.calls} runs\n\n"
          "| work, float32 2000x2000 unless said | our method | ours, ms | best peer | peer, ms | ours / peer | goal | reached | "
          "difference |\n|---|---|---:|---|---:|---:|---:|---|---:|")
    found = [compare(row) for row in rows()
             if not ARGUMENTS.row or any(part in row.name for part in ARGUMENTS.row)]
    if ARGUMENTS.json:
        ARGUMENTS.json.write_text(json.dumps(found, indent=2) + "\n")
    if ARGUMENTS.record:
        versions = {"OpenCV": cv2.__version__, "SciPy": scipy.__version__, "DIPlib": dip.__version__, "ITK": itk.__version__}
        command = ("python3 tests/bench/peer_filters.py build/release/bin/flcc-cli --peers pypi "
                   f"--turns {ARGUMENTS.turns} --calls {ARGUMENTS.calls}")
        record(ARGUMENTS.record, "filters", command, THREADS, [filter_row(row, versions) for row in found])


main()
