# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Programs that use S3, with the operations of the clients in Python."""

import os
import shutil
import sys
import unittest

from local_cloud import BUCKET, Account
from s3_clients import PART, S3Client
from tool_case import ToolTestCase


class Program(S3Client):
    """Copies files of a folder that is removed after the test."""

    def __init__(self, case: ToolTestCase, account: Account) -> None:
        self.case = case
        self.account = account

    def put(self, key: str, body: bytes) -> None:
        self.put_all({key: body})

    def sent(self, bodies: dict[str, bytes]) -> str:
        """Writes files and returns their folder."""
        shutil.rmtree(self.case.folder / "sent", ignore_errors=True)
        for key, body in bodies.items():
            self.case.file(f"sent/{key}", body)
        return str(self.case.folder / "sent")


def rclone_program() -> str:
    """Returns the path of rclone, skips the test where there is none, and fails it with `CI=true`."""
    program = shutil.which("rclone")
    if program is None:
        if os.environ.get("CI") == "true":
            raise AssertionError("There is no rclone (on Debian: apt-get install rclone).")
        raise unittest.SkipTest("there is no rclone")
    return program


class Rclone(Program):
    """Runs rclone with a provider.

    If there is a proxy, the server is that proxy: rclone then sends the service's own host names, with the bucket.
    """

    def __init__(self, case: ToolTestCase, account: Account, program: str, provider: str, endpoint: str,
                 proxy: str) -> None:
        super().__init__(case, account)
        self.program = program
        settings = {"TYPE": "s3", "PROVIDER": provider, "ENDPOINT": endpoint, "ACCESS_KEY_ID": account.id,
                    "SECRET_ACCESS_KEY": account.secret, "SESSION_TOKEN": account.token or "",
                    "CHUNK_SIZE": f"{PART >> 20}M", "UPLOAD_CUTOFF": f"{PART >> 20}M"}
        self.environment = {f"RCLONE_CONFIG_CLOUD_{name}": value for name, value in settings.items()}
        if proxy:
            self.environment |= {"HTTP_PROXY": proxy, "http_proxy": proxy, "NO_PROXY": "", "no_proxy": ""}

    def run(self, *arguments: str) -> str:
        return self.case.run_tool(self.program, "--retries=1", "--low-level-retries=1", "--log-level=ERROR", *arguments,
                                  environment=self.environment)

    def put_all(self, bodies: dict[str, bytes]) -> None:
        sent = self.sent(bodies)
        self.run("copy", sent, f"cloud:{BUCKET}")
        self.run("check", "--one-way", sent, f"cloud:{BUCKET}")

    def get(self, key: str) -> bytes:
        back = self.case.folder / "back"
        self.run("copyto", f"cloud:{BUCKET}/{key}", str(back))
        return back.read_bytes()

    def get_all(self, root: str, keys: list[str]) -> dict[str, bytes]:
        back = self.case.folder / "tree"
        shutil.rmtree(back, ignore_errors=True)
        self.run("copy", f"cloud:{BUCKET}/{root}", str(back / root))
        return {str(path.relative_to(back)): path.read_bytes() for path in back.rglob("*") if path.is_file()}

    def read(self, key: str, start: int, end: int) -> bytes:
        return self.run("cat", f"--offset={start}", f"--count={end - start}", f"cloud:{BUCKET}/{key}").encode()

    def names(self, folder: str) -> list[str]:
        return [folder + name for name in self.run("lsf", f"cloud:{BUCKET}/{folder}").splitlines()]

    def copy(self, source: str, target: str) -> None:
        self.run("copyto", f"cloud:{BUCKET}/{source}", f"cloud:{BUCKET}/{target}")

    def delete_all(self, root: str, keys: list[str]) -> None:
        self.run("purge", f"cloud:{BUCKET}/{root}")


class S3cmd(Program):
    def __init__(self, case: ToolTestCase, account: Account, endpoint: str, region: str) -> None:
        super().__init__(case, account)
        host = endpoint.removeprefix("http://")
        self.options = [f"--host={host}", f"--host-bucket={host}", "--no-ssl", "--no-check-hostname", "--no-progress",
                        f"--access_key={account.id}", f"--secret_key={account.secret}", f"--region={region}",
                        "--config=" + case.file("s3cfg", b"[default]\n"), f"--multipart-chunk-size-mb={PART >> 20}"]
        if account.token is not None:
            self.options.append(f"--access_token={account.token}")

    def run(self, *arguments: str) -> str:
        return self.case.run_tool(sys.executable, self.case.beside_python("s3cmd"), *self.options, *arguments)

    def put_all(self, bodies: dict[str, bytes]) -> None:
        self.run("put", "--recursive", self.sent(bodies) + "/", f"s3://{BUCKET}")

    def get(self, key: str) -> bytes:
        back = self.case.folder / "back"
        self.run("get", "--force", f"s3://{BUCKET}/{key}", str(back))
        return back.read_bytes()

    def get_all(self, root: str, keys: list[str]) -> dict[str, bytes]:
        back = self.case.folder / "tree"
        shutil.rmtree(back, ignore_errors=True)
        back.mkdir()
        self.run("get", "--recursive", f"s3://{BUCKET}/{root}", f"{back}/")
        return {str(path.relative_to(back)): path.read_bytes() for path in back.rglob("*") if path.is_file()}

    def read(self, key: str, start: int, end: int) -> bytes:
        """Continues a download, which reads from the start to the end of the object."""
        back = self.case.file("continued", bytes(start))
        self.run("get", "--continue", f"s3://{BUCKET}/{key}", back)
        with open(back, "rb") as file:
            return file.read()[start:end]

    def names(self, folder: str) -> list[str]:
        lines = self.run("ls", f"s3://{BUCKET}/{folder}").splitlines()
        return [line.split(f"s3://{BUCKET}/", 1)[1] for line in lines]

    def copy(self, source: str, target: str) -> None:
        self.run("cp", f"s3://{BUCKET}/{source}", f"s3://{BUCKET}/{target}")
        self.run("info", f"s3://{BUCKET}/{target}")

    def delete_all(self, root: str, keys: list[str]) -> None:
        self.run("del", "--recursive", "--force", f"s3://{BUCKET}/{root}")
