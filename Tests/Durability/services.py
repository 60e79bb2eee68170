# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Clients of OSS, COS and S3 with the signers of each service, and the server that they ask."""

import email.utils
import hashlib
import hmac
import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse
from dataclasses import dataclass

ACCOUNT, SECRET = "durable-id", "durable-secret"
REGIONS = {"oss": "cn-hangzhou", "cos": "ap-guangzhou", "s3": "eu-central-1"}
PREFIXES = {"oss": "x-oss-", "cos": "x-cos-", "s3": "x-amz-"}
READY_WITHIN = 60


def escaped(text: str, safe: str = "") -> str:
    return urllib.parse.quote(text, safe=safe + "-_.~")


def mac(key: bytes, text: str, algorithm: str = "sha256") -> bytes:
    return hmac.new(key, text.encode(), algorithm).digest()


def sign_v4(service: str, method: str, path: str, query: dict[str, str], headers: dict[str, str]) -> None:
    """Signs with Signature Version 4 of S3 or with V4 of OSS, which has other words and omits empty values."""
    is_s3 = service == "s3"
    now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    headers |= {f"{PREFIXES[service]}date": now, f"{PREFIXES[service]}content-sha256": "UNSIGNED-PAYLOAD"}
    signed = sorted(name for name in headers if is_s3 or name == "content-md5" or name.startswith("x-oss-"))
    request = "\n".join([
        method, path, "&".join(f"{escaped(name)}={escaped(value)}" if is_s3 or value else escaped(name)
                               for name, value in sorted(query.items())),
        *(f"{name}:{headers[name]}" for name in signed), "", ";".join(signed) if is_s3 else "", "UNSIGNED-PAYLOAD"])
    word, scheme, end = ("AWS4", "AWS4-HMAC-SHA256", "aws4_request") if is_s3 else (
        "aliyun_v4", "OSS4-HMAC-SHA256", "aliyun_v4_request")
    scope = f"{now[:8]}/{REGIONS[service]}/{service}/{end}"
    key = (word + SECRET).encode()
    for part in scope.split("/"):
        key = mac(key, part)
    text = "\n".join([scheme, now, scope, hashlib.sha256(request.encode()).hexdigest()])
    names = f"SignedHeaders={';'.join(signed)}," if is_s3 else ""
    headers["authorization"] = f"{scheme} Credential={ACCOUNT}/{scope},{names}Signature={mac(key, text).hex()}"


def sign_cos(method: str, path: str, query: dict[str, str], headers: dict[str, str]) -> None:
    now = int(time.time())
    times = f"{now - 60};{now + 600}"

    def listed(values: dict[str, str]) -> tuple[str, str]:
        pairs = sorted((escaped(name).lower(), escaped(value)) for name, value in values.items())
        return ";".join(name for name, _ in pairs), "&".join(f"{name}={value}" for name, value in pairs)

    header_names, header_values = listed(headers)
    names, values = listed(query)
    request = f"{method.lower()}\n{path}\n{values}\n{header_values}\n"
    text = f"sha1\n{times}\n{hashlib.sha1(request.encode()).hexdigest()}\n"
    key = mac(SECRET.encode(), times, "sha1").hex().encode()
    headers["authorization"] = (
        f"q-sign-algorithm=sha1&q-ak={ACCOUNT}&q-sign-time={times}&q-key-time={times}&q-header-list={header_names}"
        f"&q-url-param-list={names}&q-signature={mac(key, text, 'sha1').hex()}")


@dataclass(frozen=True)
class Answer:
    """A response; `status` is 0 if none arrived."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def is_acknowledged(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_refused(self) -> bool:
        """Whether the service says that it did not perform the operation."""
        return 400 <= self.status < 500


class Client:
    """A connection to one service, for one thread."""

    def __init__(self, service: str, port: int):
        self.service, self.prefix = service, PREFIXES[service]
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.host = f"127.0.0.1:{port}"

    def send(self, method: str, bucket: str, key: str = "", query: dict[str, str] | None = None,
             headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        query = query or {}
        resource = f"/{bucket}/{key}" if bucket else "/"
        path = escaped(resource, safe="/")
        fields = {"host": self.host} | (headers or {})
        if self.service == "cos":
            sign_cos(method, resource, query, fields)
        else:
            sign_v4(self.service, method, path, query, fields)
        text = "&".join(f"{escaped(name)}={escaped(value)}" if value else escaped(name) for name, value in query.items())
        fields["date"] = email.utils.formatdate(usegmt=True)
        try:
            self.connection.request(method, f"{path}?{text}" if text else path, body or None, fields)
            response = self.connection.getresponse()
            found = response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return Answer(0, {}, b"")
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, found)


class Server:
    """`storage-auth serve` on a folder, which is started again after each end."""

    def __init__(self, folder: str, buckets: list[str]):
        self.command = [os.environ["STORAGE_AUTH"], "serve", "--json", "--account", f"{ACCOUNT}:{SECRET}", "--root", folder]
        for bucket in buckets:
            self.command += ["--bucket", bucket]
        self.start()

    def start(self) -> None:
        start = time.monotonic()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"FAILED: the server does not start on its folder: {self.process.stderr.read().strip()}")
        urls = json.loads(line)
        self.ports = {service: int(urls[service].rsplit(":", 1)[1]) for service in REGIONS}
        self.seconds_to_start = time.monotonic() - start

    def client(self, service: str) -> Client:
        return Client(service, self.ports[service])

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()
        if number == signal.SIGTERM and status:
            sys.exit(f"FAILED: the server ended with the status {status}")
