"""Writes what a script measured as figures for RESULTS.md (the form: results.h)."""

import datetime
import json
import re
from pathlib import Path


def filter_row(found, versions):
    """A row of peer_filters.py; its ratios are our time over the peer's, those of the page the other way round."""
    name = found["row"]
    row = {"type": "float32", "scene": "2000x2000"}
    if match := re.fullmatch(r"(ssd|sad) (\w+) (\d+)", name):
        size = match[3]
        row |= {"section": "operations", "what": match[1], "type": match[2], "template": f"{size}x{size}"}
    elif match := re.fullmatch(r"(\w+) (\d+)\^3 in (\d+)\^3", name):
        row |= {"what": match[1], "scene": "x".join([match[3]] * 3), "template": "x".join([match[2]] * 3)}
    elif match := re.fullmatch(r"(\w+) (\d+)", name):
        row |= {"what": match[1], "template": f"{match[2]}x{match[2]}"}
    else:
        what, size = name.split(":")
        row |= {"what": what, "template": size if what == "box" else f"sigma {size}"}
    peer, *kind = found["best_peer"].split(" ")
    ratios = sorted(1 / ratio for ratio in found["ratios"])
    return row | {
        "peer": " ".join([peer, *([versions[peer]] if peer in versions else []), *kind]),
        "goal": float(f"{1 / found['goal']:.3g}"),
        "ratio": ratios[len(ratios) // 2],
        "least": ratios[0],
        "most": ratios[-1],
        "ours": sorted(found["own_ms"])[len(found["own_ms"]) // 2],
    }


def machine(threads):
    cpus = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{threads} threads of {cpus[1] if cpus else 'an unknown processor'}"


def record(path, section, command, threads, rows):
    """Replaces the figures of a file. Rows keep the line of the page that they share."""
    keys = ("what", "type", "scene", "template")
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    lines = {tuple(row.get(key) for key in keys): row["line"] for row in old if "line" in row}
    for row in rows:
        line = lines.get(tuple(row.get(key) for key in keys))
        if line:
            row["line"] = line
    head = {"section": section, "command": command, "machine": machine(threads), "date": str(datetime.date.today())}
    texts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    path.write_text("{" + ",\n ".join(texts) + ',\n "rows": [' +
                    ",".join("\n  " + json.dumps(row) for row in rows) + "]}\n")
