# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A base class of tests that run the programs of others."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from s3_case import S3TestCase, plain_environment

TIME_LIMIT = 180


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
