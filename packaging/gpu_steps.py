"""The steps of `packaging/test-gpu first`: everything that the first minutes on a GPU have to answer.

    gpu_steps.py --cli FLCC_CLI --folder FOLDER [--libraries PATH] [--device cuda:0] [--only STEP]... [--seconds N]

Each step has its own time limit and the next one runs whatever became of it. Prints a summary of at
most 60 lines at the end, and writes summary.txt, first.json, gpu.json, log.txt and ncu.csv to FOLDER. Ends with
0, with 1 if a step failed, or with 6 and the list of steps if the device cannot be used. Needs Python
3.9 and nothing else; the peers need CuPy and torch, and without them they are left out.
"""

import argparse
import array
import csv
import io
import json
import math
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CANNOT_USE = 6  # exit code of flcc-cli for a device that cannot be used
SANITIZER_FAULT = 9
ROW_KEYS = (
    "scene template method tile single_ms stream_ms stages_ms transforms_ms predicted_ms largest_error largest_bound not_run"
).split()

BENCH = [((n, n), (m, m)) for n in (2048, 8192) for m in (8, 16, 64)] + [
    ((n, n, n), (m, m, m)) for n in (128, 513) for m in (8, 32)
]

METRICS = {
    "gpu__time_duration.sum": "time",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed": "FMA pipe, % of peak",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed": "FMA instructions, % of peak",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed": "FP64 instructions, % of peak",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "SM, % of peak",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed": "shared memory, % of peak",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "bandwidth, % of peak",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank conflicts",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": "wavefronts of shared memory",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy, %",
    "launch__registers_per_thread": "registers",
    "launch__shared_mem_per_block": "shared memory of a block",
}


class Failed(Exception):
    """A step did not do what it is for."""


class Absent(Exception):
    """A step cannot run here."""


def text_of(lengths):
    return ",".join(str(n) for n in lengths)


# --- Images that flcc-cli reads, and maps that it writes ----------------------------------------------

TYPES = {  # array code, MetaImage's name, largest and smallest value of the noise
    "uint8": ("B", "MET_UCHAR", 0, 255),
    "int8": ("b", "MET_CHAR", -128, 127),
    "uint16": ("H", "MET_USHORT", 0, 60000),
    "int16": ("h", "MET_SHORT", -30000, 30000),
    "uint32": ("I", "MET_UINT", 0, 4000000000),
    "int32": ("i", "MET_INT", -2000000000, 2000000000),
    "float32": ("f", "MET_FLOAT", -3.0, 3.0),
    "float64": ("d", "MET_DOUBLE", -3.0, 3.0),
}


def write_image(path, shape, pixel, seed):
    """Smooth noise, `shape` is x, y[, z]; returns the values, x fastest."""
    code, name, low, high = TYPES[pixel]
    draw = random.Random(seed)
    count = math.prod(shape)
    values, level = [], 0.5
    for _ in range(count):
        level = 0.7 * level + 0.3 * draw.random()
        value = low + (high - low) * level
        values.append(value if code in "fd" else int(value))
    save(path, shape, code, name, values)
    return values


def save(path, shape, code, name, values):
    with open(path, "wb") as file:
        head = (
            f"ObjectType = Image\nNDims = {len(shape)}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
            f"DimSize = {' '.join(map(str, shape))}\nElementType = {name}\nElementDataFile = LOCAL\n"
        )
        file.write(head.encode())
        file.write(array.array(code, values).tobytes())


def read_image(path):
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"\n", data.index(b"ElementDataFile")) + 1
    head = dict(line.partition(" = ")[::2] for line in data[:end].decode().splitlines())
    codes = {"MET_FLOAT": "f", "MET_DOUBLE": "d", "MET_UCHAR": "B", "MET_INT": "i"}
    values = array.array(codes[head["ElementType"].strip()])
    values.frombytes(data[end:])
    return values


# --- The run ------------------------------------------------------------------------------------------


