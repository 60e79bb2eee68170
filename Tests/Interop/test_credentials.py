# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests storage-auth credentials: the source that is used, and that no secret is printed."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any

from command import TIME_LIMIT
from local_cloud import tool

SECRET, TOKEN = "s3cretcanary", "t0kencanary"


class Credentials(unittest.TestCase):
    """Tests with a separate home directory and environment, and without metadata services."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def run_tool(self, *arguments: str, status: int = 0, **environment: str) -> str:
        done = subprocess.run(
            [tool(), "credentials", "--no-metadata", *arguments], capture_output=True, text=True, timeout=TIME_LIMIT,
            check=False, env={"PATH": os.environ.get("PATH", ""), "HOME": str(self.home)} | environment)
        printed = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, printed)
        self.assertNotIn(SECRET, printed)
        self.assertNotIn(TOKEN, printed)
        return printed

    def report(self, *arguments: str, status: int = 0, **environment: str) -> dict[str, Any]:
        printed = self.run_tool("--json", *arguments, status=status, **environment)
        self.assertEqual(printed.count("\n"), 1, printed)
        return json.loads(printed)

    def write(self, name: str, text: str, mode: int = 0o600) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def test_environment_is_the_first_source(self) -> None:
        for provider, names in {
            "oss": ("OSS_ACCESS_KEY_ID", "OSS_ACCESS_KEY_SECRET", "OSS_SESSION_TOKEN"),
            "cos": ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY", "TENCENTCLOUD_TOKEN"),
        }.items():
            with self.subTest(provider):
                values = dict(zip(names, ("AKIDexample", SECRET, TOKEN)))
                printed = self.run_tool("--provider", provider, **values)
                self.assertIn("answered  environment", printed)
                self.assertIn("AKIDexample", printed)
                report = self.report("--provider", provider, **values)
                self.assertEqual(report["credential"], {"id": "AKIDexample", "isTemporary": True})
                self.assertEqual((report["declined"], report["warnings"]), ([], []))

    def test_missing_credentials_are_reported(self) -> None:
        for provider, count in {"oss": 9, "cos": 6}.items():
            with self.subTest(provider):
                report = self.report("--provider", provider, status=1)
                self.assertEqual(report["error"]["code"], "notConfigured")
                self.assertEqual(len(report["declined"]), count)
                for problem in report["declined"]:
                    self.assertTrue(problem["source"] and problem["message"] and problem["remedy"], problem)
                self.assertNotIn("metadata", json.dumps([problem["source"] for problem in report["declined"]]))
                printed = self.run_tool("--provider", provider, status=1)
                self.assertEqual(printed.count("declined  "), count)

    def test_file_readable_by_others_is_reported(self) -> None:
        self.write(".ossutilconfig", f"[Credentials]\naccessKeyID=LTAIfile\naccessKeySecret={SECRET}\n", mode=0o644)
        report = self.report("--provider", "oss")
        self.assertEqual(report["credential"]["id"], "LTAIfile")
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn("warning   ", self.run_tool("--provider", "oss"))
        self.write(".ossutilconfig", f"[Credentials]\naccessKeyID=LTAIfile\naccessKeySecret={SECRET}\n")
        self.assertEqual(self.report("--provider", "oss")["warnings"], [])

    def test_invalid_source_ends_the_search(self) -> None:
        self.write(".aliyun/config.json", '{"current": "default", "profiles": [' + SECRET)
        self.write(".ossutilconfig", f"[Credentials]\naccessKeyID=LTAIfile\naccessKeySecret={SECRET}\n")
        report = self.report("--provider", "oss", status=1)
        self.assertEqual(report["error"]["code"], "malformedResponse")
        self.assertIn("failed    ", self.run_tool("--provider", "oss", status=1))

    def test_incomplete_key_is_an_error(self) -> None:
        report = self.report("--provider", "cos", status=1, TENCENTCLOUD_SECRET_KEY=SECRET)
        self.assertEqual(report["error"]["code"], "failed")
        self.assertIn("TENCENTCLOUD_SECRET_ID", report["error"]["message"])

    def test_single_source(self) -> None:
        self.write(".ossutilconfig", f"[Credentials]\naccessKeyID=LTAIfile\naccessKeySecret={SECRET}\n")
        values = {"OSS_ACCESS_KEY_ID": "AKIDexample", "OSS_ACCESS_KEY_SECRET": SECRET}
        report = self.report("--provider", "oss", "--source", "ossutil", **values)
        self.assertEqual(report["credential"]["id"], "LTAIfile")
        self.assertEqual(report["declined"], [])
        report = self.report("--provider", "oss", "--source", "environment", status=1, **values)
        self.assertEqual(len(report["declined"]), 1)
        printed = self.run_tool("--provider", "cos", "--source", "ossutil", status=64)
        self.assertIn("not a source of cos", printed)

    def test_key_of_a_command(self) -> None:
        answer = {"mode": "StsToken", "access_key_id": "STS.process", "access_key_secret": SECRET, "sts_token": TOKEN,
                  "expiration": 4102444800}
        self.write("answer.json", json.dumps(answer))
        profile = {"name": "default", "mode": "External", "process_command": f"cat {self.home}/answer.json"}
        self.write(".aliyun/config.json", json.dumps({"current": "default", "profiles": [profile]}))
        report = self.report("--provider", "oss")
        self.assertEqual(report["credential"]["id"], "STS.process")
        self.assertEqual(report["credential"]["expiration"], "2100-01-01T00:00:00Z")
        self.assertGreater(report["credential"]["secondsLeft"], 0)

    def test_expired_key_is_reported(self) -> None:
        answer = {"AccessKeyId": "STS.old", "AccessKeySecret": SECRET, "SecurityToken": TOKEN,
                  "Expiration": "2020-01-01T00:00:00Z"}
        self.write("answer.json", json.dumps(answer))
        profile = {"name": "default", "mode": "External", "process_command": f"cat {self.home}/answer.json"}
        self.write(".aliyun/config.json", json.dumps({"current": "default", "profiles": [profile]}))
        self.assertLess(self.report("--provider", "oss", status=1)["credential"]["secondsLeft"], 0)
        self.assertIn("no longer", self.run_tool("--provider", "oss", status=1))
