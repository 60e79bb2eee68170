# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Kills an upload and a download at random points, continues them from their checkpoints, and counts what moved twice."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import urllib.request

from counting_proxy import CountingProxy

TOOL = os.environ["STORAGE_AUTH"]
BYTES = int(os.environ.get("BYTES", 1 << 30))
KILLS = int(os.environ.get("KILLS", 10))
CLOUDS = os.environ.get("CLOUDS", "oss cos s3").split()
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
PART = 8 << 20
REGIONS = {"oss": "cn-hangzhou", "cos": "ap-guangzhou", "s3": "eu-central-1"}
# The requests for parts that are in flight at a time, by default.
IN_FLIGHT = 4


def write_random_file(path: str, size: int, seed: int) -> None:
    generator = random.Random(seed)
    with open(path, "wb") as file:
        for start in range(0, size, 1 << 20):
            file.write(generator.randbytes(min(1 << 20, size - start)))


def digest(file) -> str:
    found = hashlib.sha256()
    while chunk := file.read(1 << 20):
        found.update(chunk)
    return found.hexdigest()


def sha256(path: str) -> str:
    with open(path, "rb") as file:
        return digest(file)


class Transfer:
    """Runs of one copy command, each of which is killed except for the last one."""

    def __init__(self, proxy: CountingProxy, arguments: list[str], environment: dict[str, str]):
        self.proxy, self.arguments, self.environment = proxy, arguments, environment

    def run(self) -> None:
        outcome = subprocess.run([TOOL, "cp", "--resume", *self.arguments], env=self.environment)
        if outcome.returncode:
            sys.exit(f"storage-auth cp {' '.join(self.arguments)} failed")

    def kill_after(self, count: int) -> None:
        """Runs the command, and kills it when this many bytes have passed."""
        self.proxy.stop_at(self.proxy.sent + self.proxy.received + count)
        process = subprocess.Popen([TOOL, "cp", "--resume", *self.arguments], env=self.environment)
        while not self.proxy.reached.wait(0.05):
            if process.poll() is not None:
                sys.exit(f"storage-auth cp {' '.join(self.arguments)} ended before it was killed: {process.returncode}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.proxy.stop_at(None)

    def kill_often(self, generator: random.Random, inspect=lambda: None) -> None:
        """Kills the command at random points, between which less than the whole file passes."""
        for _ in range(KILLS):
            self.kill_after(generator.randrange(1, int(BYTES * 0.9) // KILLS))
            inspect()
        self.run()


def lost_bytes(source: str, folder: str) -> int:
    """The number of bytes that an unfinished download has written without noting them in its checkpoint."""
    checkpoints = [name for name in os.listdir(os.path.join(folder, "state")) if name.endswith(".download")]
    if not checkpoints:
        return 0
    with open(os.path.join(folder, "state", checkpoints[0]), encoding="utf-8") as file:
        checkpoint = json.load(file)
    kept = sum(written["length"] for written in checkpoint["ranges"])
    written = 0
    partial = os.path.join(folder, checkpoint["partialFile"])
    if os.path.exists(partial):
        with open(source, "rb") as expected, open(partial, "rb") as found:
            while block := found.read(1 << 16):
                if block == expected.read(1 << 16):
                    written += len(block)
    check(written >= kept - (1 << 20), "a checkpoint names bytes that are not in the file")
    return written - kept


def check(condition: bool, text: str) -> None:
    if not condition:
        sys.exit(f"resume (seed {SEED}): {text}")


def test(cloud: str, proxy: CountingProxy, url: str, folder: str, environment: dict[str, str]) -> None:
    generator = random.Random(f"{SEED} {cloud}")
    source, copy = os.path.join(folder, "source.bin"), os.path.join(folder, "copy.bin")
    remote, endpoint = f"{cloud}://resume/object", ["--endpoint", url, "--checkpoints", os.path.join(folder, "state")]
    direct = endpoint[:2]
    write_random_file(source, BYTES, generator.randrange(1 << 32))

    up = Transfer(proxy, [source, remote, *endpoint], environment)
    start = proxy.sent
    up.kill_often(generator)
    repeated = proxy.sent - start - BYTES
    presigned = subprocess.run(
        [TOOL, "presign", "GET", f"{url}/resume/object", "--provider", cloud, "--region", REGIONS[cloud]],
        env=environment, check=True, capture_output=True, text=True).stdout.strip()
    with urllib.request.urlopen(presigned) as answer:
        check(digest(answer) == sha256(source), f"{cloud}: the uploaded object differs")
    again = sum(count - 1 for count in proxy.stored.values())
    check(again <= 1, f"{cloud}: {again} parts that the service had stored were sent again")
    check(len({upload for upload, _ in proxy.stored}) == 1, f"{cloud}: an upload was started anew")
    # A part that is in flight when the program ends is no part of the service; each connection loses at most one.
    check(repeated <= KILLS * IN_FLIGHT * PART + (1 << 20), f"{cloud}: {repeated >> 20} MiB were sent again")
    print(f"{cloud}: uploaded {BYTES >> 20} MiB with {KILLS} kills, SHA-256 equal; {again} stored parts sent twice, "
          f"{repeated / KILLS / (1 << 20):.1f} MiB in flight lost per kill", flush=True)

    down = Transfer(proxy, [remote, copy, *endpoint], environment)
    start, lost = proxy.received, []
    down.kill_often(generator, lambda: lost.append(lost_bytes(source, folder)))
    repeated = proxy.received - start - BYTES
    check(sha256(copy) == sha256(source), f"{cloud}: the downloaded file differs")
    check(max(lost) <= PART, f"{cloud}: {max(lost) >> 20} MiB were written again after one kill")
    # What the kernel has received for a program that is killed is lost too.
    print(f"{cloud}: downloaded {BYTES >> 20} MiB with {KILLS} kills, SHA-256 equal; at most {max(lost) / (1 << 20):.1f} "
          f"MiB written again per kill, {repeated / KILLS / (1 << 20):.1f} MiB sent again by the server", flush=True)

    # A changed file and a changed object are noticed.
    os.remove(copy)
    down.kill_after(BYTES // 2)
    up.kill_after(BYTES // 2)
    write_random_file(source, BYTES, generator.randrange(1 << 32))
    proxy.stored.clear()
    up.run()
    down.run()
    check(sha256(copy) == sha256(source), f"{cloud}: a change was not noticed")
    check(len({upload for upload, _ in proxy.stored}) == 1, f"{cloud}: the parts of a changed file were kept")
    left = subprocess.run(
        [TOOL, "uploads", f"{cloud}://resume/", *direct], env=environment, check=True, capture_output=True, text=True)
    check(left.stdout == "", f"{cloud}: uploads are left: {left.stdout}")
    check(sorted(os.listdir(folder)) == ["copy.bin", "root", "source.bin", "state"],
          f"{cloud}: files are left: {os.listdir(folder)}")
    check(os.listdir(os.path.join(folder, "state")) == [], f"{cloud}: checkpoints are left")
    subprocess.run([TOOL, "rm", remote, *direct], env=environment, check=True)
    os.remove(copy)
    print(f"{cloud}: a changed file and a changed object were transferred anew", flush=True)


def environment_of(state: str) -> dict[str, str]:
    """The environment of a command, with keys for all clouds."""
    environment = os.environ | {
        "XDG_STATE_HOME": state,
        "OSS_ACCESS_KEY_ID": "resume-id", "OSS_ACCESS_KEY_SECRET": "resume-secret",
        "TENCENTCLOUD_SECRET_ID": "resume-id", "TENCENTCLOUD_SECRET_KEY": "resume-secret",
        "AWS_ACCESS_KEY_ID": "resume-id", "AWS_SECRET_ACCESS_KEY": "resume-secret",
    }
    for name in ("OSS_SESSION_TOKEN", "TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SESSION_TOKEN", "AWS_SESSION_TOKEN"):
        environment.pop(name, None)
    return environment


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(os.path.join(folder, "state"))
        server = subprocess.Popen(
            [TOOL, "serve", "--json", "--account", "resume-id:resume-secret", "--bucket", "resume",
             "--root", os.path.join(folder, "root")], stdout=subprocess.PIPE)
        try:
            urls = json.loads(server.stdout.readline())
            for cloud in CLOUDS:
                proxy = CountingProxy(int(urls[cloud].rsplit(":", 1)[1]))
                test(cloud, proxy, f"http://127.0.0.1:{proxy.port}", folder, environment)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
