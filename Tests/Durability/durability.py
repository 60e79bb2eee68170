# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Kills `storage-auth serve` at random moments while clients write, fills its disk, and compares what it has afterwards
with what it acknowledged."""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from history import ABSENT, MARKER, NULL, History, Violations, content
from services import REGIONS, Client, Server
from workload import BUCKETS, RECORD, TOGGLED, VERSIONS, Worker, document, set_versioning

NAME = re.compile(rb"u\d{6,}x\d+")


def verify_versions(client: Client, bucket: str, history: History, violations: Violations, all_bytes: bool) -> set[str]:
    """Compares the list of a bucket's versions with the history, and the bytes of new ones; returns the versions."""
    label = f"{client.service} {bucket}"
    listed: dict[str, list[tuple[str, str]]] = {}
    order: list[str] = []
    query = {"versions": "", "max-keys": "1000", "encoding-type": "url"}
    while True:
        answer = client.send("GET", bucket, query=query)
        if answer.status == 404:
            break
        violations.check(answer.status == 200, f"{label}: the list of versions is {answer.status} {answer.body!r}")
        root = ElementTree.fromstring(re.sub(rb' xmlns="[^"]*"', b"", answer.body))
        for node in root:
            if node.tag not in ("Version", "DeleteMarker"):
                continue
            key = urllib.parse.unquote_plus(node.findtext("Key"))
            tag = (node.findtext("ETag") or "").strip('"').lower()
            value = MARKER if node.tag == "DeleteMarker" else history.contents.get(tag, f"unknown bytes {tag}")
            violations.check(
                (node.findtext("IsLatest") == "true") == (key not in listed), f"{label} {key}: another version is the latest")
            listed.setdefault(key, []).append((node.findtext("VersionId"), value))
            order.append(key)
        if root.findtext("IsTruncated") != "true":
            break
        query |= {"key-marker": urllib.parse.unquote_plus(root.findtext("NextKeyMarker")),
                  "version-id-marker": root.findtext("NextVersionIdMarker") or ""}
    violations.check(order == sorted(order, key=str.encode), f"{label}: the list is not sorted: {order}")
    known = [name for name in history.keys if name[:2] == (client.service, bucket)]
    special = {name[3] for name in history.values if name[:2] == (client.service, bucket) and name[2] in ("appended", "link")}
    for key in listed:
        violations.check(
            (client.service, bucket, key) in history.keys or key in special, f"{label} {key}: the key was never written")
    for name in known:
        key, found = name[2], listed.get(name[2], [])
        new = {operation.value for operation in history.keys[name].operations}
        history.keys[name].verify(found, f"{label} {key}", violations)
        for index, (version, value) in enumerate(found):
            if value == MARKER or not (all_bytes or value in new):
                continue
            query = {} if index == 0 else {"versionId": version}
            answer = client.send("GET", bucket, key, query)
            violations.check(
                answer.status == 200 and answer.body == content(value),
                f"{label} {key} {version}: the bytes are not those of {value}: {answer.status}, {len(answer.body)} bytes")
    return {f"{key} {version}" for key, versions in listed.items() for version, _ in versions}


def read_value(client: Client, bucket: str, kind: str, rest: tuple[str, ...]) -> str:
    """Returns the value of a document, a link, the tags of a version, the state of the versioning, or of a bucket."""
    if kind == "bucket":
        return {200: "there", 404: ABSENT}.get((answer := client.send("GET", bucket, query={"versions": ""})).status, str(answer))
    if kind == "versioning":
        return ElementTree.fromstring(re.sub(
            rb' xmlns="[^"]*"', b"", client.send("GET", bucket, query={"versioning": ""}).body)).findtext("Status") or ABSENT
    if kind == "link":
        answer = client.send("GET", bucket, rest[0], {"symlink": ""})
        return answer.headers[f"{client.prefix}symlink-target"] if answer.status == 200 else ABSENT
    query = {rest[0]: ""} if kind == "document" else {"tagging": "", "versionId": rest[1]}
    answer = client.send("GET", bucket, "" if kind == "document" else rest[0], query)
    names = NAME.findall(answer.body)
    # A delete marker has no tags.
    if answer.status in (404, 405) or answer.status == 200 and not names:
        return ABSENT
    name = names[0].decode() if names else ""
    # Documents are returned as they were stored; the tags of objects are written anew.
    is_whole = answer.status == 200 and (kind == "tags" or answer.body == document(client.service, rest[0], bucket, name))
    return name if is_whole else f"{answer.status} {answer.body!r}"


