#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs every program of Examples against the local server, and compares its output with NAME.txt in this folder.

What differs between two runs (ports, dates, signatures, the IDs of keys, tokens) is replaced by a placeholder before the
comparison; a mismatch is printed as a diff. The examples that serve until they are stopped are asked over HTTP. The
programs are those of the build: `BIN_PATH` names its folder, `swift build --traits CommandLine --show-bin-path` by default.

    Tests/Examples/check.py             # every example
    Tests/Examples/check.py OSSExample  # one of them
    Tests/Examples/check.py --update    # writes the files instead
"""
import argparse
import concurrent.futures
import difflib
import os
import subprocess
import sys

from normalize import normalized
from servers import form_upload, verified_service

FOLDER = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
TIME_LIMIT = 120

# The arguments of every run of an example that ends by itself.
RUNS = {
    "AnyProviderExample": [["--local"]],
    "AsperaExample": [["--local"]],
    "AsperaOnCloudExample": [["--local"]],
    "COSExample": [["--local"]],
    "CredentialsExample": [["--local"]],
    "OSSExample": [["--local"]],
    "RemoteSigningExample": [[]],
    "S3Example": [["--local"]],
    "TokenServerExample": [["--provider", name] for name in ("oss", "cos", "s3")],
}
# The function that asks each example that serves until it is stopped.
SERVERS = {"FormUploadExample": form_upload, "VerifiedServiceExample": verified_service}


def environment():
    """An environment without credentials, in which no example can reach a real service."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}


def transcript(program, arguments):
    """The output of a run of a program, below its command line."""
    lines = [" ".join(["$", os.path.basename(program), *arguments])]
    try:
        run = subprocess.run(
            [program, *arguments], env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        return [*lines, *output.splitlines(), f"(stopped after {TIME_LIMIT} seconds)"]
    lines += run.stdout.decode(errors="replace").splitlines()
    return lines if run.returncode == 0 else [*lines, f"(exit status {run.returncode})"]


def output(name, arguments, folder):
    """The normalized output of an example that runs with arguments, or that is asked over HTTP."""
    program = os.path.join(folder, name)
    if not os.path.exists(program):
        return [f"(there is no {name} in the build folder; build it first)"]
    if name in RUNS:
        return normalized(transcript(program, arguments))
    try:
        return normalized(SERVERS[name](program, environment(), TIME_LIMIT))
    except (OSError, LookupError, ValueError) as error:
        return [f"({name} gave no answer that can be used: {error!r})"]


def forgotten():
    """The folders of Examples that have a main program and no run here."""
    examples = os.path.join(ROOT, "Examples")
    programs = [name for name in sorted(os.listdir(examples)) if name.endswith("Example")]
    return [name for name in programs if name not in RUNS and name not in SERVERS]


def main():
    parser = argparse.ArgumentParser(description="Runs the examples, and compares their output with the expected one.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an example; all by default")
    parser.add_argument("--update", action="store_true", help="write the expected output")
    options = parser.parse_args()
    known = sorted([*RUNS, *SERVERS])
    for name in options.names:
        if name not in known:
            parser.error(f"{name} is none of {', '.join(known)}")
    failed = forgotten()
    for name in failed:
        print(f"{name}: no run; add it to RUNS or SERVERS in Tests/Examples/check.py")
    folder = os.environ.get("BIN_PATH") or subprocess.run(
        ["swift", "build", "--traits", "CommandLine", "--show-bin-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        check=True).stdout.strip()
    names = options.names or known
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {name: [pool.submit(output, name, arguments, folder) for arguments in RUNS.get(name, [[]])]
                for name in names}
    outputs = {name: [line for run in runs for line in run.result()] for name, runs in jobs.items()}
    for name, lines in outputs.items():
        path = os.path.join(FOLDER, f"{name}.txt")
        if options.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
            continue
        expected = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                expected = file.read().splitlines()
        if lines != expected:
            failed.append(name)
            print("\n".join(difflib.unified_diff(
                expected, lines, f"Tests/Examples/{name}.txt", f"the output of {name}", lineterm="")))
    if failed:
        print(f"examples: {len(failed)} of {len(names)} print other lines than expected: {', '.join(failed)}")
        return 1
    print(f"examples: {len(names)} ran" + (", and their output was written" if options.update else " as expected"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
