# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that the SDKs' signers and `storage-auth sign --jsonl` sign pseudo-random requests alike."""

import datetime
import random
import unittest
import urllib.parse
from collections.abc import Callable
from typing import Any

import alibabacloud_oss_v2 as oss
import command
import oss2
import requests
from alibabacloud_oss_v2.signer import SignerV4
from alibabacloud_oss_v2.types import HttpRequest, SigningContext
from clock import SDKClock
from oss2.http import Request as OSS2Request
from qcloud_cos import CosConfig, CosS3Client
from qcloud_cos.cos_auth import CosS3Auth

COUNT = 60
NOW = 1_790_000_000
REGION = "cn-hangzhou"
ALPHABET = "abcXYZ019-_.~ +/%&=?#:;,@!*'()$[]{}|^`\"\\<>é文😀"
# Parameters that all signers support; those without a value have none on the real service either.
FLAGS = ["acl", "uploads", "tagging"]
PARAMETERS = ["prefix", "marker", "uploadId", "partNumber", "versionId", "response-content-type",
              "response-content-disposition", "continuation-token"]


class RandomRequest:
    """A request that all signers accept."""

    def __init__(self, seed: str, prefix: str) -> None:
        self._random = random.Random(seed)
        pick = self._random
        self.id = seed
        self.method = pick.choice(["GET", "PUT", "POST", "HEAD", "DELETE"])
        self.bucket = pick.choice(["photos", "a-1-b", "examplebucket-1250000000"])
        self.key = self._text(1, 24).lstrip("/") or "k"
        self.parameters = {name: self._text(1, 12) for name in pick.sample(PARAMETERS, pick.randrange(4))}
        self.parameters |= {name: "" for name in pick.sample(FLAGS, pick.randrange(2))}
        names = pick.sample([f"{prefix}meta-a", f"{prefix.title()}Meta-B", f"{prefix}meta-c-d", f"{prefix}acl",
                             f"{prefix}meta-e!f", f"{prefix}meta-of-a-long-name-b", f"{prefix}meta-of-a-long-name-a"],
                            pick.randrange(7))
        names += pick.sample(["Content-Type", "content-md5", "Range", "If-Match", "Cache-Control"], pick.randrange(4))
        self.headers = {name: self._text(1, 16).strip() or "v" for name in names}
        self.id_and_secret = (f"id{pick.randrange(10**9)}", f"s/+{pick.randrange(10**12)}")
        self.token = pick.choice([None, f"token+/{pick.randrange(10**12)}=="])
        self.expires = pick.randrange(1, 3600)

    def _text(self, least: int, most: int) -> str:
        return "".join(self._random.choices(ALPHABET, k=self._random.randrange(least, most)))

    def line(self, provider: str, mode: str, **fields: Any) -> dict[str, Any]:
        """Returns the request in the format of `--jsonl`."""
        identity, secret = self.id_and_secret
        return {
            "id": self.id, "provider": provider, "mode": mode, "method": self.method, "bucket": self.bucket,
            "key": self.key, "path": self.key, "query": [list(pair) for pair in self.parameters.items()],
            "headers": [list(pair) for pair in self.headers.items()],
            "credential": {"id": identity, "secret": secret, "token": self.token}, "date": NOW,
            "expires": self.expires, "region": REGION} | fields


def query(url: str, name: str) -> str:
    """Returns a query parameter of a URL."""
    pairs = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))
    return pairs[name]