class Run:
    def __init__(self, options):
        self.cli = options.cli
        self.folder = options.folder
        self.device = options.device
        self.peers = options.peers
        self.every = options.every
        self.libraries = options.libraries
        self.end = time.monotonic() + options.seconds
        self.only = options.only
        self.results = []
        self.log = open(os.path.join(self.folder, "log.txt"), "w", encoding="utf-8")
        self.work = tempfile.mkdtemp(prefix="flcc-gpu-")

    def say(self, text):
        print(text, flush=True)
        self.note(text)

    def note(self, text):
        self.log.write(text + "\n")
        self.log.flush()

    def call(self, command, seconds, accepted=(0,), environment=None):
        """Standard output of a command. Its whole process group ends with it, also in time."""
        command = [str(part) for part in command]
        self.note("$ " + " ".join(command))
        seconds = min(seconds, self.end - time.monotonic())
        if seconds < 1:
            raise Failed("no time left")
        if shutil.which(command[0]) is None:
            raise Absent(f"there is no {command[0]}")
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.note(out[-20000:] + err[-20000:])
            raise Failed(f"did not end in {seconds:.0f} s") from None
        self.note((out[-60000:] + err[-20000:]).rstrip())
        if process.returncode not in accepted:
            lines = (err.strip() or out.strip() or "no message").splitlines()
            raise Failed(f"ended with {process.returncode}: {lines[-1][:200]}")
        return out

    def flcc(self, *arguments, seconds=30, accepted=(0,), before=()):
        paths = [path for path in (self.libraries, os.environ.get("LD_LIBRARY_PATH")) if path]
        return self.call(
            [*before, self.cli, *arguments], seconds, accepted, {"LD_LIBRARY_PATH": ":".join(paths)} if paths else None
        )

    def step(self, name, seconds, work):
        if self.only and name not in self.only:
            return
        begin = time.monotonic()
        lines, verdict, data = [], "ok", None
        self.note(f"\n== {name}")
        outer, self.end = self.end, min(self.end, begin + seconds)
        try:
            data = work(lines.append)
        except Absent as reason:
            verdict = f"not run: {reason}"
        except Failed as reason:
            verdict, data = f"FAILED: {reason}", getattr(reason, "data", None)
        except Exception as error:  # a defect of this script must not cost the steps after it
            verdict = f"FAILED: {type(error).__name__}: {error}"
        self.end = outer
        took = time.monotonic() - begin
        self.results.append({"step": name, "verdict": verdict, "seconds": took, "lines": lines, "data": data})
        self.say(f"-- {name}: {verdict} ({took:.0f} s)")
        for line in lines:
            self.say("   " + line)
        with open(os.path.join(self.folder, "first.json"), "w", encoding="utf-8") as file:
            json.dump(self.results, file, indent=1)

    def path(self, name):
        return os.path.join(self.work, name)


# --- Steps --------------------------------------------------------------------------------------------


def machine(run, say):
    query = "name,driver_version,compute_cap,memory.total,clocks.sm,clocks.max.sm,clocks.max.memory,power.limit"
    out = run.call(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], 20).strip()
    say(out)
    nvcc = tool("nvcc")
    if nvcc:
        say(run.call([nvcc, "--version"], 20).strip().splitlines()[-1])
    return {"gpu": out, "fields": query}


def devices(run, say):
    found = run.flcc("devices", "--json", seconds=60)
    for line in run.flcc("devices", seconds=60).strip().splitlines():
        say(line)
    return json.loads(found)


def tiny_problems():
    """Name, shape of the scene, shape of the template, type, options of flcc-cli."""
    for pixel in TYPES:
        yield f"2D {pixel}", (150, 97), (9, 7), pixel, []
    for pixel in ("uint8", "int16", "float32"):
        yield f"3D {pixel}", (40, 33, 27), (5, 7, 3), pixel, []
    yield "2D float32 in double", (150, 97), (9, 7), "float32", ["--precision", "double"]
    yield "2D uint8, 33x40", (150, 97), (33, 40), "uint8", []
    yield "bank of 3", (150, 97), (9, 7), "float32", ["bank"]
    yield "mask", (150, 97), (9, 7), "float32", ["--mask", "sphere:3"]
    yield "mask, bank", (150, 97), (9, 7), "uint8", ["--mask", "sphere:3", "bank"]
    yield "scene mask", (150, 97), (9, 7), "uint16", ["scene mask", "--outside", "overlap"]
    yield "same, zero", (150, 97), (9, 7), "float32", ["--extent", "same"]
    yield "full, eibl", (40, 33, 27), (5, 7, 3), "uint8", ["--extent", "full", "--outside", "eibl"]
    yield "full, overlap", (150, 97), (9, 7), "int16", ["--extent", "full", "--outside", "overlap"]
    yield "stream of slices", (90, 70, 5), (9, 7), "uint16", ["--stream"]
    yield "no map, peaks alone", (300, 200), (9, 7), "uint8", ["peaks"]
    yield "no map, bank", (300, 200), (9, 7), "float32", ["peaks", "bank"]


