#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Draws the signing workloads as SVG: the time of a signature relative to its hash blocks.

    plot-signing.py PROGRAM FILE

PROGRAM is signing-benchmark, which runs first. Exits with its status, which is 1 if a goal is missed, after drawing."""

import subprocess
import sys

from bars import draw

NAMES = {
    "W1": "OSS V1, header", "W2": "OSS V1, URL", "W3": "OSS V4, header", "W4": "COS V5, header", "W5": "COS V5, URL",
    "W6": "S3, header", "W7": "S3, URL", "F1": "OSS V1, fields", "F3": "OSS V4, fields", "F4": "COS V5, fields",
    "F6": "S3, fields", "H1": "OSS V1, prepared fields", "H3": "OSS V4, prepared fields", "H4": "COS V5, prepared fields",
    "H6": "S3, prepared fields", "P2": "OSS V1, prepared URL", "P5": "COS V5, prepared URL",
    "P7": "S3, prepared URL",
}
# A header and a URL have a goal of their own for each scheme, which the program checks.
GOALS = {"header": (), "fields": (3.0,), "prepared fields": (3.0,), "URL": (), "prepared URL": (2.5,)}

TITLES = {
    "header": "Headers", "fields": "Fields alone", "prepared fields": "Fields of a prepared signer", "URL": "URLs",
    "prepared URL": "URLs of an object presigner",
}


def main() -> int:
    program, path = sys.argv[1:]
    run = subprocess.run([program, "--tsv"], stdout=subprocess.PIPE, text=True)
    minima: dict[tuple[str, str], float] = {}
    for line in run.stdout.splitlines():
        fields = line.split("\t")
        if fields[0] == "NS":
            minima[fields[1], fields[2]] = float(fields[4])
    if len(minima) != 2 * len(NAMES):
        sys.exit(f"plot-signing.py: {program} measured {len(minima)} of {2 * len(NAMES)} rows; its status is {run.returncode}")
    ratios = {name: minima["swift-storage-auth", name] / minima["hash-blocks", name] for name in NAMES}
    panels = []
    for kind, goal in GOALS.items():
        bars = [(f"{name}: {about}", ratios[name]) for name, about in NAMES.items() if about.endswith(f", {kind}")]
        panels.append((f"{TITLES[kind]}: time of a signature, relative to its hash blocks", "times", bars, *goal))
    text = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(
            panels, "Time of a signature, relative to its hash blocks",
            f"Times the hash blocks: {text}. The goal is 3 for fields and 2.5 for prepared URLs."))
    print(f"{path}: {text}")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
