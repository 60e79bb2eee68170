# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Starts `storage-auth serve` for a test class, with the accounts that may sign."""

import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar
from unittest import mock

READY_WITHIN = 60
STOPPED_WITHIN = 30
BUCKET = "photos-1250000000"
OTHER_BUCKET = "archive-1250000000"
REGION = "cn-hangzhou"

# Object keys that would be lost or changed by double decoding, splitting or normalization.
ODD_KEYS = ["a b+c%2F/文.txt", "dir//x", "trailing/", "a=b&c?d#e", "~!*'();:@,[]", "😀/%41", "a/./b/../c", "..x/.y"]


@dataclass(frozen=True)
class Account:
    """An account that signs; a temporary account has a token."""

    id: str
    secret: str
    token: str | None = None

    @property
    def argument(self) -> str:
        return ":".join(part for part in (self.id, self.secret, self.token) if part is not None)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables from which storage-auth reads the keys."""
        names = {"OSS_ACCESS_KEY_ID": self.id, "OSS_ACCESS_KEY_SECRET": self.secret,
                 "TENCENTCLOUD_SECRET_ID": self.id, "TENCENTCLOUD_SECRET_KEY": self.secret,
                 "AWS_ACCESS_KEY_ID": self.id, "AWS_SECRET_ACCESS_KEY": self.secret}
        if self.token is not None:
            names |= {"OSS_SESSION_TOKEN": self.token, "TENCENTCLOUD_TOKEN": self.token,
                      "AWS_SESSION_TOKEN": self.token}
        return names


PERMANENT = Account("test-id", "test-secret")
TEMPORARY = Account("STS.test-id", "temporary-secret", "CAIS+token/with:every=kind&of%20byte")
DISABLED = Account("disabled-id", "disabled-secret")
UNKNOWN = Account("unknown-id", "test-secret")


def tool() -> str:
    """Returns the path of storage-auth, which run.sh sets."""
    path = os.environ.get("STORAGE_AUTH")
    if not path:
        raise RuntimeError("STORAGE_AUTH does not name the storage-auth binary; run Tests/Interop/run.sh.")
    return path


class LocalCloud:
    """OSS, COS and S3 on loopback for the duration of a block.

    The server receives its accounts from all three sources: the environment, a file and its arguments.
    """

    def __init__(self, strict: bool = False, options: tuple[str, ...] = ()) -> None:
        self._root = tempfile.mkdtemp(prefix="storage-auth-interop-")
        file = pathlib.Path(self._root, "accounts")
        file.touch(mode=0o600)
        file.write_text(f"# The temporary account\n{TEMPORARY.argument}\n", encoding="utf-8")
        root = str(pathlib.Path(self._root, "objects"))
        command = [tool(), "serve", "--json", "--root", root, "--bucket", BUCKET, "--bucket", OTHER_BUCKET]
        command += ["--account-file", str(file), "--disabled", DISABLED.argument]
        # The region whose buckets need no location constraint.
        command += ["--s3-region", "us-east-1"]
        command += options
        if strict:
            command.append("--strict")
        environment = os.environ | {"STORAGE_AUTH_ACCOUNT": PERMANENT.argument}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            ready = self._first_line()
        except BaseException:
            self._process.kill()
            self.stop()
            raise
        self.oss: str = ready["oss"]
        self.cos: str = ready["cos"]
        self.s3: str = ready["s3"]
        self.s3_app_server: str = ready["s3AppServer"]
        self.services: str = ready["services"]
        self.node: str = ready["node"]
        self.transfer_port: int = ready["transferPort"]

    def _first_line(self) -> dict[str, Any]:
        lines: queue.Queue[str] = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=lambda out: lines.put(out.readline()), args=[self._process.stdout], daemon=True).start()
        try:
            return json.loads(lines.get(timeout=READY_WITHIN))
        except (queue.Empty, json.JSONDecodeError) as error:
            raise RuntimeError("storage-auth serve did not report that it is ready.") from error

    @property
    def oss_port(self) -> int:
        return int(self.oss.rsplit(":", 1)[1])

    @property
    def cos_port(self) -> int:
        return int(self.cos.rsplit(":", 1)[1])

    @property
    def services_port(self) -> int:
        return int(self.services.rsplit(":", 1)[1])

    def stop(self) -> int:
        """Stops the server as a user would, and returns its exit status."""
        self._process.terminate()
        try:
            return self._process.wait(timeout=STOPPED_WITHIN)
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            shutil.rmtree(self._root, ignore_errors=True)

    def __enter__(self) -> "LocalCloud":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


class CloudTestCase(unittest.TestCase):
    """Tests with one server; names below `localhost` resolve to it, for SDKs with the bucket in the host."""

    strict: ClassVar[bool] = False
    serve_options: ClassVar[tuple[str, ...]] = ()
    cloud: ClassVar[LocalCloud]

    @classmethod
    def setUpClass(cls) -> None:
        resolve = socket.getaddrinfo

        def resolve_locally(host: Any, *arguments: Any, **options: Any) -> Any:
            name = host.decode() if isinstance(host, bytes) else host
            return resolve("127.0.0.1" if str(name).endswith(".localhost") else host, *arguments, **options)

        patch = mock.patch("socket.getaddrinfo", resolve_locally)
        patch.start()
        cls.addClassCleanup(patch.stop)
        cls.cloud = LocalCloud(strict=cls.strict, options=cls.serve_options)
        cls.addClassCleanup(lambda: cls.assertStopsCleanly(cls.cloud))

    @staticmethod
    def assertStopsCleanly(cloud: LocalCloud) -> None:
        status = cloud.stop()
        if status != 0:
            raise AssertionError(f"storage-auth serve ended with status {status}.")
