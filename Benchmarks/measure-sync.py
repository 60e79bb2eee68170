#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Measures how many small objects a second `storage-auth sync` and the vendors' Python SDKs move, up and down.

    measure-sync.py BUILD [--files N] [--bytes N] [--connections N] [--rounds N] [--svg FILE] [--unchanged]

BUILD is a folder with a release build of storage-auth. All of them move the same tree to and from one `storage-auth serve`,
which verifies every signature, with the same number of connections, in turn in each round. The median counts. The SDKs run
in a virtual environment with the versions of Tests/Interop/requirements.txt, as their documentation shows for many files: a
thread pool with oss2, the thread pool of the COS SDK, and s3transfer, which boto3 and the AWS CLI use. Each run is a process
of its own, whose start is part of the time.

With --unchanged, `storage-auth sync` and the programs of sdks.py that synchronize with S3 compare a tree with a bucket that
has all of it. rclone has uploaded the objects, because it reads the times that it has stored with them; for `down`, each program
has downloaded its own folder before. Nothing may be moved in the measured runs."""

import argparse
import concurrent.futures
import filecmp
import os
import random
import shutil
import socket
import statistics
import sys
import tempfile
import time

from bars import draw
from sdks import PROGRAMS, S3_REGION, environment, programs, s3_environment
from servers import KEY, LocalCloud, Run, run

ID, SECRET = KEY.split(":")
BUCKET = "bench-1250000000"
PACKAGES = {"oss": "oss2", "cos": "cos-python-sdk-v5", "s3": "boto3"}
REGIONS = {"oss": "cn-hangzhou", "cos": "ap-guangzhou", "s3": S3_REGION}


# The SDKs, which run in the virtual environment.

def oss2_calls(endpoint: str, connections: int):
    import oss2
    session = oss2.Session(pool_size=connections)
    bucket = oss2.Bucket(oss2.make_auth(ID, SECRET, "v4"), endpoint, BUCKET, session=session, region=REGIONS["oss"])

    def keys(prefix: str) -> list[str]:
        return [found.key for found in oss2.ObjectIteratorV2(bucket, prefix=prefix, max_keys=1000)]

    return bucket.put_object_from_file, bucket.get_object_to_file, keys


def cos_calls(endpoint: str, connections: int):
    from qcloud_cos import CosConfig, CosS3Client
    port = endpoint.rsplit(":", 1)[1]
    # The SDK puts the bucket into the host. Names below localhost are this machine (RFC 6761), also without a resolver that
    # knows them.
    resolve = socket.getaddrinfo
    socket.getaddrinfo = lambda host, *rest, **more: resolve(
        "127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **more)
    client = CosS3Client(CosConfig(
        Endpoint=f"cos.{REGIONS['cos']}.localhost:{port}", Scheme="http", SecretId=ID, SecretKey=SECRET,
        PoolConnections=connections, PoolMaxSize=connections))

    def put(key: str, path: str) -> None:
        client.put_object_from_local_file(Bucket=BUCKET, LocalFilePath=path, Key=key)

    def get(key: str, path: str) -> None:
        client.get_object(Bucket=BUCKET, Key=key)["Body"].get_stream_to_file(path)

    def keys(prefix: str) -> list[str]:
        found, marker = [], ""
        while True:
            page = client.list_objects(Bucket=BUCKET, Prefix=prefix, Marker=marker, MaxKeys=1000)
            found += [entry["Key"] for entry in page.get("Contents", [])]
            if page["IsTruncated"] == "false":
                return found
            marker = page["NextMarker"]

    return put, get, keys


def s3_client(endpoint: str, connections: int):
    import boto3
    from botocore.config import Config
    return boto3.client(
        "s3", endpoint_url=endpoint, region_name=REGIONS["s3"], aws_access_key_id=ID, aws_secret_access_key=SECRET,
        config=Config(max_pool_connections=connections, s3={"addressing_style": "path"}))


def in_threads(work, pairs: list[tuple[str, str]], connections: int) -> None:
    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(work, key, path) for key, path in pairs]:
            done.result()


def run_sdk(cloud: str, direction: str, endpoint: str, folder: str, prefix: str, connections: int) -> None:
    """Moves a tree with an SDK."""
    if cloud == "s3":
        from s3transfer.manager import TransferConfig, TransferManager
        client = s3_client(endpoint, connections)
        with TransferManager(client, TransferConfig(max_request_concurrency=connections)) as manager:
            if direction == "up":
                moved = [manager.upload(path, BUCKET, key) for key, path in local_files(folder, prefix)]
            else:
                pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
                keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
                moved = [manager.download(BUCKET, key, path) for key, path in targets(keys, folder, prefix)]
            for done in moved:
                done.result()
        return
    put, get, keys = (oss2_calls if cloud == "oss" else cos_calls)(endpoint, connections)
    if direction == "up":
        in_threads(put, local_files(folder, prefix), connections)
    else:
        in_threads(get, targets(keys(prefix), folder, prefix), connections)


def local_files(folder: str, prefix: str) -> list[tuple[str, str]]:
    return [(prefix + os.path.relpath(os.path.join(parent, name), folder), os.path.join(parent, name))
            for parent, _, names in os.walk(folder) for name in names]


def targets(keys: list[str], folder: str, prefix: str) -> list[tuple[str, str]]:
    pairs = [(key, os.path.join(folder, key[len(prefix):])) for key in keys]
    for parent in {os.path.dirname(path) for _, path in pairs}:
        os.makedirs(parent, exist_ok=True)
    return pairs


# The measurement.

def make_tree(folder: str, files: int, size: int) -> None:
    generator = random.Random(1)
    # Older than the objects also in whole seconds, which services report.
    changed = time.time() - 3600
    for index in range(files):
        parent = os.path.join(folder, f"{index % 100:02}")
        os.makedirs(parent, exist_ok=True)
        path = os.path.join(parent, f"{index:05}.bin")
        with open(path, "wb") as file:
            file.write(generator.randbytes(size))
        os.utime(path, (changed, changed))


def check_tree(first: str, second: str, name: str) -> None:
    for parent, _, names in os.walk(first):
        other = os.path.join(second, os.path.relpath(parent, first))
        _, wrong, missing = filecmp.cmpfiles(parent, other, names, shallow=False)
        if wrong or missing:
            sys.exit(f"{name} moved other bytes: {(wrong + missing)[:3]}")


class Runner:
    """Runs the programs, each as one process."""

    def __init__(self, arguments: argparse.Namespace, urls: dict[str, str], folder: str, python: str):
        self.arguments, self.urls, self.folder, self.python = arguments, urls, folder, python
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment = kept | s3_environment(urls["s3"]) | {
            "OSS_ACCESS_KEY_ID": ID, "OSS_ACCESS_KEY_SECRET": SECRET, "TENCENTCLOUD_SECRET_ID": ID,
            "TENCENTCLOUD_SECRET_KEY": SECRET, "XDG_STATE_HOME": os.path.join(folder, "state")}

    def tool(self, cloud: str, *arguments: str) -> list[str]:
        return [os.path.join(self.arguments.build, "storage-auth"), *arguments, "--endpoint", self.urls[cloud], "--region",
                REGIONS[cloud]]

    def command(self, program: str, cloud: str, direction: str, tree: str, prefix: str) -> list[str]:
        count = str(self.arguments.connections)
        if program == "sync":
            sides = [tree, f"{cloud}://{BUCKET}/{prefix}"]
            return [*self.tool(cloud, "sync", *(sides if direction == "up" else sides[::-1])), "--jobs", count, "-q"]
        return [self.python, os.path.abspath(__file__), "--sdk", cloud, direction, self.urls[cloud], tree, prefix, count]

    def run(self, program: str, cloud: str, direction: str, tree: str, prefix: str) -> Run:
        return run(self.command(program, cloud, direction, tree, prefix), self.environment)


def measure(arguments: argparse.Namespace, folder: str) -> dict[tuple[str, str, str], list[Run]]:
    python = environment(*PACKAGES.values())
    tree = os.path.join(folder, "tree")
    make_tree(tree, arguments.files, arguments.bytes)
    server = LocalCloud(os.path.join(arguments.build, "storage-auth"), folder, BUCKET)
    found: dict[tuple[str, str, str], list[Run]] = {}
    try:
        runner = Runner(arguments, server.urls, folder, python)
        for number in range(arguments.rounds):
            for cloud in PACKAGES:
                for program in ["sync", "sdk"] if number % 2 == 0 else ["sdk", "sync"]:
                    prefix = f"{number}-{program}/"
                    back = os.path.join(folder, "back")
                    for direction, place in [("up", tree), ("down", back)]:
                        times = runner.run(program, cloud, direction, place, prefix)
                        found.setdefault((cloud, program, direction), []).append(times)
                    check_tree(tree, back, f"{program} {cloud}")
                    shutil.rmtree(back)
                    print(f"round {number + 1}: {cloud} {program}", file=sys.stderr, flush=True)
    finally:
        server.stop()
    return found


# Trees without changes.

def unchanged_commands(runner: Runner, tree: str, back: str) -> dict[str, dict[str, list[str]]]:
    """Returns the commands that compare a tree with the bucket, and the bucket with a folder below `back`, by program."""
    count = str(runner.arguments.connections)
    place, installed = f"s3://{BUCKET}/tree/", programs(runner.python)

    def both(name: str, command: list[str], remote: str, *options: str, local: str = "", source: str = "") -> dict:
        folder = os.path.join(back, name.replace(" ", "-"))
        return {"up": [*command, tree + local, remote, *options], "down": [*command, remote + source, folder + local, *options]}

    rclone = [installed["rclone"], "sync", "--transfers", count, "--checkers", count]
    cloud = f"cloud:{BUCKET}/tree"
    return {
        "sync": both("sync", runner.tool("s3", "sync", "--jobs", count, "-q"), place),
        "rclone sync": both("rclone sync", rclone, cloud),
        "rclone sync --update --use-server-modtime --fast-list": both(
            "rclone listing", rclone, cloud, "--update", "--use-server-modtime", "--fast-list"),
        "aws s3 sync": both(
            "aws", [installed["aws"], "s3", "sync", "--endpoint-url", runner.urls["s3"], "--only-show-errors"], place),
        "s5cmd sync": both(
            "s5cmd", [installed["s5cmd"], "--endpoint-url", runner.urls["s3"], "--numworkers", count, "sync"], place,
            local="/", source="*"),
    }


def state_of(folder: str) -> dict[str, tuple[int, int]]:
    """Returns the file number and the time of each file, which change if it is written again."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            status = os.stat(os.path.join(parent, name))
            found[os.path.join(parent, name)] = (status.st_ino, status.st_mtime_ns)
    return found


