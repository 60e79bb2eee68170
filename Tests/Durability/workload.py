# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Clients that write, overwrite, delete, append, tag and configure, all on the same few keys."""

import base64
import hashlib
import json
import random
import threading

from history import ABSENT, MARKER, NULL, History, Key, Operation, content
from services import REGIONS, Answer, Client, Server

PLAIN, VERSIONS, TOGGLED = BUCKETS = ["plain-1250000000", "versions-1250000000", "toggled-1250000000"]
KEYS = ["a", "b/c", "文 +%.txt"]
RECORD = 64
# The versions of a key beyond which clients rather delete one.
MANY = 4


def document(service: str, kind: str, bucket: str, name: str) -> bytes:
    """A document of a bucket that contains the name of a content."""
    if kind == "policy":
        resource = {"oss": f"acs:oss:*:1250000000:{bucket}/{name}", "s3": f"arn:aws:s3:::{bucket}/{name}",
                    "cos": f"qcs::cos:{REGIONS['cos']}:uid/1250000000:{bucket}/{name}"}[service]
        principal = {"oss": ["*"], "s3": "*", "cos": {"qcs": ["qcs::cam::anyone:anyone"]}}[service]
        action = {"oss": "oss:GetObject", "s3": "s3:GetObject", "cos": "name/cos:GetObject"}[service]
        version, key = {"oss": ("1", "Version"), "s3": ("2012-10-17", "Version"), "cos": ("2.0", "version")}[service]
        statement = {"Effect": "allow" if service == "cos" else "Allow", "Principal": principal, "Action": [action],
                     "Resource": [resource]}
        return json.dumps({key: version, "Statement": [statement]}).encode()
    # OSS returns this element also if it is not stored.
    vary = "<ResponseVary>false</ResponseVary>" if service == "oss" else ""
    return {
        "cors": f"<CORSConfiguration><CORSRule><AllowedOrigin>https://{name}.example</AllowedOrigin>"
                f"<AllowedMethod>GET</AllowedMethod></CORSRule>{vary}</CORSConfiguration>",
        "tagging": f"<Tagging><TagSet><Tag><Key>name</Key><Value>{name}</Value></Tag></TagSet></Tagging>",
        "lifecycle": f"<LifecycleConfiguration><Rule><ID>{name}</ID><Prefix>x/</Prefix><Status>Enabled</Status>"
                     "<Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>",
    }[kind].encode()


DOCUMENTS = ["cors", "tagging", "lifecycle", "policy"]