METHODS = ("direct", "tiled")


def tiny(run, say):
    """Every kind of problem on the device and on the CPU in double; the difference must be within the
    bound that the device's run reports, and the peaks must be equal."""
    rows, wrong, refused = [], [], []
    for number, (name, scene, templ, pixel, options) in enumerate([*tiny_problems()][:: run.every]):
        files = {key: run.path(f"{number}-{key}.mha") for key in ("scene", "mask", "map", "status", "truth", "stands")}
        values = write_image(files["scene"], scene, pixel, number)
        given = [files["scene"]]
        for which in range(3 if "bank" in options else 1):
            # Cut from the scene, so that there are peaks, and in three axes where the scene has three.
            cut = tuple(templ) + (1,) * (3 - len(templ))
            size = tuple(scene) + (1,) * (3 - len(scene))
            at = [(size[axis] - cut[axis]) * (which + 1) // 5 for axis in range(3)]
            part = [
                values[((at[2] + z) * size[1] + at[1] + y) * size[0] + at[0] + x]
                for z in range(cut[2])
                for y in range(cut[1])
                for x in range(cut[0])
            ]
            path = run.path(f"{number}-template-{which}.mha")
            save(path, templ, *TYPES[pixel][:2], part)
            given += ["--template", path] if which else [path]
        if "scene mask" in options:
            draw = random.Random(7)
            save(files["mask"], scene, "B", "MET_UCHAR", [int(draw.random() < 0.97) for _ in values])
            given += ["--scene-mask", files["mask"]]
        given += [option for option in options if option not in ("bank", "scene mask", "peaks")]
        if "peaks" in options:  # where the scores decide on the threshold, their whole map is needed
            given += ["--min-score", "0.5"]
        maps = "peaks" not in options
        truth_file = run.path(f"{number}-truth.csv")
        truth = ["match", *given, "--device", "cpu", "--method", "tiled", "--peaks", truth_file, "--quiet"]
        truth += ["--map", files["truth"], "--status", files["stands"]] if maps else []
        truth += [] if "--precision" in given else ["--precision", "double"]
        run.flcc(*truth)
        for method in METHODS:
            row = {"problem": name, "method": method}
            rows.append(row)
            report, found = run.path(f"{number}.json"), run.path(f"{number}.csv")
            command = ["match", *given, "--device", run.device, "--method", method, "--peaks", found, "--report", report]
            command += ["--map", files["map"], "--status", files["status"]] if maps else []
            try:
                run.flcc(*command, "--quiet")
            except Failed as reason:
                row["fault"] = str(reason)
                kind = refused if "ended with 4:" in row["fault"] or "ended with 5:" in row["fault"] else wrong
                kind.append(f"{name}, {method}: {row['fault']}")
                continue
            with open(report, encoding="utf-8") as file:
                row["bound"] = bound_of(json.load(file))
            if maps:
                got, right = read_image(files["map"]), read_image(files["truth"])
                statuses, stands = read_image(files["status"]), read_image(files["stands"])
                row["difference"] = max((abs(a - b) for a, b in zip(got, right) if not math.isnan(b)), default=0.0)
                row["statuses"] = sum(a != b for a, b in zip(statuses, stands))
                missing = sum(math.isnan(a) != math.isnan(b) for a, b in zip(got, right))
                row["missing"] = missing + abs(len(got) - len(right))
            with open(found, encoding="utf-8") as a, open(truth_file, encoding="utf-8") as b:
                row["peaks_equal"] = peaks_of(a) == peaks_of(b)
            row["peaks"] = sum(1 for _ in open(found, encoding="utf-8")) - 1
            ok = row["peaks_equal"] and not row.get("statuses") and not row.get("missing")
            ok = ok and not row.get("difference", 0) > row["bound"] + 1e-7
            row["ok"] = ok
            text = (
                f"{name}, {method}: difference {row.get('difference', math.nan):.1e}, bound {row['bound']:.1e}, "
                f"statuses unlike {row.get('statuses', '-')}, {row['peaks']} peaks "
                f"{'equal' if row['peaks_equal'] else 'UNLIKE'}"
            )
            run.note(text)
            if not ok:
                wrong.append(text)
    good = sum(row.get("ok", False) for row in rows)
    largest = max((row.get("difference", 0) for row in rows), default=0)
    say(f"{good} of {len(rows)} runs right, {len(refused)} refused, {len(wrong)} wrong; largest difference {largest:.1e}")
    for line in wrong[:12] + refused[:3]:
        say(line)
    if wrong:
        raise_with(rows, f"{len(wrong)} of {len(rows)} tiny problems are wrong")
    return rows


def raise_with(data, reason):
    error = Failed(reason)
    error.data = data
    raise error


def bound_of(report):
    """Largest bound of any score of the run. A job of several groups has a map each."""
    maps = [group["map"] for group in report.get("groups", [])] or [report["map"]]
    return max(found.get("bound_largest") or 0.0 for found in maps)


def peaks_of(file):
    """The peaks without what depends on the statistics of the map, which is that of the method."""
    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    of_map = ("zscore", "false_positives", "sharpness")
    return [{name: value for name, value in row.items() if name not in of_map} for row in rows]


def selftest(run, say):
    out = run.flcc("selftest", "--device", run.device, seconds=150, accepted=(0, 1))
    lines = out.strip().splitlines()
    for line in lines:
        if "passed" not in line and "verdict" not in line:
            say(line[:170])
    say(lines[-1])
    if not lines[-1].startswith("passed"):
        raise Failed("the self-test found a fault")
    return lines


SANITIZED = [
    ("direct 2D bytes", (150, 97), (9, 7), "uint8", "direct", []),
    ("direct 3D float", (40, 33, 20), (5, 7, 3), "float32", "direct", []),
    ("tiled 2D, bank", (150, 97), (9, 7), "float32", "tiled", ["bank"]),
    ("tiled 3D", (40, 33, 20), (5, 7, 3), "uint16", "tiled", []),
    ("mask, same", (150, 97), (9, 7), "uint8", "tiled", ["--mask", "sphere:3", "--extent", "same"]),
    ("no map", (150, 97), (9, 7), "uint8", "direct", ["peaks"]),
]


def sanitize(check, run, say):
    sanitizer = tool("compute-sanitizer")
    if not sanitizer:
        raise Absent("there is no compute-sanitizer")
    faults = []
    for number, (name, scene, templ, pixel, method, options) in enumerate(SANITIZED):
        image, mold = run.path(f"s{number}.mha"), run.path(f"s{number}t.mha")
        write_image(image, scene, pixel, number)
        write_image(mold, templ, pixel, 50 + number)
        given = ["match", image, mold, "--device", run.device, "--method", method, "--quiet"]
        if "bank" in options:
            write_image(run.path(f"s{number}u.mha"), templ, pixel, 70 + number)
            given += ["--template", run.path(f"s{number}u.mha")]
        given += [option for option in options if option not in ("bank", "peaks")]
        if "peaks" in options:
            given += ["--min-score", "0.5"]
        given += ["--peaks", run.path("s.csv")] if "peaks" in options else ["--map", run.path("s.mha")]
        before = [sanitizer, "--tool", check, "--error-exitcode", str(SANITIZER_FAULT)]
        try:
            out = run.flcc(*given, seconds=30, accepted=(0, SANITIZER_FAULT), before=before)
        except Failed as reason:
            faults.append(f"{name}: {reason}")
            continue
        marked = [line for line in out.splitlines() if line.startswith("=========")]
        if marked and not re.search(r" 0 (errors|hazards)", marked[-1]):
            faults.append(f"{name}: " + " | ".join(line[9:].strip() for line in marked[1:4])[:260])
            run.note(out[-6000:])
    for fault in faults:
        say(fault)
    if faults:
        raise Failed(f"{len(faults)} of {len(SANITIZED)} problems have faults")


def bench(run, say):
    rows = []
    say("scene, template, method: single ms | upload, kernels, download ms | T multiply-adds/s, % of the lesser limit | of transforms")
    for scene, templ in BENCH:
        report = run.path("bench.json")
        try:
            run.flcc(
                *("bench", "--device", run.device, "--scene", text_of(scene), "--template", text_of(templ)),
                *("--repeat", "5", "--report", report),
                seconds=40,
            )
        except Failed as reason:
            say(f"{text_of(scene)} {text_of(templ)}: {reason}")
            if not os.path.exists(report):
                continue
        with open(report, encoding="utf-8") as file:
            for row in json.load(file)["rows"]:
                rows.append(row)
                say(bench_line(row))
        os.remove(report)
    return rows


def bench_line(row):
    name = f"{text_of(row['scene'])} {text_of(row['template'])} {row['method']} {'x'.join(map(str, row['tile']))}"
    if row["not_run"]:
        return f"{name}: not run, {row['not_run'][:120]}"
    stages = row["stages_ms"]
    kernel = stages.get("kernel", 0)
    maps = math.prod(n - m + 1 for n, m in zip(row["scene"], row["template"]))
    rate = maps * math.prod(row["template"]) / max(kernel, 1e-6) / 1e9
    share = ""
    if row.get("measured_multiply_adds_per_ns"):
        share = f", {100 * rate * 1000 / row['measured_multiply_adds_per_ns']:.0f} % of peak"
    single = sorted(row["single_ms"])[len(row["single_ms"]) // 2]
    transforms = f" | transforms {row['transforms_ms']:.3f}" if row.get("transforms_ms") else ""
    return (
        f"{name}: {single:.2f} | {stages.get('upload', 0):.2f}, {kernel:.3f}, {stages.get('download', 0):.2f} | "
        f"{rate:.2f}{share}{transforms}{'' if row['sound'] else ' WRONG'}"
    )


def costs(run, say):
    """What the calls take that a run makes once, by the CUDA libraries themselves."""
    import ctypes

    def library(name):
        for folder in [*run.libraries.split(":"), "/usr/local/cuda/lib64", ""]:
            try:
                return ctypes.CDLL(os.path.join(folder, name) if folder else name)
            except OSError:
                continue
        raise Absent(f"there is no {name}")

    cuda, cufft = library("libcudart.so"), library("libcufft.so")
    pointer = ctypes.c_void_p()
    found = {}

    def timed(name, work, repeat=3):
        best = math.inf
        for _ in range(repeat):
            begin = time.perf_counter()
            code = work()
            best = min(best, 1000 * (time.perf_counter() - begin))
            if code:
                raise Failed(f"{name} ended with {code}")
        found[name] = best

    begin = time.perf_counter()
    cuda.cudaFree(None)
    found["first call"] = 1000 * (time.perf_counter() - begin)
    mebi = 1 << 20
    for size in (2, 16, 128):
        timed(f"pin {size} MiB", lambda: cuda.cudaHostAlloc(ctypes.byref(pointer), ctypes.c_size_t(size * mebi), 1), 1)
        timed(f"unpin {size} MiB", lambda: cuda.cudaFreeHost(pointer), 1)
        timed(f"allocate {size} MiB", lambda: cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size * mebi)), 1)
        timed(f"free {size} MiB", lambda: cuda.cudaFree(pointer), 1)
    timed("stream", lambda: cuda.cudaStreamCreateWithFlags(ctypes.byref(pointer), 1))
    timed("event", lambda: cuda.cudaEventCreateWithFlags(ctypes.byref(pointer), 1))
    plan = ctypes.c_int()
    for n in (128, 512, 1024, 2048, 8192):
        timed(f"plan {n}^2", lambda: cufft.cufftPlan2d(ctypes.byref(plan), n, n, 0x2A), 2)
        cufft.cufftDestroy(plan)
    say(", ".join(f"{name} {ms:.2f}" for name, ms in found.items()) + " ms")
    return found