class Signers(unittest.TestCase):
    def assertAgree(
        self, name: str, prefix: str, line: Callable[[RandomRequest], dict[str, Any]],
        theirs: Callable[[RandomRequest], str], ours: Callable[[dict[str, Any]], str]
    ) -> None:
        samples = [RandomRequest(f"{name} {number}", prefix) for number in range(COUNT)]
        answers = command.sign([line(sample) for sample in samples])
        for sample, answer in zip(samples, answers, strict=True):
            with self.subTest(sample.id), SDKClock(at=NOW).installed():
                self.assertEqual(ours(answer), theirs(sample), answer["stringToSign"])

    # oss2

    def oss2_request(self, sample: RandomRequest, version: str) -> tuple[Any, OSS2Request]:
        identity, secret = sample.id_and_secret
        auth = (oss2.StsAuth(identity, secret, sample.token, version) if sample.token
                else oss2.make_auth(identity, secret, version))
        url = f"https://{sample.bucket}.oss-{REGION}.aliyuncs.com/{urllib.parse.quote(sample.key, safe='')}"
        return auth, OSS2Request(
            sample.method, url, params=dict(sample.parameters), headers=dict(sample.headers), region=REGION,
            product="oss")

    def oss2_header(self, version: str) -> Callable[[RandomRequest], str]:
        def signature(sample: RandomRequest) -> str:
            auth, request = self.oss2_request(sample, version)
            auth._sign_request(request, sample.bucket, sample.key)
            return str(request.headers["authorization"]).replace(", ", ",")
        return signature

    def oss2_url(self, version: str, name: str) -> Callable[[RandomRequest], str]:
        def signature(sample: RandomRequest) -> str:
            auth, request = self.oss2_request(sample, version)
            return query(auth._sign_url(request, sample.bucket, sample.key, sample.expires), name)
        return signature

    def test_oss2_v4_header(self) -> None:
        self.assertAgree("oss2 v4 header", "x-oss-", lambda sample: sample.line("oss", "header", version="v4"),
                         self.oss2_header("v4"), lambda answer: answer["authorization"])

    def test_oss2_v1_header(self) -> None:
        self.assertAgree("oss2 v1 header", "x-oss-", lambda sample: sample.line("oss", "header", version="v1"),
                         self.oss2_header("v1"), lambda answer: answer["authorization"])

    def test_oss2_v4_url(self) -> None:
        self.assertAgree("oss2 v4 url", "x-oss-", lambda sample: sample.line("oss", "presign", version="v4"),
                         self.oss2_url("v4", "x-oss-signature"), lambda answer: query(answer["url"], "x-oss-signature"))

    def test_oss2_v1_url(self) -> None:
        self.assertAgree("oss2 v1 url", "x-oss-",
                         lambda sample: sample.line("oss", "presign", version="v1", allowsAmbiguousV1=True),
                         self.oss2_url("v1", "Signature"), lambda answer: query(answer["url"], "Signature"))

    # alibabacloud-oss-v2

    ADDITIONAL = ["range", "if-match", "cache-control"]

    def oss_v2_context(self, sample: RandomRequest, in_url: bool) -> SigningContext:
        url = f"https://{sample.bucket}.oss-{REGION}.aliyuncs.com/{urllib.parse.quote(sample.key)}"
        if sample.parameters:
            url += "?" + urllib.parse.urlencode(sample.parameters, quote_via=urllib.parse.quote)
        now = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
        context = SigningContext(
            product="oss", region=REGION, bucket=sample.bucket, key=sample.key,
            request=HttpRequest(sample.method, url, headers=dict(sample.headers)),
            credentials=oss.credentials.Credentials(*sample.id_and_secret, sample.token), signing_time=now,
            additional_headers=set(self.ADDITIONAL))
        context.auth_method_query = in_url
        context.expiration_time = now + datetime.timedelta(seconds=sample.expires)
        SignerV4().sign(context)
        return context

    def test_oss_v2_header(self) -> None:
        self.assertAgree(
            "oss v2 header", "x-oss-",
            lambda sample: sample.line("oss", "header", version="v4", additionalHeaders=self.ADDITIONAL),
            lambda sample: self.oss_v2_context(sample, False).request.headers["Authorization"],
            lambda answer: answer["authorization"])

    def test_oss_v2_url(self) -> None:
        self.assertAgree(
            "oss v2 url", "x-oss-",
            lambda sample: sample.line("oss", "presign", version="v4", additionalHeaders=self.ADDITIONAL),
            lambda sample: query(self.oss_v2_context(sample, True).request.url, "x-oss-signature"),
            lambda answer: query(answer["url"], "x-oss-signature"))

    # cos-python-sdk-v5

    def cos_line(self, sample: RandomRequest, mode: str) -> dict[str, Any]:
        return sample.line("cos", mode, host=self.cos_host(sample), keyTime=f"{NOW - 60};{NOW + sample.expires}")

    @staticmethod
    def cos_host(sample: RandomRequest) -> str:
        return f"{sample.bucket}-1250000000.cos.ap-guangzhou.myqcloud.com"

    def cos_config(self, sample: RandomRequest) -> CosConfig:
        identity, secret = sample.id_and_secret
        return CosConfig(Region="ap-guangzhou", SecretId=identity, SecretKey=secret, Token=sample.token)

    def cos_header(self, sample: RandomRequest) -> str:
        headers = dict(sample.headers)
        if sample.token is not None:
            headers["x-cos-security-token"] = sample.token
        url = f"https://{self.cos_host(sample)}/{urllib.parse.quote(sample.key)}"
        auth = CosS3Auth(self.cos_config(sample), sample.key, dict(sample.parameters), sample.expires)
        return str(auth(requests.Request(sample.method, url, headers=headers)).headers["Authorization"])

    def cos_url(self, sample: RandomRequest) -> str:
        parameters = dict(sample.parameters)
        if sample.token is not None:
            parameters["x-cos-security-token"] = sample.token
        url = CosS3Client(self.cos_config(sample)).get_presigned_url(
            Bucket=f"{sample.bucket}-1250000000", Key=sample.key, Method=sample.method, Expired=sample.expires,
            Params=parameters, Headers=dict(sample.headers))
        return query(url, "q-signature")

    def test_cos_header(self) -> None:
        self.assertAgree("cos header", "x-cos-", lambda sample: self.cos_line(sample, "header"), self.cos_header,
                         lambda answer: answer["authorization"])

    def test_cos_url(self) -> None:
        self.assertAgree("cos url", "x-cos-", lambda sample: self.cos_line(sample, "presign"), self.cos_url,
                         lambda answer: query(answer["url"], "q-signature"))
