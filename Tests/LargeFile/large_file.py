# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks peak memory and equal bytes for one large file through both clouds; every process is measured separately."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

TOOL = os.environ["STORAGE_AUTH"]
BYTES = int(os.environ.get("BYTES", 1 << 30))
LIMIT_MIB = float(os.environ.get("LIMIT_MIB", 100))


def write_random_file(path: str, size: int) -> str:
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        left = size
        while left > 0:
            chunk = os.urandom(min(left, 1 << 20))
            digest.update(chunk)
            file.write(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def sha256(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def run(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Runs the tool and returns its peak memory in MiB and its duration in seconds."""
    start = time.monotonic()
    process = subprocess.Popen([TOOL, *arguments], env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"storage-auth {' '.join(arguments)} failed")
    return usage.ru_maxrss / 1024, time.monotonic() - start


def main() -> None:
    environment = os.environ | {
        "OSS_ACCESS_KEY_ID": "large-id", "OSS_ACCESS_KEY_SECRET": "large-secret",
        "TENCENTCLOUD_SECRET_ID": "large-id", "TENCENTCLOUD_SECRET_KEY": "large-secret",
    }
    for name in ("OSS_SESSION_TOKEN", "TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN"):
        environment.pop(name, None)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        source, copy = os.path.join(folder, "source"), os.path.join(folder, "copy")
        expected = write_random_file(source, BYTES)
        server = subprocess.Popen(
            [TOOL, "serve", "--json", "--account", "large-id:large-secret", "--bucket", "large",
             "--root", os.path.join(folder, "root")], stdout=subprocess.PIPE)
        try:
            urls = json.loads(server.stdout.readline())
            for cloud in ("oss", "cos"):
                remote, endpoint = f"{cloud}://large/file", ["--endpoint", urls[cloud]]
                up, up_time = run(["cp", source, remote, *endpoint], environment)
                down, down_time = run(["cp", remote, copy, *endpoint], environment)
                same = sha256(copy) == expected
                os.remove(copy)
                run(["rm", remote, *endpoint], environment)
                failed |= not same or max(up, down) > LIMIT_MIB
                print(f"{cloud}: {BYTES >> 20} MiB, SHA-256 {'equal' if same else 'DIFFERENT'}, client peak "
                      f"{up:.0f} MiB up in {up_time:.0f} s, {down:.0f} MiB down in {down_time:.0f} s", flush=True)
        finally:
            server.send_signal(signal.SIGTERM)
            _, status, usage = os.wait4(server.pid, 0)
    peak = usage.ru_maxrss / 1024
    failed |= peak > LIMIT_MIB or status != 0
    print(f"server: peak {peak:.0f} MiB, stopped with status {status}")
    if failed:
        sys.exit(f"A downloaded file differs, or a peak exceeds {LIMIT_MIB:.0f} MiB.")


if __name__ == "__main__":
    main()