PROFILED = [
    ("direct", (2048, 2048), (16, 16), "float32"),
    ("direct", (2048, 2048), (16, 16), "uint8"),
    ("tiled", (4096, 4096), (64, 64), "float32"),
    ("tiled", (128, 128, 128), (16, 16, 16), "float32"),
]


def profile(run, say):
    ncu = tool("ncu")
    if not ncu:
        raise Absent("there is no ncu")
    table = []
    for method, scene, templ, pixel in PROFILED:
        image, mold = run.path("p.mha"), run.path("pt.mha")
        large_noise(image, scene, pixel, 1)
        large_noise(mold, templ, pixel, 2)
        out = run.flcc(
            *("match", image, mold, "--device", run.device, "--method", method, "--quiet", "--map", run.path("pm.mha")),
            *("--planning", "estimate", "--audit", "off"),
            seconds=60,
            before=[
                *(ncu, "--csv", "--page", "raw", "--print-units", "base", "--launch-count", "24"),
                *("--clock-control", "none", "--metrics", ",".join(METRICS)),
            ],
        )
        lines = out.splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
        if start is None:
            raise Failed("ncu printed no table: " + (lines[-1][:160] if lines else "nothing"))
        for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
            if row["ID"]:
                table.append({"problem": f"{method} {text_of(scene)} {text_of(templ)} {pixel}", **row})
    with open(os.path.join(run.folder, "ncu.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(table)
    # The longest launch of each kernel of each problem.
    best = {}
    for row in table:
        key = row["problem"], row["Kernel Name"].split("(")[0][-60:]
        if key not in best or number(row, "gpu__time_duration.sum") > number(best[key], "gpu__time_duration.sum"):
            best[key] = row
    say("kernel: us | FMA, FP64, SM, shared, DRAM % of peak | conflicts of wavefronts % | occupancy % | registers")
    last = ""
    for (problem, kernel), row in sorted(best.items(), key=lambda item: (item[0][0], -number(item[1], "gpu__time_duration.sum"))):
        if problem != last:
            say(problem)
            last = problem
        get = lambda name: number(row, name)
        share = get("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") / max(
            get("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 1
        )
        say(
            f"  {kernel[:44]}: {get('gpu__time_duration.sum') / 1000:.1f} | "
            f"{get('sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed'):.0f}, "
            f"{get('sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed'):.0f}, "
            f"{get('sm__throughput.avg.pct_of_peak_sustained_elapsed'):.0f}, "
            f"{get('l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed'):.0f}, "
            f"{get('dram__throughput.avg.pct_of_peak_sustained_elapsed'):.0f} | {100 * share:.0f} | "
            f"{get('sm__warps_active.avg.pct_of_peak_sustained_active'):.0f} | {get('launch__registers_per_thread'):.0f}"
        )
    return table


def number(row, name):
    try:
        return float(row.get(name, "").replace(",", "") or 0)
    except (ValueError, AttributeError):
        return 0.0


def large_noise(path, shape, pixel, seed):
    """Noise of many voxels, made fast."""
    code, name = TYPES[pixel][:2]
    count = math.prod(shape)
    data = random.Random(seed).randbytes(count)
    if code == "f":
        data = array.array("f", map(float, data)).tobytes()
    with open(path, "wb") as file:
        head = (
            f"ObjectType = Image\nNDims = {len(shape)}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
            f"DimSize = {' '.join(map(str, shape))}\nElementType = {name}\nElementDataFile = LOCAL\n"
        )
        file.write(head.encode() + data)


def peer(name, run, say):
    script = os.path.join(run.peers, f"peer_{name}.py")
    if not os.path.exists(script):
        raise Absent(f"there is no {script}")
    rows = run.path(f"{name}.json")
    fault = None
    try:
        run.call([sys.executable, "-B", script, "--problems", "first", "--json", rows], 90)
    except Failed as reason:
        fault = reason
    if not os.path.exists(rows):
        raise fault or Absent(f"{name} is not installed")
    with open(rows, encoding="utf-8") as file:
        data = json.load(file)
    middle = lambda times: sorted(times)[len(times) // 2]
    say("scene, template, peer: kernels ms, end to end ms, error")
    for row in data:
        at = f"{text_of(row['scene'])} {text_of(row['template'])} {row['peer']}"
        if "not_run" in row:
            say(f"{at}: not run, {row['not_run'][:80]}")
        else:
            say(f"{at}: {middle(row['kernel_ms']):.3f}, {middle(row['end_to_end_ms']):.2f}, {row['largest_error']:.0e}")
    if fault:
        raise fault
    return data


def tool(name):
    """Where a program of the CUDA toolkit is; None without."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [os.path.join(home, "bin", name) for home in homes if home]
    return shutil.which(name) or next((place for place in places if os.access(place, os.X_OK)), None)


STEPS = [  # name, seconds, work; together at most 8 minutes
    ("machine", 20, machine),
    ("devices", 30, devices),
    ("tiny", 100, tiny),
    ("selftest", 80, selftest),
    ("memcheck", 40, lambda run, say: sanitize("memcheck", run, say)),
    ("racecheck", 40, lambda run, say: sanitize("racecheck", run, say)),
    ("initcheck", 40, lambda run, say: sanitize("initcheck", run, say)),
    ("synccheck", 40, lambda run, say: sanitize("synccheck", run, say)),
    ("costs", 20, costs),
    ("bench", 90, bench),
    ("ncu", 60, profile),
    ("cupy", 60, lambda run, say: peer("cupy", run, say)),
    ("torch", 60, lambda run, say: peer("torch", run, say)),
]


def why_not(run):
    """Why the device cannot be used; None where it can."""
    if shutil.which(run.cli) is None:
        return f"there is no {run.cli}; run packaging/test-gpu build or pack first"
    try:
        run.flcc("bench", "--device", run.device, "--scene", "64,64", "--template", "8,8", "--repeat", "1", seconds=60)
    except Failed as reason:
        return str(reason)
    return None


def write_rows(run):
    """gpu.json: our rows and those of the peers, as tests/bench/results has them a device."""
    data = {result["step"]: result["data"] for result in run.results if result["verdict"] == "ok" and result["data"]}
    if "bench" not in data:
        return
    peers = [row for peer in ("cupy", "torch") for row in data.get(peer, [])]
    rows = {
        "device": data["bench"][0]["device_name"],
        "date": time.strftime("%Y-%m-%d"),
        "flcc": [{key: row.get(key) for key in ROW_KEYS} for row in data["bench"]],
        "peers": peers,
    }
    with open(os.path.join(run.folder, "gpu.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cli", required=True)
    options.add_argument("--folder", required=True)
    options.add_argument("--libraries", default="", help="folders for the loader, in front of flcc-cli alone")
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--peers", default=os.path.join(HERE, "..", "tests", "bench"))
    options.add_argument("--only", action="append", choices=[name for name, _, _ in STEPS])
    options.add_argument("--every", type=int, default=1, help="take every N-th tiny problem alone")
    options.add_argument("--seconds", type=float, default=480)
    options = options.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    run = Run(options)
    try:
        reason = why_not(run)
        if reason and not (options.only and "machine" in options.only):
            for name, _, _ in STEPS:
                run.say(f"-- {name}: not run: {reason}")
            return CANNOT_USE
        for name, seconds, work in STEPS:
            run.step(name, seconds, lambda say, work=work: work(run, say))
    finally:
        shutil.rmtree(run.work, ignore_errors=True)
    summary = []
    for result in run.results:
        summary.append(f"{result['step']}: {result['verdict']} ({result['seconds']:.0f} s)")
        summary += ["  " + line[:170] for line in result["lines"]]
    spare = 60 - len(run.results) - 2
    if len(summary) > 60:  # leave out what passed before what failed
        kept = []
        for result in run.results:
            most = max(2, spare * len(result["lines"]) // max(sum(len(r["lines"]) for r in run.results), 1))
            kept.append(f"{result['step']}: {result['verdict']} ({result['seconds']:.0f} s)")
            kept += ["  " + line[:170] for line in result["lines"][:most]]
        summary = kept[:60]
    write_rows(run)
    text = "\n".join(summary)
    with open(os.path.join(run.folder, "summary.txt"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    print("\n== summary\n" + text, flush=True)
    return 1 if any(result["verdict"].startswith("FAILED") for result in run.results) else 0


if __name__ == "__main__":
    sys.exit(main())