class Worker(threading.Thread):
    """A thread that performs random operations until the event is set."""

    def __init__(self, number: int, seed: str, server: Server, history: History, stopped: threading.Event):
        super().__init__(daemon=True)
        self.number, self.random = number, random.Random(f"{seed} {number}")
        self.history, self.stopped = history, stopped
        self.clients = [server.client(service) for service in REGIONS]
        self.problems: list[str] = []
        self.actions = [
            (24, self.put_version), (8, self.mark), (10, self.erase_version), (10, self.tag), (10, self.write_toggled),
            (2, self.toggle), (10, self.put_plain), (5, self.delete_plain), (5, self.create), (10, self.append),
            (4, self.link), (14, self.configure), (2, self.renew_bucket)]

    def run(self) -> None:
        weights, actions = zip(*self.actions)
        while not self.stopped.is_set():
            self.random.choices(actions, weights)[0](self.random.choice(self.clients))

    def new_content(self) -> str:
        size = self.random.choices(
            [self.random.randrange(40, 2000), 20_000, self.random.randrange(300_000, 600_000)], [90, 8, 2])[0]
        return self.history.new_name(size)

    @staticmethod
    def version(client: Client):
        return lambda answer: answer.headers.get(f"{client.prefix}version-id", NULL)

    # MARK: Objects

    def put(self, client: Client, bucket: str, key: str, headers: dict[str, str] | None = None) -> Answer:
        name = self.new_content()
        operation = Operation("write", name, creates=bool(headers))
        return self.history.perform(
            self.history.key(client.service, bucket, key), operation,
            lambda: client.send("PUT", bucket, key, headers=headers, body=content(name)), self.version(client))

    def delete(self, client: Client, bucket: str, key: str) -> None:
        """Deletes a key, which adds a delete marker in a bucket with versions."""
        operation = Operation("erase", ABSENT, NULL) if bucket == PLAIN else Operation("write", MARKER)
        self.history.perform(
            self.history.key(client.service, bucket, key), operation, lambda: client.send("DELETE", bucket, key),
            None if bucket == PLAIN else self.version(client))

    def known_versions(self, target: Key) -> list[str]:
        with self.history.lock:
            written = [operation.version for operation in target.operations if operation.kind == "write"]
            gone = {operation.version for operation in target.operations if operation.kind == "erase"}
            versions = [version for version, _ in target.entries] + [version for version in written if version]
        return [version for version in versions if version not in gone]

    def put_version(self, client: Client) -> None:
        key = self.random.choice(KEYS)
        if len(self.known_versions(self.history.key(client.service, VERSIONS, key))) > MANY:
            return self.erase_version(client, key)
        self.put(client, VERSIONS, key)

    def mark(self, client: Client) -> None:
        self.delete(client, VERSIONS, self.random.choice(KEYS))

    def erase_version(self, client: Client, key: str | None = None, bucket: str = VERSIONS) -> None:
        key = key or self.random.choice(KEYS)
        target = self.history.key(client.service, bucket, key)
        if versions := self.known_versions(target):
            version = self.random.choice(versions)
            self.history.perform(
                target, Operation("erase", ABSENT, version),
                lambda: client.send("DELETE", bucket, key, {"versionId": version}))

    def tag(self, client: Client) -> None:
        key = self.random.choice(KEYS)
        versions = self.known_versions(self.history.key(client.service, VERSIONS, key))
        if not versions:
            return
        # The newest ones, so that several clients tag the same version.
        version = self.random.choice(versions[-2:])
        target = self.history.value(client.service, VERSIONS, "tags", key, version)
        query = {"tagging": "", "versionId": version}
        if self.random.random() < 0.25:
            self.history.perform(
                target, Operation("erase", ABSENT, NULL), lambda: client.send("DELETE", VERSIONS, key, query))
        else:
            name = self.history.new_name(1)
            self.history.perform(
                target, Operation("write", name, NULL),
                lambda: client.send("PUT", VERSIONS, key, query, self.with_md5(document("", "tagging", "", name)),
                                    document("", "tagging", "", name)))

    @staticmethod
    def with_md5(body: bytes) -> dict[str, str]:
        """The headers that some services require of a document."""
        return {"content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()}

    def write_toggled(self, client: Client) -> None:
        key = self.random.choice(KEYS)
        if len(self.known_versions(self.history.key(client.service, TOGGLED, key))) > MANY:
            self.erase_version(client, key, TOGGLED)
        elif self.random.random() < 0.3:
            self.delete(client, TOGGLED, key)
        else:
            self.put(client, TOGGLED, key)

    def put_plain(self, client: Client) -> None:
        self.put(client, PLAIN, self.random.choice(KEYS))

    def delete_plain(self, client: Client) -> None:
        self.delete(client, PLAIN, self.random.choice(KEYS))

    def create(self, client: Client) -> None:
        """Creates a key that another client may create too; each service forbids overwriting with a header of its own."""
        headers = {"if-none-match": "*"} if client.service == "s3" else {f"{client.prefix}forbid-overwrite": "true"}
        self.put(client, PLAIN, f"once/{self.history.count // 100}", headers)

    def append(self, client: Client) -> None:
        if client.service == "s3":
            return
        key = f"append/{self.random.randrange(2)}"
        target = self.history.value(client.service, PLAIN, "appended", key)
        with self.history.lock:
            positions = [int(version) for version, name in target.entries if name != ABSENT]
            positions += [int(operation.version) for operation in target.operations if operation.is_acknowledged]
        name, position = self.history.new_name(RECORD), str(max(positions, default=-RECORD) + RECORD)
        send = lambda: client.send(
            "POST", PLAIN, key, {"append": "", "position": position}, body=content(name))
        answer = self.history.perform(target, Operation("write", name, position), send)
        # Bytes that were appended without an answer are in the way of the others until this operation is repeated behind them.
        if answer.is_refused and (length := answer.headers.get(f"{client.prefix}next-append-position", position)) != position:
            name, position = self.history.new_name(RECORD), length
            self.history.perform(target, Operation("write", name, position), send)

    def link(self, client: Client) -> None:
        if client.service == "s3":
            return
        name = self.history.new_name(1)
        key = f"link/{self.random.randrange(2)}"
        self.history.perform(
            self.history.value(client.service, PLAIN, "link", key), Operation("write", name, NULL),
            lambda: client.send("PUT", PLAIN, key, {"symlink": ""}, {f"{client.prefix}symlink-target": name}))

    # MARK: Buckets

    def toggle(self, client: Client) -> None:
        state = self.random.choice(["Enabled", "Suspended"])
        self.history.perform(
            self.history.value(client.service, TOGGLED, "versioning"), Operation("write", state, NULL),
            lambda: set_versioning(client, TOGGLED, state))

    def configure(self, client: Client) -> None:
        kind, bucket = self.random.choice(DOCUMENTS), self.random.choice(BUCKETS)
        target = self.history.value(client.service, bucket, "document", kind)
        if self.random.random() < 0.25:
            self.history.perform(
                target, Operation("erase", ABSENT, NULL), lambda: client.send("DELETE", bucket, query={kind: ""}))
        else:
            name = self.history.new_name(1)
            body = document(client.service, kind, bucket, name)
            self.history.perform(
                target, Operation("write", name, NULL),
                lambda: client.send("PUT", bucket, query={kind: ""}, headers=self.with_md5(body), body=body))

    def renew_bucket(self, client: Client) -> None:
        """Deletes a bucket of this thread, if there is one, and creates it again with a document and an object."""
        bucket = f"renewed-{self.number}-1250000000"
        target = self.history.value(client.service, bucket, "bucket")
        key = self.history.key(client.service, bucket, "a")
        self.history.perform(key, Operation("erase", ABSENT, NULL), lambda: client.send("DELETE", bucket, "a"))
        self.history.perform(target, Operation("erase", ABSENT, NULL), lambda: client.send("DELETE", bucket))
        body = (f"<CreateBucketConfiguration><LocationConstraint>{REGIONS['s3']}</LocationConstraint>"
                "</CreateBucketConfiguration>").encode() if client.service == "s3" else b""
        created = self.history.perform(
            target, Operation("write", "there", NULL), lambda: client.send("PUT", bucket, body=body))
        if not created.is_acknowledged:
            return
        listing = client.send("GET", bucket, query={"versions": ""})
        if listing.status == 200 and (b"<Key>" in listing.body or b"<Version>" in listing.body):
            self.problems.append(f"{client.service} {bucket}: a new bucket is not empty: {listing.body.decode()}")
        body = document(client.service, "tagging", bucket, "renewed")
        client.send("PUT", bucket, query={"tagging": ""}, headers=self.with_md5(body), body=body)
        self.put(client, bucket, "a")


def set_versioning(client: Client, bucket: str, state: str) -> Answer:
    body = f"<VersioningConfiguration><Status>{state}</Status></VersioningConfiguration>".encode()
    return client.send("PUT", bucket, query={"versioning": ""}, headers=Worker.with_md5(body), body=body)
