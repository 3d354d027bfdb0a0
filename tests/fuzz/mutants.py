#!/usr/bin/env python3
"""mutants.py PROGRAM SEEDS COUNT [SECONDS [FORMAT...]]: runs the program flcc-cli on COUNT mutants of the seed
files of each format, or on as many as SECONDS allow, and prints a table of how the runs ended.

Each mutant is read by `info --verify`; one that is an image is then matched with a template cut from it,
with map and peaks as outputs. A mutant of a job file is planned. A run has to end within 20 s of processor
time, 10 minutes of any time and 4 GiB with code 0 or with one sentence and code 3, 4 or 5 (also 2 for a job file); a match that fails leaves no
file, one that succeeds leaves its two outputs and nothing else. A mutant with another end is kept beside
the seeds as found-NUMBER, and the exit code is 1. Files in the folder "beside" of the seeds of a format lie
beside each mutant; of "bruker", the mutant is the header of the image that is opened."""
import collections
import gzip
import itertools
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

PROCESSOR_SECONDS = 20
SECONDS = 600  # the script may run beside other work, at the lowest priority
MEMORY = 4 << 30
WORDS = [b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\x01\x00\x00\x00"]
TEXTS = [b"0", b"-1", b"9999999999", b"1e999", b"nan", b"\n", b" ", b"\x00", b"=", b'"']


def mutant(seeds, rng):
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        kind = rng.randrange(9)
        at = rng.randrange(len(data)) if data else 0
        if kind <= 2 and data:
            at = rng.randrange(min(len(data), 400)) if kind < 2 else at  # headers first
            data[at] = rng.randrange(256) if kind else data[at] ^ 1 << rng.randrange(8)
        elif kind == 3 and rng.random() < 0.3:
            data = data[:at]
        elif kind == 4:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 1000))))
        elif kind == 5 and data:
            word = rng.choice(WORDS)[: rng.choice((2, 4))]
            data[at : at + len(word)] = word
        elif kind == 6:
            data[at : at + rng.randrange(4)] = rng.choice(TEXTS)
        elif kind == 7 and data:
            other = rng.choice(seeds)
            start = rng.randrange(len(other))
            data[at : at + 16] = other[start : start + 16]
        elif kind == 8 and data:
            del data[at : at + rng.choice((1, 4, 100))]
    return bytes(data)


def with_sums(data):
    """The bytes of a PNG file with right check sums."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        chunk = data[at + 4 : at + 8 + length]
        out += data[at : at + 4] + chunk + zlib.crc32(chunk).to_bytes(4, "big")
        at += 12 + length
    return out + data[at:]


def chunk(name, data):
    return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")


def with_exif(block):
    """A PNG file of 5x4 pixels with an EXIF block."""
    rows = b"".join(b"\0" + bytes(range(5 * y, 5 * y + 5)) for y in range(4))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes([0, 0, 0, 5, 0, 0, 0, 4, 8, 0, 0, 0, 0])) + chunk(b"eXIf", block)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def with_description(text):
    """A TIFF file of four pages of 5x3 pixels with a description."""
    text = text.replace(b"\0", b" ") + b"\0" * (4 + len(text) % 2)
    pixels, data = 8 + len(text), b"II*\0" + (8 + len(text) + 60).to_bytes(4, "little") + text + bytes(range(60))
    for page in range(4):
        entries = [(256, 4, 1, 5), (257, 4, 1, 3), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1)]
        entries += [(270, 2, len(text), 8)] if page == 0 else []
        entries += [(273, 4, 1, pixels + 15 * page), (277, 3, 1, 1), (278, 4, 1, 3), (279, 4, 1, 15)]
        data += len(entries).to_bytes(2, "little") + b"".join(struct.pack("<HHII", *entry) for entry in entries)
        data += (len(data) + 4 if page < 3 else 0).to_bytes(4, "little")
    return data


def mutant_of(kind, seeds, rng):
    """A mutant; of most packed files, what they hold is changed, since few others pass their check sums."""
    inside = rng.random() < 0.8
    if kind in ("exif", "ome"):
        return (with_exif if kind == "exif" else with_description)(mutant(seeds, rng))
    if kind.endswith("_gz") and inside:
        return gzip.compress(mutant([gzip.decompress(seed) for seed in seeds], rng), 1)
    data = mutant(seeds, rng)
    return with_sums(data) if kind == "png" and inside else data


def spent():
    """Seconds of processor time of the runs of this worker so far, flcc-reader included."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, folder):
    """How the command ended: "done", "refused", or what is wrong."""
    before = spent()
    try:
        ended = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"over {SECONDS} s"
    if spent() - before > PROCESSOR_SECONDS:
        return f"over {PROCESSOR_SECONDS} s of processor time"
    lines = ended.stderr.count(b"\n")
    if ended.returncode == 0:
        return "done" if lines == 0 or command[1] != "info" else "done, with messages"
    if ended.returncode < 0:
        return f"signal {-ended.returncode}"
    refusals = (2, 3, 4, 5) if command[1] == "plan" else (3, 4, 5)
    if ended.returncode in refusals and lines == 1 and ended.stderr.startswith(b"flcc-cli: "):
        return "refused"
    return f"code {ended.returncode}, {lines} lines"


