#!/usr/bin/env python3
"""Measures transfers against `storage-auth serve` next to those of curl: a large file up and down, and small objects by
layer.

    measure-transfers.py BUILD [--before BUILD] [--bytes N] [--rounds N]

BUILD is a folder with release builds of storage-auth and transfer-benchmark. With --before, the storage-auth of an older
build moves the large file too, in the same rounds and against the same server. The fastest round counts."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

KEY = "bench-id:bench-secret"
REGION = "cn-hangzhou"


class Server:
    """A LocalCloud server in a separate process."""

    def __init__(self, tool: str, folder: str):
        self.process = subprocess.Popen(
            [tool, "serve", "--json", "--account", KEY, "--bucket", "bench", "--root", os.path.join(folder, "root")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.endpoint = json.loads(self.process.stdout.readline())["oss"]

    def processor_seconds(self) -> float:
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def run(command: list[str], server: Server) -> tuple[float, float, float]:
    """Runs a command and returns the seconds, and the processor seconds of the client and of the server."""
    environment = os.environ | {"OSS_ACCESS_KEY_ID": KEY.split(":")[0], "OSS_ACCESS_KEY_SECRET": KEY.split(":")[1]}
    before = server.processor_seconds()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - start
    if status != 0:
        sys.exit(f"{command[0]} failed: {message.decode(errors='replace')}")
    return elapsed, usage.ru_utime + usage.ru_stime, server.processor_seconds() - before


def presigned(tool: str, server: Server, method: str, key: str) -> str:
    scheme, host = server.endpoint.split("://")
    environment = os.environ | {"OSS_ACCESS_KEY_ID": KEY.split(":")[0], "OSS_ACCESS_KEY_SECRET": KEY.split(":")[1]}
    return subprocess.run(
        [tool, "presign", method, f"{scheme}://{host}/bench/{key}", "--provider", "oss", "--region", REGION, "--expires",
         "3600"], check=True, capture_output=True, text=True, env=environment).stdout.strip()


def large(arguments: argparse.Namespace, folder: str) -> None:
    tool = os.path.join(arguments.build, "storage-auth")
    server = Server(tool, folder)
    try:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        with open("/dev/urandom", "rb") as random, open(source, "wb") as file:
            for _ in range(arguments.bytes >> 20):
                file.write(random.read(1 << 20))
        there = ["--endpoint", server.endpoint, "--region", REGION]
        tools = {"cp": tool}
        if arguments.before:
            tools = {"cp before": os.path.join(arguments.before, "storage-auth"), "cp": tool}
        put = presigned(tool, server, "PUT", "curl")
        get = presigned(tool, server, "GET", "curl")
        rows: dict[str, list[str]] = {"curl up": ["curl", "-sSf", "-T", source, put]}
        for name, program in tools.items():
            rows[f"{name} up"] = [program, "cp", source, "oss://bench/cp", *there]
        rows["curl down"] = ["curl", "-sSf", "-o", target, get]
        for name, program in tools.items():
            rows[f"{name} down"] = [program, "cp", "oss://bench/cp", target, *there]
        best: dict[str, list[float]] = {}
        for _ in range(arguments.rounds):
            for name, command in rows.items():
                found = run(command, server)
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
    finally:
        server.stop()


def small(arguments: argparse.Namespace, folder: str) -> None:
    for build in ([arguments.before] if arguments.before else []) + [arguments.build]:
        program = os.path.join(build, "transfer-benchmark")
        if not os.path.exists(program):
            continue
        server = Server(os.path.join(arguments.build, "storage-auth"), folder)
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
