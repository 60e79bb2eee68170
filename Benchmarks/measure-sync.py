#!/usr/bin/env python3
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Measures how many small objects a second `storage-auth sync` and the vendors' Python SDKs move, up and down.

    measure-sync.py BUILD [--files N] [--bytes N] [--connections N] [--rounds N] [--svg FILE]

BUILD is a folder with a release build of storage-auth. All of them move the same tree to and from one `storage-auth serve`,
which verifies every signature, with the same number of connections, in turn in each round. The median counts. The SDKs run
in a virtual environment with the versions of Tests/Interop/requirements.txt, as their documentation shows for many files: a
thread pool with oss2, the thread pool of the COS SDK, and s3transfer, which boto3 and the AWS CLI use. Each run is a process
of its own, whose start is part of the time."""

import argparse
import concurrent.futures
import filecmp
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
ID, SECRET = "bench-id", "bench-secret"
BUCKET = "bench-1250000000"
PACKAGES = {"oss": "oss2", "cos": "cos-python-sdk-v5", "s3": "boto3"}
REGIONS = {"oss": "cn-hangzhou", "cos": "ap-guangzhou", "s3": "us-east-1"}


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

def environment_for_sdks() -> str:
    """Returns the Python of an environment with the SDKs, which is created if it is missing."""
    folder = os.path.join(ROOT, ".build/bench-venv")
    with open(os.path.join(ROOT, "Tests/Interop/requirements.txt")) as file:
        lines = [line.strip() for line in file]
    wanted = [next(re.sub(r"\[.*\]", "", line) for line in lines if re.match(rf"{name}(\[.*\])?==", line))
              for name in PACKAGES.values()]
    python = os.path.join(folder, "bin/python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
    return python


def make_tree(folder: str, files: int, size: int) -> None:
    generator = random.Random(1)
    for index in range(files):
        parent = os.path.join(folder, f"{index % 100:02}")
        os.makedirs(parent, exist_ok=True)
        with open(os.path.join(parent, f"{index:05}.bin"), "wb") as file:
            file.write(generator.randbytes(size))


def check_tree(first: str, second: str, name: str) -> None:
    for parent, _, names in os.walk(first):
        other = os.path.join(second, os.path.relpath(parent, first))
        _, wrong, missing = filecmp.cmpfiles(parent, other, names, shallow=False)
        if wrong or missing:
            sys.exit(f"{name} moved other bytes: {(wrong + missing)[:3]}")


class Runner:
    """Runs the programs, each as one process, and returns the seconds and the processor seconds."""

    def __init__(self, arguments: argparse.Namespace, urls: dict[str, str], folder: str, python: str):
        self.arguments, self.urls, self.folder, self.python = arguments, urls, folder, python
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment = kept | {
            "OSS_ACCESS_KEY_ID": ID, "OSS_ACCESS_KEY_SECRET": SECRET, "TENCENTCLOUD_SECRET_ID": ID,
            "TENCENTCLOUD_SECRET_KEY": SECRET, "AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true", "XDG_STATE_HOME": os.path.join(folder, "state")}

    def command(self, program: str, cloud: str, direction: str, tree: str, prefix: str) -> list[str]:
        count = str(self.arguments.connections)
        if program == "sync":
            sides = [tree, f"{cloud}://{BUCKET}/{prefix}"]
            return [os.path.join(self.arguments.build, "storage-auth"), "sync",
                    *(sides if direction == "up" else sides[::-1]), "--endpoint", self.urls[cloud], "--region",
                    REGIONS[cloud], "--jobs", count, "-q"]
        return [self.python, os.path.abspath(__file__), "--sdk", cloud, direction, self.urls[cloud], tree, prefix, count]

    def run(self, program: str, cloud: str, direction: str, tree: str, prefix: str) -> tuple[float, float]:
        command = self.command(program, cloud, direction, tree, prefix)
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment)
        message = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
        if status != 0:
            sys.exit(f"{program} {cloud} {direction} failed: {message.decode(errors='replace')[-2000:]}")
        return elapsed, usage.ru_utime + usage.ru_stime


def measure(arguments: argparse.Namespace, folder: str) -> dict[tuple[str, str, str], list[tuple[float, float]]]:
    python = environment_for_sdks()
    tree = os.path.join(folder, "tree")
    make_tree(tree, arguments.files, arguments.bytes)
    server = subprocess.Popen(
        [os.path.join(arguments.build, "storage-auth"), "serve", "--json", "--account", f"{ID}:{SECRET}", "--bucket",
         BUCKET, "--root", os.path.join(folder, "root")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    try:
        runner = Runner(arguments, json.loads(server.stdout.readline()), folder, python)
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
        server.send_signal(signal.SIGTERM)
        server.wait()
    return found


def report(arguments: argparse.Namespace, found: dict[tuple[str, str, str], list[tuple[float, float]]]) -> None:
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
                rates[program] = arguments.files / statistics.median(run[0] for run in runs)
                cpu[program] = statistics.median(run[1] for run in runs)
            bars += [(f"{cloud} {direction}: sync", rates["sync"]), (f"{cloud} {direction}: {package} alone", rates["sdk"])]
            print(f"| {direction}, {cloud}:// and {package} | {rates['sync']:,.0f} | {rates['sdk']:,.0f} | "
                  f"{rates['sync'] / rates['sdk']:.1f} | {cpu['sync']:.1f} | {cpu['sdk']:.1f} |")
    if arguments.svg:
        sys.path.insert(0, HERE)
        from bars import draw
        with open(arguments.svg, "w") as file:
            file.write(draw([("Small objects per second", "objects/s", bars)]))


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
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(arguments, measure(arguments, folder))


if __name__ == "__main__":
    main()
