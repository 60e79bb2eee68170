#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Counts the instructions of each signing workload outside of libcrypto with callgrind, and checks their budgets.

usage: count-instructions.py PROGRAM [WORKLOAD...]

The program runs twice for each workload, and the difference of the two runs is divided by the difference of the
signature counts, so that work that happens once does not count. The figures do not depend on load. The script runs a copy
without debug information, whose newer formats valgrind cannot read.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

FEW, MANY = 200, 1200


def instructions(program, workload, acts, folder):
    """Returns the instructions of a run, inside and outside of libcrypto."""
    report = Path(folder) / f"{workload}.{acts}"
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={report}", program, "--only", workload, str(acts)],
        check=True, stderr=subprocess.DEVNULL)
    names, current, inside, outside, is_call = {}, "", 0, 0, False
    for line in report.read_text().splitlines():
        if line.startswith(("ob=", "cob=")):
            # A number is followed by its name at its first occurrence.
            kind, _, text = line.partition("=")
            number, _, name = text.partition(" ")
            name = names.setdefault(number, name)
            if kind == "ob":
                current = name
        elif line.startswith("calls="):
            # The next line has the cost of the called function, which is counted at its own lines.
            is_call = True
        elif line and line[0] in "0123456789+-*":
            if not is_call:
                cost = int(line.split()[1])
                if "libcrypto" in current:
                    inside += cost
                else:
                    outside += cost
            is_call = False
    return inside, outside


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, wanted = sys.argv[1], sys.argv[2:]
    listed = subprocess.run([program, "--names"], check=True, capture_output=True, text=True).stdout.split()
    budgets = dict(zip(listed[::2], map(int, listed[1::2])))
    over = []
    print("workload   instructions outside of libcrypto   budget   inside of libcrypto")
    with tempfile.TemporaryDirectory() as folder:
        stripped = str(Path(folder) / "program")
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        for workload in wanted or budgets:
            few, many = (instructions(stripped, workload, acts, folder) for acts in (FEW, MANY))
            inside, outside = ((many[part] - few[part]) / (MANY - FEW) for part in (0, 1))
            print(f"{workload:8} {outside:37.0f} {budgets[workload]:8} {inside:21.0f}", flush=True)
            if outside > budgets[workload]:
                over.append(f"{workload}: {outside:.0f} instructions for one signature, budget {budgets[workload]}.")
    if over:
        sys.exit("\n".join(over))


if __name__ == "__main__":
    main()
