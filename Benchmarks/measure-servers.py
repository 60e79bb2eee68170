#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Measures `storage-auth serve` and `storage-auth token-server` with wrk, next to nginx and to Hummingbird alone.

    measure-servers.py BUILD [--before BUILD] [--seconds N] [--rounds N] [--svg FILE]

BUILD is a folder with release builds of storage-auth and transfer-benchmark. With --before, an older build is measured in the same rounds. wrk has
to be installed; without nginx, its row is left out. Of each row the round with the least processor time per response counts,
and for the token server the one with the most responses."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from bars import draw
from servers import Hummingbird, LocalCloud, Nginx

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BODY = b"0123456789abcdef" * 64


Served = tuple[float, float, float, float]


def wrk(url: str, seconds: int, server: Hummingbird | LocalCloud | Nginx, is_accepted: bool = True,
        connections: int = 16) -> Served:
    """Returns the processor time of the server for a response in microseconds, the responses per second, and the median and
    the 99th percentile in milliseconds."""
    before = server.processor_seconds()
    output = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", url], check=True, capture_output=True, text=True).stdout
    used = server.processor_seconds() - before
    count = int(re.search(r"(\d+) requests in", output).group(1))
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    if int(refused.group(1) if refused else 0) != (0 if is_accepted else count):
        sys.exit(f"{url} got unexpected responses:\n{output}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    median, last = (
        float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]
        for value, unit in re.findall(r"(?:50|99)%\s+([\d.]+)(us|ms|s)", output))
    return used / count * 1e6, rate, median, last


def responses(builds: dict[str, str], arguments: argparse.Namespace, folder: str) -> dict[str, Served]:
    """Measures GET requests: a file from nginx, a fixed body from Hummingbird, a presigned object and a refusal from each build."""
    best: dict[str, Served] = {}
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            if Nginx.is_installed():
                nginx = Nginx(place)
                with open(os.path.join(nginx.files, "object"), "wb") as file:
                    file.write(BODY)
                found = wrk(f"{nginx.endpoint}/object", arguments.seconds, nginx)
                best["nginx, a file"] = min(best.get("nginx, a file", found), found)
                nginx.stop()
        plain = Hummingbird(os.path.join(arguments.build, "transfer-benchmark"))
        found = wrk(f"{plain.endpoint}/object", arguments.seconds, plain)
        best["Hummingbird alone"] = min(best.get("Hummingbird alone", found), found)
        plain.stop()
        for name, build in builds.items():
            with tempfile.TemporaryDirectory(dir=folder) as place:
                server = LocalCloud(os.path.join(build, "storage-auth"), place)
                source = os.path.join(place, "object")
                with open(source, "wb") as file:
                    file.write(BODY)
                subprocess.run(["curl", "-sSf", "-T", source, server.presigned("PUT", "object")], check=True)
                for row, url, is_accepted in [
                    (f"presigned GET {name}", server.presigned("GET", "object"), True),
                    (f"unsigned GET {name}", f"{server.endpoint}/bench/object", False),
                ]:
                    found = wrk(url, arguments.seconds, server, is_accepted)
                    best[row] = min(best.get(row, found), found)
                server.stop()
    return best


def tokens(builds: dict[str, str], arguments: argparse.Namespace) -> dict[str, tuple[float, float, float]]:
    """Measures the token server: responses per second at 256 connections, median and 99th percentile in milliseconds."""
    best: dict[str, tuple[float, float, float]] = {}
    for _ in range(arguments.rounds):
        plain = Hummingbird(os.path.join(arguments.build, "transfer-benchmark"))
        found = wrk(f"{plain.endpoint}/object", arguments.seconds, plain, connections=256)[1:]
        best["Hummingbird alone"] = max(best.get("Hummingbird alone", found), found)
        plain.stop()
        for name, build in builds.items():
            output = subprocess.run(
                [sys.executable, os.path.join(ROOT, "Tests/TokenLoad/token_load.py")], check=True, capture_output=True,
                text=True, env=os.environ | {
                    "STORAGE_AUTH": os.path.join(build, "storage-auth"), "SECONDS_OF_LOAD": str(arguments.seconds)},
            ).stdout
            rate = float(re.search(r"([\d.]+) (?:responses )?per s(?:econd)?\b", output).group(1))
            median, last = (float(re.search(rf"{word} ([\d.]+)", output).group(1)) for word in ("p50", "p99"))
            best[name] = max(best.get(name, (rate, median, last)), (rate, median, last))
    return best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--before")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing; install it with apt-get install wrk.")
    builds = ({"before": arguments.before} if arguments.before else {}) | {"now": arguments.build}
    with tempfile.TemporaryDirectory() as folder:
        found = responses(builds, arguments, folder)
    print("objects of 1 KiB, wrk -t1 -c16\n| | µs of processor time per response | responses per second |\n|---|---|---|")
    for name, (used, rate, *_) in found.items():
        print(f"| {name} | {used:.0f} | {rate:,.0f} |")
    served = tokens(builds, arguments)
    print("\n256 connections: the token server (wrk -t2 -c256), Hummingbird alone (wrk -t1 -c256)\n| | responses per second | median, ms | 99th percentile, ms |\n|---|---|---|---|")
    for name, (rate, median, last) in served.items():
        print(f"| {name} | {rate:,.0f} | {median:.0f} | {last:.0f} |")
    if arguments.svg:
        with open(arguments.svg, "w") as file:
            file.write(draw([
                ("Processor time of the server for a response", "µs", [(name, row[0]) for name, row in found.items()]),
                ("Token server at 256 connections: responses per second", "", [(name, row[0]) for name, row in served.items()]),
                ("Token server at 256 connections: 99th percentile", "ms", [(name, row[2]) for name, row in served.items()]),
            ], "Servers under load", "Processor time of a response of LocalCloud and its peers, and the token server at 256 connections."))


if __name__ == "__main__":
    main()