def judged(task):
    program, seeds, image, beside, folder, kind, number = task
    data = mutant_of(kind, seeds, random.Random(f"{kind} {number}"))
    extension = {"job": "json", "exif": "png", "ome": "tif"}.get(kind, kind.replace("_", "."))
    place = pathlib.Path(folder) / str(os.getpid())
    place.mkdir(exist_ok=True)
    path = place / ("visu_pars" if kind == "bruker" else f"mutant.{extension}")
    opened = "2dseq" if kind == "bruker" else path.name
    path.write_bytes(data)
    for name, content in beside.items():
        (place / name).write_bytes(content)
    if kind == "job":
        for name in ("scene.mha", "template.mha"):
            shutil.copy(image, place / name)
        ends = [run([program, "plan", "--job", path.name, "--planning", "estimate", "--quiet"], place)]
    else:
        ends = [run([program, "info", "--verify", opened], place)]
        if ends[0] == "done":
            ends.append(
                run(
                    [program, "match", opened, "--crop", "0,0:3,2", "--threads", "1", "--planning", "estimate",
                     "--channel", "0", "--frame", "0", "--map", "map.nrrd", "--peaks", "peaks.csv", "--quiet"],
                    place,
                )
            )
    path.unlink()
    inputs = [*beside, *(("scene.mha", "template.mha") if kind == "job" else ())]
    left = sorted(entry.name for entry in place.iterdir() if entry.name not in inputs)
    if left != (["map.nrrd", "peaks.csv"] if ends[1:] == ["done"] else []):
        ends.append("wrong files left")
    shutil.rmtree(place)
    return ends, data if [end for end in ends if end not in ("done", "refused")] else None


def examine(pool, tasks, most, kind):
    """Runs the tasks of a format, for up to `most` seconds; prints their row and says whether all is well."""
    tally = collections.Counter()
    done, good, begin = 0, True, time.monotonic()
    while time.monotonic() - begin < most and (part := list(itertools.islice(tasks, 200))):
        for ends, kept in pool.imap(judged, part, chunksize=8):
            tally["read"] += ends[0] == "done"
            tally["refused"] += ends[0] == "refused"
            tally["matched"] += ends[1:] == ["done"]
            tally.update(end for end in ends if end not in ("done", "refused"))
            if kept is not None:
                good = False
                (kind / f"found-{done}").write_bytes(kept)
            done += 1
    read, refused, matched = (tally.pop(key, 0) for key in ("read", "refused", "matched"))
    others = ", ".join(f"{end}: {n}" for end, n in sorted(tally.items())) or "none"
    seconds = time.monotonic() - begin
    print(f"{kind.name:8} {done:8} {read:8} {refused:8} {matched:8} {seconds:6.0f}  {others}", flush=True)
    return good


def main():
    program, seeds, count = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
    most = float(sys.argv[4]) if sys.argv[4:] else float("inf")
    wanted = sys.argv[5:]
    good = True
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # programs inherit it
    os.environ["XDG_CACHE_HOME"] = os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
    print(f"{'format':8} {'mutants':>8} {'read':>8} {'refused':>8} {'matched':>8} {'s':>6}  other ends", flush=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="flcc-mutants-") as folder:
        with multiprocessing.Pool(2 * (os.cpu_count() or 1)) as pool:  # runs wait for 20 ms (read_files.h)
            for kind in sorted(seeds.iterdir()):
                if kind.name in ("answer", "knowledge", "peaks") or (wanted and kind.name not in wanted):
                    continue
                files = [p.read_bytes() for p in sorted(kind.iterdir()) if p.is_file() and not p.name.startswith("found-")]
                beside = {p.name: p.read_bytes() for p in kind.glob("beside/*")}
                tasks = (
                    (program, files, seeds / "mha" / "uint8-1.mha", beside, folder, kind.name, number)
                    for number in range(count)
                )
                good = examine(pool, tasks, most, kind) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
