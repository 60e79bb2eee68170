#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs the XCTests that `swift build --traits CommandLine --build-tests` has built, several suites at a time, and says at the end which tests
were skipped and which failed: between thousands of lines nobody finds them.

Each process runs a few suites, so that a test that ends its process hides no others. `JOBS` is the number of processes at
a time, by default one more than there are processor cores, because tests wait for servers and programs part of the time.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SWIFT = os.environ.get("SWIFT", "swift")
SUITES_PER_PROCESS = 6
# The number of tests that are listed with their durations.
SLOWEST = 20
# No group of suites takes a tenth of it.
SECONDS_PER_PROCESS = 1200
EXECUTED = re.compile(r"^\t Executed (\d+) tests?, with (?:(\d+) tests? skipped and )?(\d+) failures?", re.MULTILINE)
FINISHED = re.compile(r"^Test Case '([^']+)' (?:passed|failed) \((\d+\.\d+) seconds\)", re.MULTILINE)
PROBLEM = re.compile(r": error: |^error: |[Ff]atal error: ")


def listed(binary, chosen):
    """Returns the suites, such as `StorageAuthTests.SecretTests`, that have a test whose name a pattern matches."""
    lines = subprocess.run([binary, "--list-tests"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = [line.strip() for line in lines.splitlines() if re.fullmatch(r"\s*\w+\.\w+/\w+", line)]
    return sorted({name.partition("/")[0] for name in names if chosen.search(name)})


def run(binary, suites):
    """Runs suites in one process, and returns the process's status, output and duration."""
    # The order of sets is the makefile's choice for builds; the tests must pass in any.
    environment = {key: value for key, value in os.environ.items() if key != "SWIFT_DETERMINISTIC_HASHING"}
    start = time.monotonic()
    try:
        result = subprocess.run(
            [binary, ",".join(suites)], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS_PER_PROCESS)
        status, output = result.returncode, result.stdout
    except subprocess.TimeoutExpired as error:
        status, output = 1, (error.stdout or b"").decode(errors="replace") + "error: It did not end in time.\n"
    return status, output, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scratch-path", help="the build folder")
    parser.add_argument("--filter", default="", help="a pattern for names such as Module.Suite/test")
    options = parser.parse_args()
    scratch = ["--scratch-path", options.scratch_path] if options.scratch_path else []
    if sys.platform == "darwin":
        pattern = ["--filter", options.filter] if options.filter else []
        sys.exit(subprocess.run([SWIFT, "test", "--skip-build", *scratch, *pattern], cwd=ROOT).returncode)

    folder = subprocess.run(
        [SWIFT, "build", *scratch, "--show-bin-path"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    binary = os.path.join(folder, "swift-storage-authPackageTests.xctest")
    suites = listed(binary, re.compile(options.filter))
    if not suites:
        sys.exit(f"error: {binary} has no test that matches \"{options.filter}\".")
    # Neighbors are alike, and take equally long; the groups are mixed.
    groups = [suites[start :: -(-len(suites) // SUITES_PER_PROCESS)] for start in range(-(-len(suites) // SUITES_PER_PROCESS))]

    counts, skipped, failed, durations = [0, 0, 0], [], [], []
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or (os.cpu_count() or 1) + 1)) as pool:
        runs = {pool.submit(run, binary, group): group for group in groups}
        for done in concurrent.futures.as_completed(runs):
            status, output, duration = done.result()
            executed = EXECUTED.findall(output)
            numbers = [int(number or 0) for number in executed[-1]] if executed else [0, 0, 0]
            counts = [sum(pair) for pair in zip(counts, numbers)]
            durations += [(float(seconds), name) for name, seconds in FINISHED.findall(output)]
            skipped += [line for line in output.splitlines() if ": Test skipped" in line]
            print(f"{numbers[0]:5} tests in {duration:5.1f} s: {', '.join(runs[done])}", flush=True)
            if status != 0 or not executed:
                print(output, flush=True)
                failed += [line for line in output.splitlines() if PROBLEM.search(line)]
                started = [line for line in output.splitlines() if line.startswith("Test Case ")]
                # A test that ended the process has begun and has no result.
                if started and started[-1].rstrip().endswith("started"):
                    failed.append(started[-1])
                elif not failed:
                    failed.append(f"error: {', '.join(runs[done])}: the process ended with status {status}.")

    print(f"The slowest of {sum(seconds for seconds, _ in durations):.0f} seconds:")
    for seconds, name in sorted(durations, reverse=True)[:SLOWEST]:
        print(f"{seconds:6.1f} s: {name}")
    print(f"Executed {counts[0]} tests of {len(suites)} suites; {counts[1]} were skipped.")
    if skipped:
        print("=== Skipped ===", *skipped, sep="\n")
    if failed:
        sys.stdout.flush()
        print("=== Failed ===", *failed, sep="\n", file=sys.stderr)
        sys.exit(1)


main()