def measure_unchanged(arguments: argparse.Namespace, folder: str) -> dict[tuple[str, str], list[Run]]:
    python = environment(*PACKAGES.values(), "awscli", versions=PROGRAMS)
    tree, back, listing = (os.path.join(folder, name) for name in ("tree", "back", "listing"))
    make_tree(tree, arguments.files, arguments.bytes)
    os.mkdir(back)
    server = LocalCloud(os.path.join(arguments.build, "storage-auth"), folder, BUCKET)
    found: dict[tuple[str, str], list[Run]] = {}
    try:
        runner = Runner(arguments, server.urls, folder, python)
        commands = unchanged_commands(runner, tree, back)

        def objects() -> bytes:
            run(runner.tool("s3", "ls", "-r", f"s3://{BUCKET}/tree/"), runner.environment, listing)
            with open(listing, "rb") as file:
                return file.read()

        run(commands["rclone sync"]["up"], runner.environment)
        for program in commands:
            run(commands[program]["down"], runner.environment)
        before = objects(), state_of(back)
        lines = len(before[0].splitlines())
        if lines != arguments.files or len(before[1]) != arguments.files * len(commands):
            sys.exit(f"The programs did not move the whole tree: {lines} objects, {len(before[1])} files.")
        for number in range(arguments.rounds):
            for program in list(commands)[::1 if number % 2 == 0 else -1]:
                for direction in ("up", "down"):
                    found.setdefault((program, direction), []).append(run(commands[program][direction], runner.environment))
                after = objects(), state_of(back)
                if after != before:
                    changed = [path for path, state in after[1].items() if before[1].get(path) != state]
                    sys.exit(f"{program} moved files ({changed[:1]}) or objects that did not change.")
                print(f"round {number + 1}: {program}", file=sys.stderr, flush=True)
    finally:
        server.stop()
    return found


