# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Starts `storage-auth token-server` for callers with bearer tokens."""

import json
import os
import pathlib
import queue
import stat
import subprocess
import tempfile
import threading

from local_cloud import BUCKET, PERMANENT, READY_WITHIN, STOPPED_WITHIN, Account, tool

CALLERS = {"mia": "token-of-mia-0123456789", "noah": "token-of-noah-0123456789"}


class CallerServer:
    """A server with the keys of an account, which gives each caller access to a prefix of the bucket."""

    def __init__(self, provider: str, *options: str, account: Account = PERMANENT) -> None:
        self._folder = tempfile.TemporaryDirectory()
        callers = pathlib.Path(self._folder.name) / "callers"
        callers.write_text("".join(f"{name} {token}\n" for name, token in CALLERS.items()))
        callers.chmod(stat.S_IRUSR | stat.S_IWUSR)
        self._log = open(pathlib.Path(self._folder.name) / "log", "w+")
        self._process = subprocess.Popen(
            [tool(), "token-server", "--provider", provider, "--callers", str(callers), "--bucket", BUCKET, "--prefix",
             "u/{caller}/", "--no-metadata", "--json", *options],
            stdout=subprocess.PIPE, stderr=self._log, text=True,
            env={"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent"} | account.environment)
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda out: lines.put(out.readline()), args=[self._process.stdout], daemon=True).start()
        self.url: str = json.loads(lines.get(timeout=READY_WITHIN))["url"]

    @property
    def log(self) -> str:
        self._log.flush()
        return pathlib.Path(self._log.name).read_text()

    def stop(self) -> None:
        self._process.terminate()
        status = self._process.wait(timeout=STOPPED_WITHIN)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()
        if status != 0:
            raise AssertionError(f"storage-auth token-server ended with status {status}.")
