# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests storage-auth against an independent server: moto, which verifies signatures with botocore's signer."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.request
from typing import Any

import boto3
import botocore.config
import requests
from command import TIME_LIMIT
from local_cloud import tool
from moto.server import ThreadedMotoServer

REGION = "eu-central-1"
POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}'


class MotoServer:
    """A server with a user and a role that have all permissions."""

    def __init__(self) -> None:
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        self.url = "http://{}:{}".format(*self._server.get_host_and_port())
        iam = self.client("iam", "any", "any")
        iam.create_user(UserName="alice")
        iam.put_user_policy(UserName="alice", PolicyName="all", PolicyDocument=POLICY)
        made = iam.create_access_key(UserName="alice")["AccessKey"]
        self.key = (made["AccessKeyId"], made["SecretAccessKey"], None)
        role = iam.create_role(RoleName="uploader", AssumeRolePolicyDocument=POLICY)["Role"]["Arn"]
        iam.put_role_policy(RoleName="uploader", PolicyName="all", PolicyDocument=POLICY)
        self.role = role
        taken = self.client("sts", *self.key[:2]).assume_role(RoleArn=role, RoleSessionName="tests")["Credentials"]
        self.temporary_key = (taken["AccessKeyId"], taken["SecretAccessKey"], taken["SessionToken"])

    def client(self, service: str, identity: str, secret: str, token: str | None = None) -> Any:
        return boto3.client(
            service, endpoint_url=self.url, region_name=REGION, aws_access_key_id=identity,
            aws_secret_access_key=secret, aws_session_token=token,
            config=botocore.config.Config(s3={"addressing_style": "path"}, retries={"max_attempts": 0}))

    def check_signatures(self, checks: bool) -> None:
        """Sets whether header signatures and actions are verified; moto fails for presigned URLs if they are."""
        trusted = b"0" if checks else b"1000000"
        requests.post(f"{self.url}/moto-api/reset-auth", data=trusted, timeout=TIME_LIMIT).raise_for_status()

    def stop(self) -> None:
        self._server.stop()


class Moto(unittest.TestCase):
    server: MotoServer
    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = MotoServer()
        cls.addClassCleanup(cls.server.stop)
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        cls.server.check_signatures(True)

    def run_tool(
        self, *arguments: str, key: tuple[str, str, str | None] | None = None, status: int = 0, region: str = REGION
    ) -> subprocess.CompletedProcess[str]:
        identity, secret, token = key or self.server.key
        environment = {
            "PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "AWS_ACCESS_KEY_ID": identity,
            "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": region, "AWS_ENDPOINT_URL_S3": self.server.url,
        } | ({"AWS_SESSION_TOKEN": token} if token else {})
        done = subprocess.run(
            [tool(), *arguments], env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def file(self, name: str, size: int) -> pathlib.Path:
        path = self.folder / name
        block = hashlib.sha256(name.encode()).digest()
        path.write_bytes((block * (size // 32 + 1))[:size])
        return path

    # Transfers

    def test_objects_are_unchanged_with_both_kinds_of_keys(self) -> None:
        for number, key in enumerate((self.server.key, self.server.temporary_key)):
            bucket = f"photos-{number}"
            self.run_tool("mb", f"s3://{bucket}", key=key)
            small, large = self.file("small", 1_000), self.file("large", 20 << 20)
            for source, name in ((small, "a b/ü+~.bin"), (large, "large")):
                self.run_tool("cp", str(source), f"s3://{bucket}/{name}", key=key)
                self.run_tool("cp", f"s3://{bucket}/{name}", str(self.folder / "back"), key=key)
                self.assertEqual((self.folder / "back").read_bytes(), source.read_bytes())
            self.run_tool("cp", f"s3://{bucket}/large", f"s3://{bucket}/copy", key=key)
            theirs = self.server.client("s3", *key)
            self.assertEqual(theirs.get_object(Bucket=bucket, Key="copy")["Body"].read(), large.read_bytes())
            head = theirs.head_object(Bucket=bucket, Key="large")
            self.assertTrue(head["ETag"].strip('"').endswith("-3"), head["ETag"])
            listed = self.run_tool("ls", "-r", f"s3://{bucket}", key=key).stdout
            self.assertEqual([line.split(" ", 1)[1].split(None, 1)[1] for line in
                              (line.strip() for line in listed.splitlines())], ["a b/ü+~.bin", "copy", "large"])
            self.run_tool("rm", "-r", "--yes", f"s3://{bucket}/", key=key)
            self.assertNotIn("Contents", theirs.list_objects_v2(Bucket=bucket))

    def test_objects_of_boto3_are_read_and_their_checksums_compared(self) -> None:
        theirs = self.server.client("s3", *self.server.key)
        self.run_tool("mb", "s3://theirs")
        for algorithm in ("CRC32", "CRC32C", "CRC64NVME", "SHA256"):
            content = hashlib.sha256(algorithm.encode()).digest() * 100
            theirs.put_object(Bucket="theirs", Key=algorithm, Body=content, ChecksumAlgorithm=algorithm)
            self.run_tool("cp", f"s3://theirs/{algorithm}", str(self.folder / "back"))
            self.assertEqual((self.folder / "back").read_bytes(), content)

    def test_listings_of_many_pages(self) -> None:
        theirs = self.server.client("s3", *self.server.key)
        self.run_tool("mb", "s3://many")
        names = sorted(f"{number % 7}/{number:04} +é" for number in range(1_100))
        for name in names:
            theirs.put_object(Bucket="many", Key=name, Body=b"")
        listed = self.run_tool("ls", "-r", "s3://many").stdout
        self.assertEqual([line[36:] for line in listed.splitlines()], names)
        self.assertEqual([line[36:] for line in self.run_tool("ls", "s3://many").stdout.splitlines()],
                         [f"{number}/" for number in range(7)])

    def test_presigned_urls(self) -> None:
        self.run_tool("mb", "s3://links")
        address = f"{self.server.url}/links/a%20b"
        self.server.check_signatures(False)
        self.addCleanup(self.server.check_signatures, True)
        for key in (self.server.key, self.server.temporary_key):
            url = self.run_tool("presign", "PUT", address, "--provider", "s3", "--region", REGION, key=key).stdout.strip()
            # Without a type, urllib sends that of forms, and moto does not store such an object.
            put = urllib.request.Request(url, data=b"bytes", headers={"Content-Type": "image/jpeg"}, method="PUT")
            with urllib.request.urlopen(put) as answer:
                self.assertEqual(answer.status, 200)
            url = self.run_tool("presign", "GET", address, "--provider", "s3", "--region", REGION, key=key).stdout.strip()
            with urllib.request.urlopen(url) as answer:
                self.assertEqual(answer.read(), b"bytes")

    # Errors

    def test_server_errors_are_reported(self) -> None:
        self.run_tool("mb", "s3://closed")
        identity, secret, _ = self.server.key
        for key, code in (((identity, "wrong", None), "SignatureDoesNotMatch"),
                          (("AKIANOBODY", secret, None), "InvalidAccessKeyId")):
            self.assertIn(code, self.run_tool("ls", "s3://closed", key=key, status=1).stderr)
        self.assertIn("NoSuchBucket", self.run_tool("ls", "s3://never-made", status=1).stderr)
        self.assertIn("NoSuchKey", self.run_tool("cp", "s3://closed/none", str(self.folder / "x"), status=1).stderr)
