# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Tests aws, s3cmd and rclone against LocalCloud."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import ClassVar

from local_cloud import BUCKET, OTHER_BUCKET, PERMANENT, TEMPORARY, Account
from s3_case import S3_REGION, S3TestCase, plain_environment

TIME_LIMIT = 180
LARGE = 20 << 20


class ToolTestCase(S3TestCase):
    """Tests of a program that copies files."""

    folder: pathlib.Path

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="storage-auth-tools-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_tool(self, *command: str, environment: dict[str, str] | None = None, status: int = 0) -> str:
        all_names = plain_environment() | {"HOME": str(self.folder)} | (environment or {})
        done = subprocess.run(command, env=all_names, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
        text = done.stdout + done.stderr
        if (done.returncode == 0) != (status == 0):
            raise AssertionError(f"{command} ended with status {done.returncode}: {text}")
        return text

    def file(self, name: str, body: bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return str(path)

    @staticmethod
    def beside_python(name: str) -> str:
        return str(pathlib.Path(sys.executable).parent / name)


class AWSCommandLine(ToolTestCase):
    def aws(self, *arguments: str, account: Account = PERMANENT, status: int = 0) -> str:
        return self.run_tool(
            self.beside_python("aws"), "--endpoint-url", self.cloud.s3, "--region", S3_REGION, *arguments,
            environment=account.environment, status=status)

    def test_files_are_uploaded_and_downloaded(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account.id):
                for size in (0, 1000, LARGE):
                    body = os.urandom(size)
                    path = self.file("sent +é", body)
                    where = f"s3://{BUCKET}/aws/dir +é/{size}"
                    self.aws("s3", "cp", "--quiet", path, where, account=account)
                    self.aws("s3", "cp", "--quiet", where, f"s3://{OTHER_BUCKET}/aws/{size}", account=account)
                    back = self.folder / "back"
                    self.aws("s3", "cp", "--quiet", f"s3://{OTHER_BUCKET}/aws/{size}", str(back), account=account)
                    self.assertEqual(back.read_bytes(), body)
                listed = self.aws("s3", "ls", "--recursive", f"s3://{BUCKET}/aws/", account=account)
                self.assertEqual(len(listed.splitlines()), 3)
                self.aws("s3", "rm", "--quiet", "--recursive", f"s3://{BUCKET}/aws/", account=account)
                self.assertEqual(self.aws("s3", "ls", f"s3://{BUCKET}/aws/", account=account, status=1), "")

    def test_sync_and_buckets(self) -> None:
        for name in ("a", "b/c", "b/d e"):
            self.file(f"tree/{name}", name.encode())
        self.aws("s3", "mb", "s3://aws-made")
        self.aws("s3", "sync", "--quiet", str(self.folder / "tree"), "s3://aws-made/tree")
        self.aws("s3", "sync", "--quiet", "s3://aws-made/tree", str(self.folder / "copy"))
        self.assertEqual((self.folder / "copy" / "b" / "d e").read_bytes(), b"b/d e")
        self.aws("s3", "rb", "--force", "s3://aws-made")
        self.assertNotIn("aws-made", self.aws("s3", "ls"))

    def test_errors_are_reported(self) -> None:
        self.assertIn("SignatureDoesNotMatch",
                      self.aws("s3", "ls", f"s3://{BUCKET}", account=Account(PERMANENT.id, "wrong"), status=1))
        self.assertIn("InvalidAccessKeyId", self.aws("s3", "ls", account=Account("nobody", "wrong"), status=1))


class S3cmd(ToolTestCase):
    def s3cmd(self, *arguments: str, account: Account = PERMANENT, status: int = 0) -> str:
        host = self.cloud.s3.removeprefix("http://")
        options = [f"--host={host}", f"--host-bucket={host}", "--no-ssl", "--no-check-hostname", "--no-progress",
                   f"--access_key={account.id}", f"--secret_key={account.secret}", f"--region={S3_REGION}",
                   "--config=" + self.file("s3cfg", b"[default]\n"), "--multipart-chunk-size-mb=5"]
        if account.token is not None:
            options.append(f"--access_token={account.token}")
        return self.run_tool(sys.executable, self.beside_python("s3cmd"), *options, *arguments, status=status)

    def test_files_are_uploaded_and_downloaded(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account.id):
                for size in (1000, LARGE):
                    body = os.urandom(size)
                    where = f"s3://{BUCKET}/s3cmd/dir +é/{size}"
                    self.s3cmd("put", self.file("sent", body), where, account=account)
                    self.s3cmd("cp", where, f"s3://{OTHER_BUCKET}/s3cmd/{size}", account=account)
                    back = self.folder / "back"
                    self.s3cmd("get", "--force", f"s3://{OTHER_BUCKET}/s3cmd/{size}", str(back), account=account)
                    self.assertEqual(back.read_bytes(), body)
                self.s3cmd("info", f"s3://{BUCKET}/s3cmd/dir +é/1000", account=account)
                self.assertEqual(len(self.s3cmd("ls", "--recursive", f"s3://{BUCKET}/s3cmd/", account=account)
                                     .splitlines()), 2)
                self.s3cmd("del", "--recursive", "--force", f"s3://{BUCKET}/s3cmd/", account=account)
                self.assertEqual(self.s3cmd("ls", f"s3://{BUCKET}/s3cmd/", account=account), "")

    def test_errors_are_reported(self) -> None:
        self.assertIn("SignatureDoesNotMatch",
                      self.s3cmd("ls", f"s3://{BUCKET}", account=Account(PERMANENT.id, "wrong"), status=1))
        self.assertIn("InvalidAccessKeyId", self.s3cmd("ls", account=Account("nobody", "wrong"), status=1))


class Rclone(ToolTestCase):
    program: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        program = shutil.which("rclone")
        if program is None:
            if os.environ.get("CI") == "true":
                raise AssertionError("There is no rclone (on Debian: apt-get install rclone).")
            raise unittest.SkipTest("there is no rclone")
        cls.program = program
        super().setUpClass()

    def rclone(self, *arguments: str, account: Account = PERMANENT, status: int = 0) -> str:
        settings = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": self.cloud.s3, "REGION": S3_REGION,
                    "ACCESS_KEY_ID": account.id, "SECRET_ACCESS_KEY": account.secret, "FORCE_PATH_STYLE": "true",
                    "SESSION_TOKEN": account.token or "", "CHUNK_SIZE": "5M", "UPLOAD_CUTOFF": "6M"}
        environment = {f"RCLONE_CONFIG_CLOUD_{name}": value for name, value in settings.items()}
        return self.run_tool(self.program, "--retries=1", "--low-level-retries=1", "--log-level=ERROR", *arguments,
                             environment=environment, status=status)

    def test_files_are_uploaded_and_downloaded(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account.id):
                bodies = {name: os.urandom(size) for name, size in
                          {"a": 0, "dir +é/b": 1000, "large": LARGE}.items()}
                for name, body in bodies.items():
                    self.file(f"tree/{name}", body)
                self.rclone("copy", str(self.folder / "tree"), f"cloud:{BUCKET}/rclone", account=account)
                self.rclone("copy", f"cloud:{BUCKET}/rclone", f"cloud:{OTHER_BUCKET}/rclone", account=account)
                self.rclone("copy", f"cloud:{OTHER_BUCKET}/rclone", str(self.folder / "back"), account=account)
                for name, body in bodies.items():
                    self.assertEqual((self.folder / "back" / name).read_bytes(), body)
                self.rclone("check", str(self.folder / "tree"), f"cloud:{BUCKET}/rclone", account=account)
                self.assertEqual(sorted(self.rclone("lsf", "-R", "--files-only", f"cloud:{BUCKET}/rclone",
                                                    account=account).splitlines()), sorted(bodies))
                self.rclone("purge", f"cloud:{BUCKET}/rclone", account=account)
                self.rclone("purge", f"cloud:{OTHER_BUCKET}/rclone", account=account)

    def test_errors_are_reported(self) -> None:
        self.assertIn("SignatureDoesNotMatch",
                      self.rclone("lsf", f"cloud:{BUCKET}", account=Account(PERMANENT.id, "wrong"), status=1))
        self.assertIn("InvalidAccessKeyId", self.rclone("lsf", "cloud:", account=Account("nobody", "x"), status=1))
