#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Measures transfers against `storage-auth serve` next to those of curl: a large file up and down, and small objects by
layer.

    measure-transfers.py BUILD [--before BUILD] [--bytes N] [--rounds N] [--svg FILE]

BUILD is a folder with release builds of storage-auth and transfer-benchmark. With --before, the storage-auth of an older
build moves the large file too, in the same rounds and against the same server. Where nginx is installed, curl moves the file
to and from it as well. The fastest round counts. With --svg, the large file is drawn."""

import argparse
import os
import subprocess
import sys
import tempfile
import time

from bars import draw
from servers import ENVIRONMENT, KEY, REGION, LocalCloud, Nginx

def run(command: list[str], server: LocalCloud | Nginx) -> tuple[float, float, float]:
    """Runs a command and returns the seconds, and the processor seconds of the client and of the server."""
    before = server.processor_seconds()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | ENVIRONMENT)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - start
    if status != 0:
        sys.exit(f"{command[0]} failed: {message.decode(errors='replace')}")
    return elapsed, usage.ru_utime + usage.ru_stime, server.processor_seconds() - before


def large(arguments: argparse.Namespace, folder: str) -> None:
    tool = os.path.join(arguments.build, "storage-auth")
    server = LocalCloud(tool, folder)
    nginx = Nginx(folder) if Nginx.is_installed() else None
    try:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        with open("/dev/urandom", "rb") as random, open(source, "wb") as file:
            for _ in range(arguments.bytes >> 20):
                file.write(random.read(1 << 20))
        there = ["--endpoint", server.endpoint, "--region", REGION]
        tools = {"cp": tool}
        if arguments.before:
            tools = {"cp before": os.path.join(arguments.before, "storage-auth"), "cp": tool}
        rows: dict[str, tuple[LocalCloud | Nginx, list[str]]] = {}
        if nginx:
            rows["curl, nginx up"] = nginx, ["curl", "-sSf", "-T", source, f"{nginx.endpoint}/curl"]
        rows["curl up"] = server, ["curl", "-sSf", "-T", source, server.presigned("PUT", "curl")]
        for name, program in tools.items():
            rows[f"{name} up"] = server, [program, "cp", source, "oss://bench/cp", *there]
        if nginx:
            rows["curl, nginx down"] = nginx, ["curl", "-sSf", "-o", target, f"{nginx.endpoint}/curl"]
        rows["curl down"] = server, ["curl", "-sSf", "-o", target, server.presigned("GET", "curl")]
        for name, program in tools.items():
            rows[f"{name} down"] = server, [program, "cp", "oss://bench/cp", target, *there]
        best: dict[str, list[float]] = {}
        for _ in range(arguments.rounds):
            for name, (other, command) in rows.items():
                found = run(command, other)
                best[name] = [min(pair) for pair in zip(best.get(name, found), found)]
                if os.path.exists(target):
                    if subprocess.run(["cmp", "-s", source, target]).returncode != 0:
                        sys.exit(f"{name} transferred other bytes")
                    os.remove(target)
        print(f"{arguments.bytes >> 20} MiB, the fastest of {arguments.rounds} rounds")
        print("| | seconds | processor seconds of the client | of the server | times curl's seconds |")
        print("|---|---|---|---|---|")
        for name, (elapsed, client, other) in best.items():
            ratio = elapsed / best["curl " + name.split()[-1]][0]
            print(f"| {name} | {elapsed:.2f} | {client:.2f} | {other:.2f} | {ratio:.2f} |")
        if arguments.svg:
            size = f"{arguments.bytes >> 20} MiB"
            with open(arguments.svg, "w") as file:
                file.write(draw([
                    (f"{size}: seconds", "s", [(name, row[0]) for name, row in best.items()]),
                    (f"{size}: processor seconds of the client", "s", [(name, row[1]) for name, row in best.items()]),
                ], f"Transfers of {size}", "Seconds, and processor seconds of the client, next to curl."))
    finally:
        server.stop()
        if nginx:
            nginx.stop()


def small(arguments: argparse.Namespace, folder: str) -> None:
    for build in ([arguments.before] if arguments.before else []) + [arguments.build]:
        program = os.path.join(build, "transfer-benchmark")
        if not os.path.exists(program):
            continue
        server = LocalCloud(os.path.join(arguments.build, "storage-auth"), folder)
        try:
            print(f"\nobjects of 1 KiB, 16 at once{' (before)' if build == arguments.before else ''}")
            sys.stdout.flush()
            before = server.processor_seconds()
            subprocess.run(
                [program, "requests", "--endpoint", server.endpoint, "--bucket", "bench", "--key", KEY,
                 "--rounds", str(arguments.rounds)], check=True)
            print(f"the server: {server.processor_seconds() - before:.1f} processor seconds in all")
        finally:
            server.stop()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--before")
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--svg")
    parser.add_argument("--only", choices=["crc", "large", "small"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.only in (None, "crc"):
            print("CRCs, bytes per nanosecond of processor time")
            sys.stdout.flush()
            subprocess.run([os.path.join(arguments.build, "transfer-benchmark"), "crc"], check=True)
            print()
        if arguments.only in (None, "large"):
            large(arguments, folder)
        if arguments.only in (None, "small"):
            small(arguments, folder)


if __name__ == "__main__":
    main()
