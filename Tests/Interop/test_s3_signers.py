# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that botocore's signer for S3 and `storage-auth sign --jsonl` sign pseudo-random requests alike."""

import datetime
import json
import pathlib
import re
import unittest
import urllib.parse
from typing import Any
from unittest import mock

import botocore.auth
import command
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from test_signers import NOW, RandomRequest, query

COUNT = 1_500
REGIONS = ["us-east-1", "eu-central-1", "cn-north-1", "auto"]
INSTANT = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
VECTORS = pathlib.Path(__file__).parent.parent / "S3AuthTests" / "Vectors" / "s3.json"


class S3Request:
    """A random request in the formats of botocore and of `--jsonl`."""

    def __init__(self, seed: str) -> None:
        self.sample = sample = RandomRequest(seed, "x-amz-")
        pick = sample._random
        self.region = pick.choice(REGIONS)
        self.scheme = pick.choice(["https", "http"])
        self.body = bytes(pick.randrange(256) for _ in range(pick.randrange(40))) if sample.method == "PUT" else b""
        path = "/" + urllib.parse.quote(sample.key, safe="/~")
        if pick.random() < 0.5:
            self.host = f"{sample.bucket}.s3.{self.region}.amazonaws.com"
            self.path = path
        else:
            self.host = "127.0.0.1:9000"
            self.path = f"/{sample.bucket}{path}"
        self.headers = {name: re.sub(r"[^ -~]", "x", value).strip() or "v" for name, value in sample.headers.items()}

    def signed(self, auth_class: type[Any], *arguments: Any, body: bytes = b"") -> AWSRequest:
        """Returns the request signed by botocore; a URL is signed without a body."""
        request = AWSRequest(
            self.sample.method, f"{self.scheme}://{self.host}{self.path}", headers=dict(self.headers), data=body,
            params=dict(self.sample.parameters))
        identity, secret = self.sample.id_and_secret
        auth = auth_class(Credentials(identity, secret, self.sample.token), "s3", self.region, *arguments)
        with mock.patch("botocore.auth.get_current_datetime", return_value=INSTANT.replace(tzinfo=None)):
            auth.add_auth(request)
        return request

    def line(self, mode: str, **fields: Any) -> dict[str, Any]:
        line = self.sample.line("s3", mode, host=self.host, scheme=self.scheme, wirePath=self.path, region=self.region)
        return line | {"headers": [list(pair) for pair in self.headers.items()]} | fields


class S3Signers(unittest.TestCase):
    def test_headers(self) -> None:
        requests = [S3Request(f"s3 header {number}") for number in range(COUNT)]
        theirs = [request.signed(botocore.auth.S3SigV4Auth, body=request.body) for request in requests]
        lines = []
        for request, signed in zip(requests, theirs, strict=True):
            names = re.search(r"SignedHeaders=([^,]*)", signed.headers["Authorization"])
            assert names
            lines.append(request.line(
                "header", payloadHash=signed.headers["X-Amz-Content-SHA256"],
                signedHeaders={"list": names[1].split(";")}))
        for request, signed, answer in zip(requests, theirs, command.sign(lines), strict=True):
            with self.subTest(request.sample.id):
                self.assertEqual(answer["authorization"], signed.headers["Authorization"], answer["stringToSign"])

    def test_urls(self) -> None:
        requests = [S3Request(f"s3 url {number}") for number in range(COUNT)]
        lines, theirs = [], []
        for request in requests:
            signed = request.signed(botocore.auth.S3SigV4QueryAuth, request.sample.expires)
            names = query(signed.url, "X-Amz-SignedHeaders").split(";")
            lines.append(request.line("presign", signedHeaders={"list": names}))
            theirs.append(signed.url)
        for request, url, answer in zip(requests, theirs, command.sign(lines), strict=True):
            with self.subTest(request.sample.id):
                self.assertEqual(
                    query(answer["url"], "X-Amz-Signature"), query(url, "X-Amz-Signature"), answer["canonicalRequest"])


class S3Vectors(unittest.TestCase):
    maxDiff = None

    def test_every_vector_for_the_command_line(self) -> None:
        cases = [case for case in json.loads(VECTORS.read_text(encoding="utf-8")) if case.get("cli", True)]
        decided = [case for case in cases if case.get("recommended") != "undecided"]
        for case, answer in zip(decided, command.sign(decided), strict=True):
            with self.subTest(case["id"]):
                expected = case["expected"]
                for name in ("authorization", "url", "stringToSign", "canonicalRequest"):
                    if name in expected:
                        self.assertEqual(answer.get(name), expected[name])
        self.assertEqual(len(decided), 129)
