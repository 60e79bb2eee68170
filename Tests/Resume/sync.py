# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Kills storage-auth sync at random points, up, between two clouds and down, and counts what is sent again."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile

from counting_proxy import CountingProxy
from resume import PART, SEED, TOOL, check, environment_of, write_random_file

FILES = int(os.environ.get("FILES", 10_000))
BYTES = int(os.environ.get("BYTES", 1 << 30))
KILLS = int(os.environ.get("KILLS", 5))
# The transfers that are in flight at a time, by default.
IN_FLIGHT = 16


def make_tree(folder: str, generator: random.Random) -> int:
    """Writes small files and a large one, and returns the number of bytes of the small ones."""
    total = 0
    for index in range(FILES):
        path = os.path.join(folder, f"{index % 97}", f"{index}.bin")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        content = generator.randbytes(generator.randrange(4096))
        total += len(content)
        with open(path, "wb") as file:
            file.write(content)
    write_random_file(os.path.join(folder, "large.bin"), BYTES, generator.randrange(1 << 32))
    return total


class Sync:
    """Runs of one sync command, each of which is killed except for the last ones."""

    def __init__(self, proxy: CountingProxy, arguments: list[str], environment: dict[str, str]):
        self.proxy, self.arguments, self.environment = proxy, arguments, environment

    def run(self) -> dict:
        outcome = subprocess.run(
            [TOOL, "sync", *self.arguments, "--json"], env=self.environment, stdout=subprocess.PIPE, text=True)
        check(outcome.returncode == 0, f"storage-auth sync {' '.join(self.arguments)} failed")
        return json.loads(outcome.stdout.splitlines()[-1])["summary"]

    def kill_often(self, generator: random.Random, total: int) -> dict:
        """Kills the command after random numbers of requests, and returns the summary of the last run."""
        for _ in range(KILLS):
            self.proxy.stop_at_request(len(self.proxy.methods) + generator.randrange(1, total // (KILLS + 1)))
            process = subprocess.Popen(
                [TOOL, "sync", *self.arguments, "-q"], env=self.environment, stdout=subprocess.DEVNULL)
            while not self.proxy.reached.wait(0.02):
                if process.poll() is not None:
                    sys.exit(f"storage-auth sync {' '.join(self.arguments)} ended before it was killed")
            process.send_signal(signal.SIGKILL)
            process.wait()
        return self.run()


def trees_are_equal(first: str, second: str) -> bool:
    return subprocess.run(["diff", "-r", first, second], stdout=subprocess.DEVNULL).returncode == 0


def test(name: str, sync: Sync, generator: random.Random, small: int, requests: int, counter: str) -> None:
    start = getattr(sync.proxy, counter)
    sync.proxy.stored.clear()
    last = sync.kill_often(generator, requests)
    moved = getattr(sync.proxy, counter) - start
    again = sync.run()
    check(again["created"] + again["updated"] + again["deleted"] == 0, f"{name}: the second run was not idle")
    check(again["unchanged"] == FILES + 1, f"{name}: {again['unchanged']} files are there")
    twice = sum(count - 1 for count in sync.proxy.stored.values())
    check(twice == 0, f"{name}: {twice} stored parts were sent again")
    repeated = moved - small - BYTES
    # What was in flight is sent again: small files, and parts of the large one.
    bound = KILLS * (IN_FLIGHT * 4096 + 4 * PART) + FILES * 700
    print(f"{name}: {FILES} files and {BYTES >> 20} MiB with {KILLS} kills; {last['created']} files in the last run; "
          f"{repeated / (1 << 20):.1f} MiB more than the tree has", flush=True)
    check(repeated <= bound, f"{name}: {repeated >> 20} MiB were moved again")


def main() -> None:
    generator = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_of(os.path.join(folder, "state"))
        source, back = os.path.join(folder, "source"), os.path.join(folder, "back")
        small = make_tree(source, generator)
        server = subprocess.Popen(
            [TOOL, "serve", "--json", "--account", "resume-id:resume-secret", "--bucket", "resume",
             "--root", os.path.join(folder, "root")], stdout=subprocess.PIPE)
        try:
            urls = json.loads(server.stdout.readline())
            oss = CountingProxy(int(urls["oss"].rsplit(":", 1)[1]))
            cos = CountingProxy(int(urls["cos"].rsplit(":", 1)[1]))
            to_oss = ["--endpoint", f"http://127.0.0.1:{oss.port}"]
            to_cos = ["--endpoint", f"http://127.0.0.1:{cos.port}"]
            test("up", Sync(oss, [source, "oss://resume/tree", *to_oss], environment), generator, small, FILES, "sent")
            between = ["oss://resume/tree", "cos://resume/copy", "--from-endpoint", to_oss[1], *to_cos]
            test("between", Sync(cos, between, environment), generator, small, FILES, "sent")
            test("down", Sync(cos, ["cos://resume/copy", back, *to_cos], environment), generator, small, FILES, "received")
            check(trees_are_equal(source, back), "the trees differ")
            print("the trees are equal", flush=True)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
