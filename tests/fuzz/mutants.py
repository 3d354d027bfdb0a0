#!/usr/bin/env python3
"""mutants.py PROGRAM SEEDS COUNT: runs `PROGRAM info --verify` on COUNT mutants of the seed files of each
format, and prints a table of how the runs ended. The exit code is 1 if one ended by a signal, by an internal
error (1), or not within 20 seconds. Mutants that did are kept beside the seeds as found-N.EXTENSION."""
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def mutant(seeds, rng):
    data = bytearray(rng.choice(seeds).read_bytes())
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        kind = rng.randrange(5)
        at = rng.randrange(len(data)) if data else 0
        if kind == 0 and data:
            data[at] = rng.randrange(256)
        elif kind == 1 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data = data[:at]
        elif kind == 3:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 1000))))
        elif kind == 4 and data:
            end = min(len(data), at + rng.choice((2, 4, 8)))
            data[at:end] = rng.choice((b"\xff", b"\x00", b"\x7f", b"9")) * (end - at)
    return bytes(data)


def outcome(program, path):
    limit = f"ulimit -v 4194304; exec '{program}' info --verify '{path}'"
    try:
        run = subprocess.run(["bash", "-c", limit], capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "hangs"
    lines = run.stderr.count(b"\n")
    if run.returncode == 0:
        return "read"
    if run.returncode in (3, 4, 5) and lines == 1 and run.stderr.startswith(b"flcc-cli: "):
        return "refused"
    return f"code {run.returncode}" if lines == 1 else f"code {run.returncode}, {lines} lines"


def judged(job):
    program, seeds, number, folder, extension = job
    rng = random.Random(number)
    path = pathlib.Path(folder) / f"{number}.{extension}"
    path.write_bytes(mutant(seeds, rng))
    verdict = outcome(program, path)
    if verdict not in ("read", "refused"):
        (seeds[0].parent / f"found-{number}.{extension}").write_bytes(path.read_bytes())
    path.unlink()
    return verdict


def main():
    program, seeds, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    bad = False
    print(f"{'format':10} {'mutants':>8} {'read':>8} {'refused':>8}  others")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind in sorted(p for p in seeds.iterdir() if p.name not in ("job", "knowledge")):
            files = sorted(p for p in kind.iterdir() if not p.name.startswith("found-"))
            extension = kind.name.replace("_", ".")
            jobs = [(program, files, number, folder, extension) for number in range(count)]
            tally = {}
            for verdict in pool.map(judged, jobs):
                tally[verdict] = tally.get(verdict, 0) + 1
            read, refused = tally.pop("read", 0), tally.pop("refused", 0)
            bad = bad or bool(tally)
            others = ", ".join(f"{k}: {v}" for k, v in sorted(tally.items())) or "none"
            print(f"{kind.name:10} {count:8} {read:8} {refused:8}  {others}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
