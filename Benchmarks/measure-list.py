#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Measures a list of many keys: `storage-auth ls` and `du`, and other clients of S3, from one `storage-auth serve`.

    measure-list.py BUILD [--keys N] [--rounds N] [--root FOLDER]

BUILD is a folder with a release build of storage-auth. The programs take turns; each is a process of its own, whose start counts.
The first ones write a line with the date, the size and the key of each object, which are counted; the others count the objects
and their bytes. The median of the rounds counts. obstore fills the bucket. With --root, the data of the server stays in FOLDER,
and a bucket that is full already is used again."""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile

from sdks import PROGRAMS, S3_REGION, environment, programs, s3_environment
from servers import LocalCloud, Run, run

BUCKET = "bench"
MEASURED = os.path.abspath(__file__)


def key_of(number: int) -> str:
    return f"photos/2026/{number % 12 + 1:02}/{number % 28 + 1:02}/img_{number:07}.jpg"


# The SDKs, which run in the virtual environment.

def client_of_obstore(url: str):
    from obstore.store import S3Store
    return S3Store(BUCKET, endpoint=url, region=S3_REGION, client_options={"allow_http": True},
                   access_key_id=os.environ["AWS_ACCESS_KEY_ID"], secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"])


def fill(url: str, count: int) -> None:
    """Puts the objects that are missing, 32 at a time."""
    import obstore
    store = client_of_obstore(url)
    present = {entry["path"] for page in obstore.list(store, chunk_size=1000) for entry in page}
    missing = (key for key in map(key_of, range(count)) if key not in present)

    async def put_all() -> None:
        for key in missing:
            await obstore.put_async(store, key, b"x")

    async def together() -> None:
        await asyncio.gather(*(put_all() for _ in range(32)))

    asyncio.run(together())


def entries(sdk: str, url: str):
    """Returns the date, the size and the key of each object."""
    if sdk == "boto3":
        import boto3
        for page in boto3.client("s3", endpoint_url=url).get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for entry in page.get("Contents", []):
                yield entry["LastModified"], entry["Size"], entry["Key"]
    else:
        import obstore
        for page in obstore.list(client_of_obstore(url), chunk_size=1000):
            for entry in page:
                yield entry["last_modified"], entry["size"], entry["path"]


def run_sdk(sdk: str, work: str, url: str) -> None:
    if work == "print":
        for date, size, key in entries(sdk, url):
            print(f"{date:%Y-%m-%dT%H:%M:%SZ} {size:14} {key}")
        return
    objects = size = 0
    for _, each, _ in entries(sdk, url):
        objects += 1
        size += each
    print(f"{objects} objects, {size} bytes")


# The measurement.

def commands(tool: str, url: str, python: str) -> dict[str, list[str]]:
    """Returns the commands by the name of the row."""
    own = ["--endpoint", url, "--region", S3_REGION]
    installed = programs(python)
    return {
        "`storage-auth ls -r`": [tool, "ls", "-r", f"s3://{BUCKET}", *own],
        "boto3": [python, MEASURED, "--sdk", "boto3", "print", url],
        "obstore": [python, MEASURED, "--sdk", "obstore", "print", url],
        "`aws s3 ls --recursive`": [installed["aws"], "s3", "ls", "--recursive", f"s3://{BUCKET}", "--endpoint-url", url],
        "`rclone lsf -R`": [
            installed["rclone"], "lsf", "-R", "--files-only", "--fast-list", "--use-server-modtime", "--format", "tsp",
            f"cloud:{BUCKET}"],
        "`s5cmd ls`": [installed["s5cmd"], "--endpoint-url", url, "ls", f"s3://{BUCKET}/*"],
        "`storage-auth du`": [tool, "du", f"s3://{BUCKET}", *own],
        "boto3, counted": [python, MEASURED, "--sdk", "boto3", "count", url],
        "obstore, counted": [python, MEASURED, "--sdk", "obstore", "count", url],
        "`rclone size`": [installed["rclone"], "size", "--fast-list", f"cloud:{BUCKET}"],
    }


def measure(arguments: argparse.Namespace, folder: str) -> dict[str, list[Run]]:
    python = environment("boto3", "obstore", "awscli", versions=PROGRAMS)
    tool, output = os.path.join(arguments.build, "storage-auth"), os.path.join(folder, "output")
    server = LocalCloud(tool, arguments.root or folder, BUCKET)
    url = server.urls["s3"]
    variables = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    variables |= s3_environment(url)
    found: dict[str, list[Run]] = {}
    try:
        taken = run([python, MEASURED, "--fill", url, str(arguments.keys)], variables)
        print(f"filled in {taken.seconds:.0f} s", file=sys.stderr, flush=True)
        rows = commands(tool, url, python)
        for number in range(arguments.rounds):
            for name in list(rows)[::1 if number % 2 == 0 else -1]:
                found.setdefault(name, []).append(run(rows[name], variables, output))
                with open(output, encoding="utf-8") as file:
                    lines = file.read().splitlines()
                if len(lines) != arguments.keys and str(arguments.keys) not in lines[0]:
                    sys.exit(f"{name} found {len(lines)} objects: {lines[:1]}")
            print(f"round {number + 1}", file=sys.stderr, flush=True)
    finally:
        server.stop()
    return found


def report(arguments: argparse.Namespace, found: dict[str, list[Run]]) -> None:
    print(f"{arguments.keys} keys, the median of {arguments.rounds} rounds")
    print("| | seconds | processor seconds | MiB at most |")
    print("|---|---|---|---|")
    for name, runs in found.items():
        seconds, processor, peak = (statistics.median(values) for values in zip(*runs))
        print(f"| {name} | {seconds:.2f} | {processor:.2f} | {peak / 2**20:.0f} |")


def main() -> None:
    if sys.argv[1:2] == ["--sdk"]:
        return run_sdk(*sys.argv[2:])
    if sys.argv[1:2] == ["--fill"]:
        return fill(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--root")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(arguments, folder)
    report(arguments, found)


if __name__ == "__main__":
    main()