def report_unchanged(arguments: argparse.Namespace, found: dict[tuple[str, str], list[Run]]) -> None:
    print(f"{arguments.files} unchanged files of {arguments.bytes} bytes, {arguments.connections} connections, the median of "
          f"{arguments.rounds} rounds")
    print("| | seconds | processor seconds | MiB | times the seconds of sync | times its processor seconds |")
    print("|---|---|---|---|---|---|")
    ours = {}
    for program, direction in sorted(found, key=lambda row: row[1] == "down"):
        taken = Run(*(statistics.median(values) for values in zip(*found[program, direction])))
        ours.setdefault(direction, taken)
        print(f"| {direction}, {program} | {taken.seconds:.2f} | {taken.processor:.2f} | {taken.peak / 2**20:.0f} | "
              f"{taken.seconds / ours[direction].seconds:.1f} | {taken.processor / ours[direction].processor:.1f} |")


def report(arguments: argparse.Namespace, found: dict[tuple[str, str, str], list[Run]]) -> None:
    print(f"{arguments.files} files of {arguments.bytes} bytes, {arguments.connections} connections, the median of "
          f"{arguments.rounds} rounds; objects per second")
    print("| | sync | SDK | times the SDK | processor seconds of sync | of the SDK |")
    print("|---|---|---|---|---|---|")
    bars = []
    for direction in ["up", "down"]:
        for cloud, package in PACKAGES.items():
            rates, cpu = {}, {}
            for program in ["sync", "sdk"]:
                runs = found[cloud, program, direction]
                rates[program] = arguments.files / statistics.median(each.seconds for each in runs)
                cpu[program] = statistics.median(each.processor for each in runs)
            bars += [(f"{cloud} {direction}: sync", rates["sync"]), (f"{cloud} {direction}: {package} alone", rates["sdk"])]
            print(f"| {direction}, {cloud}:// and {package} | {rates['sync']:,.0f} | {rates['sdk']:,.0f} | "
                  f"{rates['sync'] / rates['sdk']:.1f} | {cpu['sync']:.1f} | {cpu['sdk']:.1f} |")
    if arguments.svg:
        with open(arguments.svg, "w") as file:
            file.write(draw(
                [("Small objects per second", "objects/s", bars)], "Small objects per second",
                f"Files of {arguments.bytes} bytes moved by storage-auth sync and by the vendors' SDKs."))


def main() -> None:
    if sys.argv[1:2] == ["--sdk"]:
        cloud, direction, endpoint, folder, prefix, connections = sys.argv[2:]
        return run_sdk(cloud, direction, endpoint, folder, prefix, int(connections))
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=4096)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--svg")
    parser.add_argument("--unchanged", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.unchanged:
            report_unchanged(arguments, measure_unchanged(arguments, folder))
        else:
            report(arguments, measure(arguments, folder))


if __name__ == "__main__":
    main()
