# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""What clients did and when, and which states of a server that explains."""

import hashlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Values of keys beside the names of contents.
ABSENT, MARKER = "absent", "marker"
NULL = "null"


class Violations:
    """What contradicts the history."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def check(self, condition: bool, text: str) -> None:
        if not condition:
            self.found.append(text)


@dataclass
class Operation:
    """An operation on a key, from the first byte of its request to the last one of its response.

    `version` is the version that a write has made, or that an erasure names. An operation without an answer, or with an
    error of the server, may have had its effect, at any later time.
    """

    kind: str  # "write", "erase"
    value: str
    version: str | None = None
    # Whether it may only create the key.
    creates: bool = False
    start: float = 0.0
    end: float = math.inf

    @property
    def is_acknowledged(self) -> bool:
        return self.end < math.inf


def content(name: str) -> bytes:
    """The bytes of a content, whose name ends with their number."""
    size = int(name.rsplit("x", 1)[1])
    pattern = f"{name}|".encode()
    return (pattern * (size // len(pattern) + 1))[:size]


def explains(value: str, operations: list[Operation], before: str) -> bool:
    """Whether a value can be the last one: no acknowledged operation starts after one with the value has ended."""
    first = [Operation("write", before, start=-math.inf, end=-math.inf)]
    last_start = max((operation.start for operation in operations if operation.is_acknowledged), default=-math.inf)
    # An operation does not start after its own end, so it need not be left out.
    return any(operation.value == value and operation.end >= last_start for operation in first + operations)


@dataclass
class Key:
    """The versions of a key when they were checked last, the newest first, and the operations since then."""

    entries: list[tuple[str, str]] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)

    def verify(self, found: list[tuple[str, str]], name: str, violations: Violations) -> None:
        """Compares the versions that a listing has, with their values, with the history, and keeps them."""
        check = violations.check
        writes = [operation for operation in self.operations if operation.kind == "write"]
        erased = [operation for operation in self.operations if operation.kind == "erase"]
        surely = {operation.version for operation in erased if operation.is_acknowledged}
        perhaps = {operation.version for operation in erased}
        expected = {version: value for version, value in self.entries if version != NULL}
        expected |= {operation.version: operation.value for operation in writes
                     if operation.is_acknowledged and operation.version != NULL}
        listed = dict(found)
        check(len(listed) == len(found), f"{name}: a version is listed twice: {found}")
        for version, value in expected.items():
            check(version in listed or version in perhaps, f"{name}: version {version} ({value}) is lost")
            check(listed.get(version, value) == value, f"{name}: version {version} is {listed.get(version)}, not {value}")
        unknown = [operation.value for operation in writes if not operation.is_acknowledged]
        for version, value in found:
            check(version == NULL or version not in surely, f"{name}: the deleted version {version} ({value}) is back")
            if version != NULL and version not in expected:
                check(value in unknown, f"{name}: version {version} ({value}) was never written")
                if value in unknown:
                    unknown.remove(value)
        self.verify_null(listed.get(NULL, ABSENT), name, violations)
        self.verify_order(found, name, violations)
        self.entries, self.operations = found, []

    def verify_null(self, value: str, name: str, violations: Violations) -> None:
        candidates = [operation for operation in self.operations
                      if operation.version == NULL or operation.version is None and not operation.is_acknowledged]
        created = [operation for operation in candidates if operation.creates and operation.is_acknowledged]
        violations.check(len(created) < 2, f"{name}: created twice: {created}")
        if created:
            candidates = [operation for operation in candidates if operation in created or not operation.creates]
        before = dict(self.entries).get(NULL, ABSENT)
        violations.check(
            explains(value, candidates, before), f"{name}: it is {value}, before {before}, which is not explained by {candidates}")

    def verify_order(self, found: list[tuple[str, str]], name: str, violations: Violations) -> None:
        times = {operation.value: operation for operation in self.operations
                 if operation.kind == "write" and operation.is_acknowledged and operation.value != MARKER}
        # A marker without a version of its own may be another one than before.
        rank = {entry: index for index, entry in enumerate(self.entries) if entry != (NULL, MARKER)}
        known = [entry for entry in found if entry in rank]
        violations.check(known == sorted(known, key=rank.get), f"{name}: the order of old versions changed: {found}")
        for index, (_, value) in enumerate(found):
            for _, older in found[index + 1:]:
                if value in times and older in times:
                    violations.check(
                        times[older].start <= times[value].end, f"{name}: {older} is listed behind the older {value}")


class History:
    """All keys, and single values such as documents, by name."""

    def __init__(self) -> None:
        self.keys: dict[tuple[str, str, str], Key] = {}
        self.values: dict[tuple[str, ...], Key] = {}
        self.contents: dict[str, str] = {hashlib.md5(b"").hexdigest(): "empty"}
        self.lock = threading.Lock()
        self.count = 0
        self.acknowledged = self.refused = self.unknown = 0
        self.errors: list[str] = []

    def new_name(self, size: int) -> str:
        with self.lock:
            self.count += 1
            name = f"u{self.count:06}x{size}"
        self.contents[hashlib.md5(content(name)).hexdigest()] = name
        return name

    def perform(self, target: Key, operation: Operation, send: Callable, read_version: Callable | None = None):
        """Sends a request and notes its outcome; an operation that the service refused is forgotten."""
        operation.start = time.monotonic()
        with self.lock:
            target.operations.append(operation)
        answer = send()
        with self.lock:
            if answer.is_acknowledged:
                if read_version:
                    operation.version = read_version(answer)
                operation.end = time.monotonic()
                self.acknowledged += 1
            elif answer.is_refused:
                target.operations.remove(operation)
                self.refused += 1
            else:
                self.unknown += 1
                if answer.status:
                    self.errors.append(f"{answer.status} {answer.body[:300].decode(errors='replace')}")
        return answer

    def key(self, *name: str) -> Key:
        with self.lock:
            return self.keys.setdefault(name, Key())

    def value(self, *name: str) -> Key:
        with self.lock:
            return self.values.setdefault(name, Key(entries=[(NULL, ABSENT)]))