def verify_appended(client: Client, bucket: str, key: str, target, violations: Violations) -> None:
    answer = client.send("GET", bucket, key)
    found = {}
    if answer.status != 404:
        violations.check(
            answer.status == 200 and len(answer.body) % RECORD == 0, f"{client.service} {key}: {answer.status} {len(answer.body)} bytes")
        for position in range(0, len(answer.body), RECORD):
            name = NAME.match(answer.body[position:])
            found[str(position)] = name[0].decode() if name and answer.body[position:position + RECORD] == content(
                name[0].decode()) else f"{answer.body[position:position + RECORD]!r}"
    expected = {version: value for version, value in target.entries if value != ABSENT}
    expected |= {operation.version: operation.value for operation in target.operations if operation.is_acknowledged}
    unknown = {(operation.version, operation.value) for operation in target.operations if not operation.is_acknowledged}
    for position, value in expected.items():
        violations.check(
            found.get(position) == value,
            f"{client.service} {key}: at {position} is {found.get(position, 'no byte')}, appended was {value}")
    for position, value in found.items():
        violations.check(
            position in expected or (position, value) in unknown, f"{client.service} {key}: at {position} is {value}")
    target.entries, target.operations = list(found.items()), []


def verify(server: Server, history: History, violations: Violations, all_bytes: bool = False) -> None:
    """Compares the whole state of a server with the history, and goes on from that state."""
    for service in REGIONS:
        client = server.client(service)
        buckets = {name[1] for name in history.keys | history.values if name[0] == service} | set(BUCKETS)
        listed = set(re.findall(r"<Name>([^<]*)</Name>", client.send("GET", "").body.decode()))
        violations.check(set(BUCKETS) <= listed <= buckets, f"{service}: the buckets are {sorted(listed)}")
        for bucket in sorted(buckets):
            versions = verify_versions(client, bucket, history, violations, all_bytes)
            for name in [name for name in history.values if name[:2] == (service, bucket)]:
                (kind, *rest), target = name[2:], history.values[name]
                if kind == "appended":
                    if target.operations or all_bytes:
                        verify_appended(client, bucket, rest[0], target, violations)
                elif kind == "tags" and " ".join(rest) not in versions:
                    del history.values[name]
                elif target.operations or all_bytes:
                    target.verify([(NULL, read_value(client, bucket, kind, rest))], " ".join(name), violations)


def verify_files(folder: str, violations: Violations) -> None:
    """Checks that the folder of a server that has ended has no other files than those of its objects and documents."""
    for service in REGIONS:
        stored, named = set(os.listdir(os.path.join(folder, service, "content"))) - {".lock"}, set()
        for path, folders, files in os.walk(os.path.join(folder, service, "buckets")):
            # A bucket without a record does not exist; its folder is removed when it is created again.
            folders[:] = [name for name in folders if name == "objects" or "bucket.json" in os.listdir(os.path.join(path, name))]
            for file in files:
                violations.check(
                    re.fullmatch(r"bucket\.json|[0-9a-f]{32}\.json", file) is not None, f"the file {path}/{file} is left over")
                with open(os.path.join(path, file), encoding="utf-8") as record:
                    named |= set(re.findall(r'"file":"([0-9a-f]{32})"', record.read()))
        violations.check(stored == named, f"{service}: content without objects: {stored - named}; missing: {named - stored}")


def prepare(server: Server, history: History) -> None:
    for service in REGIONS:
        client = server.client(service)
        for bucket in (VERSIONS, TOGGLED):
            answer = set_versioning(client, bucket, "Enabled")
            if answer.status != 200:
                sys.exit(f"FAILED: {service} {bucket}: {answer}")
        history.value(service, TOGGLED, "versioning").entries = [(NULL, "Enabled")]


class Load:
    """Several clients at once, until the end of a block or until `stop`."""

    def __init__(self, settings: argparse.Namespace, name: str, server: Server, history: History, violations: Violations):
        self.stopped, self.history, self.violations = threading.Event(), history, violations
        self.workers = [Worker(number, f"{settings.seed} {name}", server, history, self.stopped)
                        for number in range(settings.threads)]
        for worker in self.workers:
            worker.start()

    def wait(self, count: int, seconds: float) -> None:
        """Waits for a number of acknowledged operations, but no longer than some seconds, and then for a moment."""
        count, end = self.history.acknowledged + count, time.monotonic() + 5
        while self.history.acknowledged < count and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(seconds)

    def stop(self) -> None:
        self.stopped.set()
        for worker in self.workers:
            worker.join()
            self.violations.found += worker.problems


def report(history: History, violations: Violations, settings: argparse.Namespace, what: str) -> None:
    if violations.found:
        for text in violations.found[:20]:
            print(f"  {text}", flush=True)
        sys.exit(f"FAILED: {what}: {len(violations.found)} contradictions; --seed {settings.seed}")
    print(f"{what}: {history.acknowledged} operations acknowledged, {history.refused} refused, {history.unknown} without an "
          "answer; all acknowledged ones are there", flush=True)


