"""Particles that flcc-cli finds in a tomogram of several species, beside the truth, in searches of one species and of all.

tomograms.py FLCC_CLI FOLDER [--names NAME,NAME] [--step 20] [--tolerance 4] [--wedge 60,60] [--bank] [--keep FOLDER]:
FOLDER holds tomogram.mrc, and for each species template-NAME.mrc (a cube with an odd edge that leaves 2 voxels around
the particle) and truth-NAME.csv (columns name, cx, cy, cz in voxels from 0). For each name a search of that species
alone: F1 of the peaks of the default threshold, the same with places of other things listed too, the best F1 over all
thresholds, and at which species the false peaks of the default threshold lie. With --bank all species in one run: a
table of species against templates, F4, the mean over the species of F-beta with beta 4, and whether flcc-cli counts the
same. Peaks are paired with particles one to one by scipy, not by flcc-cli. --keep writes the peaks of each search as
NAME.csv, and bank.json. Needs numpy and scipy.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
import time

import numpy
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

NOTHING, MISSED = "nothing", "missed"


def extent(path):
    with open(path, "rb") as file:
        return int(numpy.frombuffer(file.read(4), "<i4")[0])


def truth_of(folder, name):
    with open(os.path.join(folder, f"truth-{name}.csv"), newline="") as file:
        return numpy.array([[float(row[key]) for key in ("cx", "cy", "cz")] for row in csv.DictReader(file)]).reshape(-1, 3)


def pairs(found, true, tolerance):
    """Indices of as many pairs as possible within the tolerance, and the nearest of such pairings."""
    if not len(found) or not len(true):
        return []
    distance = cdist(found, true)
    cost = numpy.where(distance <= tolerance, distance - 1e6, 0)
    return [(i, j) for i, j in zip(*linear_sum_assignment(cost)) if distance[i, j] <= tolerance]


def f_beta(right, listed, true, beta):
    whole = listed + beta**2 * true
    return (1 + beta**2) * right / whole if whole else 0


def search(cli, folder, names, given, options):
    """The report and seconds of a search of templates of these names."""
    with tempfile.TemporaryDirectory() as work:
        call = [cli, "match", os.path.join(folder, "tomogram.mrc")]
        for i, name in enumerate(names):
            path = os.path.join(folder, f"template-{name}.mrc")
            call += ([] if i == 0 else ["--template"]) + [path, "--mask", f"sphere:{extent(path) // 2 - 1}"]
        call += ["--rotations", given.step, "--wedge", given.wedge, "--report", os.path.join(work, "r.json"), "--quiet", "--yes"]
        call += options if "--max-peaks" in options else ["--max-peaks", str(given.peaks), *options]
        start = time.monotonic()
        subprocess.run(call, check=True)
        seconds = time.monotonic() - start
        with open(os.path.join(work, "r.json")) as file:
            return json.load(file), seconds


def places(peaks):
    return numpy.array([peak["centre"] for peak in peaks]).reshape(-1, 3)


def place_of(at, truths, radii):
    """The species of the particle whose ball holds this place; balls of particles do not overlap."""
    for name, true in truths.items():
        if len(true) and numpy.min(numpy.linalg.norm(true - at, axis=1)) <= radii[name]:
            return name
    return NOTHING


def default_of(peaks):
    return [peak for peak in peaks if peak["false_positives"] <= 1][:100]


def one_species(name, peaks, listed, truths, radii, given):
    """F1 and number of the default list, F1 and number with other things, best F1 and its number, false peaks."""
    true = truths[name]
    f1 = lambda part: f_beta(len(pairs(places(part), true, given.tolerance)), len(part), len(true), 1)
    every = default_of(peaks)
    best, number = max((f1(peaks[: i + 1]), -i - 1) for i in range(len(peaks)))
    here = [place_of(at, truths, radii) for at in places(peaks)]
    right = {i for i, _ in pairs(places(peaks), true, given.tolerance)}
    if given.keep:
        with open(os.path.join(given.keep, f"{name}.csv"), "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["score", "true", "species_of_that_place", "false_positives", "x", "y", "z"])
            for i, peak in enumerate(peaks):
                table.writerow([peak["score"], int(i in right), here[i], peak["false_positives"], *peak["centre"]])
    own = {i for i, _ in pairs(places(listed), true, given.tolerance)}
    wrong = [place_of(at, truths, radii) for i, at in enumerate(places(listed)) if i not in own]
    others = ", ".join(f"{wrong.count(other)} {other}" for other in sorted(set(wrong), key=wrong.count, reverse=True))
    return f1(listed), len(listed), f1(every), len(every), best, -number, others


def confusion(listed, names, truths, tolerance):
    """Counts by (species, template): first pairs of the same species, then pairs of what is left."""
    at = {name: places([peak for peak in listed if names[peak["template"]] == name]) for name in names}
    free = {name: set(range(len(truths[name]))) for name in names}
    left = {name: set(range(len(at[name]))) for name in names}
    table = {}
    for name in names:
        right = pairs(at[name], truths[name], tolerance)
        table[name, name] = len(right)
        left[name] -= {i for i, _ in right}
        free[name] -= {j for _, j in right}
    found = [(name, i) for name in names for i in sorted(left[name])]
    true = [(name, j) for name in names for j in sorted(free[name])]
    rest = pairs([at[n][i] for n, i in found], [truths[n][j] for n, j in true], tolerance)
    for i, j in rest:
        key = true[j][0], found[i][0]
        table[key] = table.get(key, 0) + 1
    used, seen = {i for i, _ in rest}, {j for _, j in rest}
    for i, (name, _) in enumerate(found):
        if i not in used:
            table[NOTHING, name] = table.get((NOTHING, name), 0) + 1
    for j, (name, _) in enumerate(true):
        if j not in seen:
            table[name, MISSED] = table.get((name, MISSED), 0) + 1
    return table


def print_table(listed, names, truths, tolerance):
    table = confusion(listed, names, truths, tolerance)
    print("| species | " + " | ".join([*names, MISSED, "precision", "recall", "F1", "F4"]) + " |")
    print("|---" * (len(names) + 6) + "|")
    f4, counts = [], {}
    for name in [*names, NOTHING]:
        counts[name] = [table.get((name, other), 0) for other in [*names, MISSED]]
        row = [str(count) for count in counts[name]]
        if name != NOTHING:
            right, true = table.get((name, name), 0), len(truths[name])
            number = sum(count for (_, other), count in table.items() if other == name)
            f4.append(f_beta(right, number, true, 4))
            figures = right / max(1, number), right / max(1, true), f_beta(right, number, true, 1), f4[-1]
            row += [f"{value:.3f}" for value in figures]
        print(f"| {name} | " + " | ".join(row) + " |")
    print(f"F4 {numpy.mean(f4):.4f}, {len(listed)} listed", flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("folder")
    parser.add_argument("--names", default="4v94,4cr2,3cf3,1bxn,1s3x,3qm1")
    parser.add_argument("--step", default="20")
    parser.add_argument("--tolerance", type=float, default=4)
    parser.add_argument("--wedge", default="60,60")
    parser.add_argument("--peaks", type=int, default=400)
    parser.add_argument("--bank", action="store_true")
    parser.add_argument("--keep")
    given = parser.parse_args()
    every = sorted(f[6:-4] for f in os.listdir(given.folder) if f.startswith("truth-") and f.endswith(".csv"))
    truths = {name: truth_of(given.folder, name) for name in every}
    radii = {name: extent(os.path.join(given.folder, f"template-{name}.mrc")) // 2 - 2 for name in every}
    print("| species | F1 | listed | --list-others: F1 | listed | best F1 | listed | false peaks at | seconds |\n" + "|---" * 9 + "|", flush=True)
    for name in [name for name in given.names.split(",") if name]:
        listed, seconds = search(given.cli, given.folder, [name], given, ["--max-peaks", "100"])
        peaks = search(given.cli, given.folder, [name], given, ["--false-positives", "1e6", "--list-others"])[0]["peaks"]
        f1, number, f1_all, all_listed, best, at_best, others = one_species(name, peaks, listed["peaks"], truths, radii, given)
        print(f"| {name} | {f1:.3f} | {number} | {f1_all:.3f} | {all_listed} | {best:.3f} | {at_best} | {others} | {seconds:.0f} |", flush=True)
    if given.bank:
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
            table = csv.writer(file)
            table.writerow(["species", "cx", "cy", "cz"])
            table.writerows([name, *place] for name in every for place in truths[name])
            file.flush()
            options = ["--truth", file.name, "--tolerance", str(given.tolerance)]
            report, seconds = search(given.cli, given.folder, every, given, options)
        if given.keep:
            with open(os.path.join(given.keep, "bank.json"), "w") as file:
                json.dump({key: report[key] for key in ("peaks", "threshold", "truth")}, file)
        print(f"\nAll {len(every)} species in {seconds:.0f} s, default threshold")
        counts = print_table(report["peaks"], every, truths, given.tolerance)
        own = {row["species"]: row["counts"] + [row["missed"]] for row in report["truth"]["species"]["rows"]}
        same = all(own[name] == counts[name] for name in every) and report["truth"]["species"]["nothing"] == counts[NOTHING][:-1]
        print(f"flcc-cli counts {'the same' if same else 'otherwise'}, F4 {report['truth']['species']['f4']:.4f}")


if __name__ == "__main__":
    main()
