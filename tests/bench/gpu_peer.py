"""What the peers on a GPU share: the problems of `flcc-cli bench`, how they are timed, and the table.

A peer is a function that gets scene and template on the device and returns the map there. Kernel times
have everything on the device; end to end begins and ends in the host's memory. Medians of 7 runs after
one to warm up.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy

REPEAT = 7
SECONDS = 4  # a series ends after it when it has three runs


PROBLEMS = {
    "sizes": (
        (False, 2000, (4, 8, 16, 32, 64)),
        (False, 8192, (4, 8, 16, 32, 64)),
        (False, 4096, (16, 32, 64, 128, 256)),
        (True, 256, (8, 16, 32)),
        (True, 513, (8, 16, 32)),
    ),
    "first": ((False, 2048, (8, 16, 64)), (False, 8192, (8, 16, 64)), (True, 128, (8, 32)), (True, 513, (8, 32))),
}


def problems(name):
    for volume, scene, templates in PROBLEMS[name]:
        for template in templates:
            axes = 3 if volume else 2
            yield (scene,) * axes, (template,) * axes


def noise(shape):
    """Mean 100, deviation 20."""
    values = numpy.random.default_rng(1).standard_normal(shape, numpy.float32)
    values *= 20
    values += 100
    return values


def cut(scene, shape):
    corner = [(n - m) // 3 for n, m in zip(scene.shape, shape)]
    return scene[tuple(slice(c, c + m) for c, m in zip(corner, shape))].copy()


def series(run):
    """Milliseconds of runs; run() returns those of one."""
    run()
    begin = time.perf_counter()
    times = []
    while len(times) < 3 or (len(times) < REPEAT and time.perf_counter() - begin < SECONDS):
        times.append(run())
    return times


def panels(scene, shape, count=8):
    """Some placements and their panels in double."""
    random = numpy.random.default_rng(2)
    for _ in range(count):
        corner = tuple(int(random.integers(n - m + 1)) for n, m in zip(scene.shape, shape))
        yield corner, scene[tuple(slice(c, c + m) for c, m in zip(corner, shape))].astype(numpy.float64)


def lcc(panel, template):
    panel = panel - panel.mean()
    template = template.astype(numpy.float64) - template.mean(dtype=numpy.float64)
    return (panel * template).sum() / numpy.sqrt((panel**2).sum() * (template**2).sum())


def text_of(shape):
    return "x".join(str(n) for n in shape)


def multiply_adds(scene, template):
    """Of the definition."""
    return float(numpy.prod([n - m + 1.0 for n, m in zip(scene, template)]) * numpy.prod(template))


class Beyond(Exception):
    """A problem that takes too long."""


def write(rows, file):
    """Whole or not at all, so that a run that is ended leaves its rows."""
    with open(file + ".part", "w", encoding="utf-8") as part:
        json.dump(rows, part, indent=2)
        part.write("\n")
    os.replace(file + ".part", file)


def smooth(length):
    """The shortest length of factors 2, 3, 5 and 7 alone that is not below `length`."""
    while True:
        rest = length
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return length
        length += 1


def run(device, versions, peers, out_of_memory):
    """`peers` are triples: a name; times_of(scene, template), which returns kernel and end-to-end times
    and the largest error found; and the most multiply-adds of the definition that it is given, or None."""
    arguments = argparse.ArgumentParser(description="peers on the problems of flcc-cli bench")
    arguments.add_argument("--json", help="file for the rows, with every single time")
    arguments.add_argument("--largest", type=int, default=10**9, help="leave out scenes of more voxels")
    arguments.add_argument("--problems", choices=PROBLEMS, default="sizes")
    options = arguments.parse_args()
    if not device:
        sys.exit("the device does not report its name; a time is useless without the name of its device")
    print(f"{versions}\n")
    print("| device | scene | template | peer | kernel, ms | end to end, ms | largest error |")
    print("|---|---|---|---|---:|---:|---:|", flush=True)
    rows = []
    scene = numpy.empty(0, numpy.float32)
    for extents, template in problems(options.problems):
        if numpy.prod(extents) > options.largest:
            continue
        work = multiply_adds(extents, template)
        if scene.shape != extents:
            scene = noise(extents)
        for name, times_of, most in peers:
            row = {"device_name": device, "peer": name, "versions": versions, "scene": extents, "template": template}
            try:
                if most is not None and work > most:
                    raise Beyond(f"{work:.1e} multiply-adds, over the limit of {most:.0e}")
                row["kernel_ms"], row["end_to_end_ms"], row["largest_error"] = times_of(scene, cut(scene, template))
                figures = (
                    f"{statistics.median(row['kernel_ms']):.3f} | {statistics.median(row['end_to_end_ms']):.3f} | "
                    f"{row['largest_error']:.1e}"
                )
            except (Beyond, *out_of_memory) as error:
                row["not_run"] = str(error).splitlines()[0]
                figures = f"not run: {row['not_run']} | |"
            print(f"| {device} | {text_of(extents)} | {text_of(template)} | {name} | {figures} |", flush=True)
            rows.append(row)
            if options.json:
                write(rows, options.json)