def test_kills(settings: argparse.Namespace) -> None:
    generator, history, violations = random.Random(settings.seed), History(), Violations()
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "data")
        server = Server(folder, BUCKETS)
        try:
            prepare(server, history)
            end = time.monotonic() + settings.seconds
            for number in range(settings.kills):
                load = Load(settings, f"kill {number}", server, history, violations)
                load.wait(generator.randrange(20, 200), generator.uniform(0, 0.02))
                load.stopped.set()
                server.end(signal.SIGKILL)
                load.stop()
                server.start()
                verify(server, history, violations)
                violations.check(not history.errors, f"the server failed: {history.errors[:3]}")
                if violations.found or time.monotonic() > end:
                    break
            server.end(signal.SIGTERM)
            verify_files(folder, violations)
            server.start()
            verify(server, history, violations, all_bytes=True)
        finally:
            if server.process.poll() is None:
                server.end(signal.SIGKILL)
    report(history, violations, settings, f"{number + 1} kills")


class Disk:
    """A small file system in memory, which can be filled with bytes or with files."""

    def __init__(self, folder: str, kind: str, options: str):
        self.folder, self.filler, self.kind, self.count = folder, os.path.join(folder, "filler"), kind, 0
        self.is_mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).returncode == 0
        if self.is_mounted:
            os.mkdir(self.filler)

    def fill(self, seconds: float = 0) -> None:
        """Takes all room, and what becomes free while the time passes."""
        end = time.monotonic() + seconds
        while True:
            try:
                if self.kind == "files":
                    with open(os.path.join(self.filler, str(self.count)), "xb"):
                        self.count += 1
                else:
                    with open(os.path.join(self.filler, "bytes"), "ab", buffering=0) as file:
                        file.write(bytes(1 << 20))
            except OSError:
                if time.monotonic() >= end:
                    return
                time.sleep(0.005)

    def make_room(self) -> None:
        for name in os.listdir(self.filler):
            os.unlink(os.path.join(self.filler, name))

    def unmount(self) -> None:
        subprocess.run(["umount", self.folder], check=True)


def test_full_disk(settings: argparse.Namespace, kind: str, options: str) -> None:
    history, violations = History(), Violations()
    with tempfile.TemporaryDirectory() as root:
        disk = Disk(root, kind, options)
        if not disk.is_mounted:
            print(f"=== SKIPPED: a full disk ({kind}): a file system cannot be mounted here ===", file=sys.stderr)
            return
        try:
            server = Server(os.path.join(root, "data"), BUCKETS)
            try:
                fill_often(settings, kind, server, disk, history, violations)
            finally:
                if server.process.poll() is None:
                    server.end(signal.SIGKILL)
        finally:
            disk.unmount()
    report(history, violations, settings, f"a full disk ({kind}), {len(history.errors)} errors of the service")


def fill_often(settings: argparse.Namespace, kind: str, server: Server, disk: Disk, history: History, violations: Violations):
    prepare(server, history)
    load = Load(settings, kind, server, history, violations)
    for _ in range(settings.fillings):
        time.sleep(0.7)
        failed = len(history.errors)
        disk.fill(1)
        violations.check(len(history.errors) > failed, "no operation failed on a full disk")
        disk.make_room()
        time.sleep(0.1)
        acknowledged = history.acknowledged
        time.sleep(0.5)
        violations.check(history.acknowledged > acknowledged, "no operation succeeds after room was made")
    load.stop()
    verify(server, history, violations)
    disk.fill()
    load = Load(settings, f"{kind}, killed", server, history, violations)
    disk.fill(0.5)
    load.stopped.set()
    server.end(signal.SIGKILL)
    load.stop()
    disk.fill()
    server.start()
    verify(server, history, violations)
    disk.make_room()
    load = Load(settings, f"{kind}, at last", server, history, violations)
    time.sleep(0.5)
    load.stop()
    verify(server, history, violations)
    server.end(signal.SIGTERM)
    verify_files(os.path.join(disk.folder, "data"), violations)
    server.start()
    verify(server, history, violations, all_bytes=True)
    for error in history.errors:
        violations.check("<Code>InternalError</Code>" in error, f"an error without the code of the service: {error}")
        violations.check(disk.folder not in error, f"an error names the folder: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="the number of kills (20)")
    parser.add_argument("--seconds", type=float, default=40, help="the time after which the last kill begins (40)")
    parser.add_argument("--fillings", type=int, default=2, help="how often the disk is filled (2)")
    parser.add_argument("--threads", type=int, default=8, help="the number of clients at a time (8)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="selects the moments and the operations")
    settings = parser.parse_args()
    # Servers are ended and file systems unmounted, even if the test is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED: ended by SIGTERM"))
    start = time.monotonic()
    if settings.kills:
        test_kills(settings)
    if settings.fillings:
        if os.geteuid() == 0:
            test_full_disk(settings, "bytes", "size=32m")
            test_full_disk(settings, "files", "size=256m,nr_inodes=1500")
        else:
            print("=== SKIPPED: a full disk: only root can mount a small file system ===", file=sys.stderr)
    print(f"durability: {time.monotonic() - start:.0f} seconds, --seed {settings.seed}")


if __name__ == "__main__":
    main()
