# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests storage-auth and the SDKs on the same objects: each reads what the other stored."""

import http.client
import pathlib
import tempfile
import urllib.parse
import urllib.request
from typing import Any, ClassVar

import command
import oss2
import requests
from local_cloud import BUCKET, ODD_KEYS, PERMANENT, REGION, TEMPORARY, Account, CloudTestCase
from qcloud_cos import CosConfig, CosS3Client

COS_REGION = "ap-guangzhou"
MEBIBYTE = 1024 * 1024


class OSSPeer:
    """A minimal client with oss2."""

    name = "oss"
    metadata_prefix = "x-oss-meta-"

    def __init__(self, endpoint: str, account: Account) -> None:
        auth = (oss2.StsAuth(account.id, account.secret, account.token, "v4") if account.token
                else oss2.AuthV4(account.id, account.secret))
        self._bucket = oss2.Bucket(auth, endpoint, BUCKET, region=REGION, enable_crc=False)

    def put(self, key: str, body: bytes, content_type: str, metadata: str) -> None:
        self._bucket.put_object(key, body, headers={
            "Content-Type": content_type, f"{self.metadata_prefix}note": metadata})

    def get(self, key: str, first: int | None = None, last: int | None = None) -> tuple[bytes, dict[str, str]]:
        answer = self._bucket.get_object(key, byte_range=None if first is None else (first, last))
        return answer.read(), {name.lower(): value for name, value in answer.headers.items()}

    def keys(self, prefix: str) -> list[str]:
        return [entry.key for entry in oss2.ObjectIterator(self._bucket, prefix=prefix)]


class COSPeer:
    """A minimal client with the COS SDK."""

    name = "cos"
    metadata_prefix = "x-cos-meta-"

    def __init__(self, endpoint: str, account: Account) -> None:
        # The host of the service with the address of this machine: without a port, strict mode accepts the signed host.
        self._client = CosS3Client(CosConfig(
            Endpoint=f"cos.{COS_REGION}.myqcloud.com", IP="127.0.0.1", Port=endpoint.rsplit(":", 1)[1], Scheme="http",
            SecretId=account.id, SecretKey=account.secret, Token=account.token), retry=0)

    def put(self, key: str, body: bytes, content_type: str, metadata: str) -> None:
        self._client.put_object(Bucket=BUCKET, Key=key, Body=body, ContentType=content_type,
                                Metadata={f"{self.metadata_prefix}note": metadata})

    def get(self, key: str, first: int | None = None, last: int | None = None) -> tuple[bytes, dict[str, str]]:
        options = {} if first is None else {"Range": f"bytes={first}-{last}"}
        answer = self._client.get_object(Bucket=BUCKET, Key=key, **options)
        body = answer.pop("Body").get_raw_stream().read()
        return body, {name.lower(): value for name, value in answer.items()}

    def keys(self, prefix: str) -> list[str]:
        page = self._client.list_objects(Bucket=BUCKET, Prefix=prefix)
        return [entry["Key"] for entry in page.get("Contents", [])]


class CommandLine(CloudTestCase):
    provider: ClassVar[str] = "oss"
    account: ClassVar[Account] = PERMANENT
    signature: ClassVar[list[str]] = []

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @property
    def endpoint(self) -> str:
        return self.cloud.oss if self.provider == "oss" else self.cloud.cos

    @property
    def peer(self) -> OSSPeer | COSPeer:
        return (OSSPeer if self.provider == "oss" else COSPeer)(self.endpoint, self.account)

    def place(self, key: str) -> str:
        return f"{self.provider}://{BUCKET}/{key}"

    def run_tool(self, *arguments: str, account: Account | None = None, status: int = 0) -> Any:
        return command.run(
            *arguments, "--endpoint", self.endpoint, *self.signature, account=account or self.account, status=status)

    def run_presign(self, method: str, key: str, *arguments: str, account: Account | None, status: int = 0) -> Any:
        url = f"{self.endpoint}/{BUCKET}/{urllib.parse.quote(key)}"
        return command.run(
            "presign", method, url, "--provider", self.provider, "--region", REGION, *self.signature, *arguments,
            account=account or self.account, status=status)

    def presign(self, method: str, key: str, *arguments: str, account: Account | None = None) -> str:
        return str(self.run_presign(method, key, *arguments, account=account).stdout).strip()

    def refusal(self, method: str, key: str) -> str:
        """Returns the error of the tool when it signs no URL."""
        return str(self.run_presign(method, key, account=None, status=64).stderr)

    def send(self, method: str, url: str) -> tuple[int, bytes]:
        """Sends a request to exactly this URL; other clients normalize the dots in a path."""
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        try:
            connection.request(method, url[url.index("/", len("http://")):])
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def test_tool_reads_objects_of_the_sdk(self) -> None:
        target = self.folder / "target"
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                self.peer.put(f"sdk/{key}", f"{index}".encode(), "text/x-note", "a, b")
                self.run_tool("cp", self.place(f"sdk/{key}"), str(target))
                self.assertEqual(target.read_bytes(), f"{index}".encode())
        listed = self.run_tool("ls", "-r", self.place("sdk/")).stdout.splitlines()
        keys = [line.split(" 1 ", 1)[1] for line in listed]
        self.assertEqual(keys, sorted((f"sdk/{key}" for key in ODD_KEYS), key=lambda key: key.encode()))
        self.run_tool("rm", self.place(f"sdk/{ODD_KEYS[0]}"))
        self.assertEqual(len(self.peer.keys("sdk/")), len(ODD_KEYS) - 1)
        self.run_tool("rm", "-r", self.place("sdk/"))
        self.assertEqual(self.peer.keys("sdk/"), [])

    def test_sdk_reads_objects_of_the_tool(self) -> None:
        source = self.folder / "source.png"
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                source.write_bytes(f"{index}".encode())
                # A destination that ends in a slash gets the name of the file.
                stored = f"tool/{key}source.png" if key.endswith("/") else f"tool/{key}"
                self.run_tool("cp", str(source), self.place(f"tool/{key}"), "--metadata", "note=a, b")
                body, headers = self.peer.get(stored)
                self.assertEqual((body, headers["content-type"]), (f"{index}".encode(), "image/png"))
                self.assertEqual(headers[f"{self.peer.metadata_prefix}note"], "a, b")
        self.assertEqual(len(self.peer.keys("tool/")), len(ODD_KEYS))

    def test_leading_slashes_are_kept(self) -> None:
        key = "//x"
        self.peer.put(key, b"slashes", "text/x-note", "1")
        if self.provider == "cos":
            key = "/x"  # The SDK for COS treats one leading slash as that of the URL.
        target = self.folder / "target"
        self.run_tool("cp", self.place(key), str(target))
        self.assertEqual(target.read_bytes(), b"slashes")
        self.assertEqual(self.send("GET", self.presign("GET", key)), (200, b"slashes"))

    def test_tool_copies_objects_of_the_sdk(self) -> None:
        self.peer.put("from +é%", b"copied", "text/x-note", "kept")
        self.run_tool("cp", self.place("from +é%"), self.place("to"))
        body, headers = self.peer.get("to")
        self.assertEqual((body, headers["content-type"]), (b"copied", "text/x-note"))
        self.assertEqual(headers[f"{self.peer.metadata_prefix}note"], "kept")

    def test_large_file_is_uploaded_and_downloaded(self) -> None:
        source, target = self.folder / "large.bin", self.folder / "back.bin"
        content = b"".join(bytes([number]) * MEBIBYTE for number in range(24))
        source.write_bytes(content)
        self.run_tool("cp", str(source), self.place("large"))
        self.run_tool("cp", self.place("large"), str(target))
        self.assertEqual(target.read_bytes(), content)
        body, headers = self.peer.get("large")
        self.assertEqual((body, headers["content-type"]), (content, "application/octet-stream"))
        body, headers = self.peer.get("large", 5 * MEBIBYTE - 1, 5 * MEBIBYTE + 1)
        self.assertEqual(body, b"\x04\x05\x05")

    def test_urls_of_the_tool_work_for_plain_http(self) -> None:
        key, header = "signed +%/文", "Content-Type: text/y"
        put = self.presign("PUT", key, "-H", header, "-H", "Content-Length: 3")
        answer = requests.put(put, data=b"abc", headers={"Content-Type": "text/y"})
        self.assertEqual(answer.status_code, 200, answer.text)
        get = self.presign("GET", key)
        self.assertEqual(requests.get(get).content, b"abc")
        with urllib.request.urlopen(get) as opened:
            self.assertEqual((opened.read(), opened.headers["Content-Type"]), (b"abc", "text/y"))
        self.assertEqual(requests.put(get, data=b"abc").status_code, 403)
        self.assertEqual(requests.put(put, data=b"abc", headers={"Content-Type": "text/z"}).status_code, 403)

    def test_urls_of_the_tool_support_odd_keys(self) -> None:
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                self.peer.put(f"url/{key}", f"{index}".encode(), "text/x-note", "1")
                if self.signature == ["--signature", "v1"] and "?" in key:
                    self.assertIn("question mark", self.refusal("GET", f"url/{key}"))
                    url = self.presign("GET", f"url/{key}", "--allow-ambiguous-v1")
                else:
                    url = self.presign("GET", f"url/{key}")
                self.assertNotIn("+", url)
                self.assertEqual(self.send("GET", url), (200, f"{index}".encode()))

    def test_expired_url_of_the_tool_is_rejected(self) -> None:
        self.peer.put("expiring", b"abc", "text/x-note", "1")
        url = self.presign("GET", "expiring", "--expires", "60", "--date", "1790000000")
        answer = requests.get(url)
        self.assertEqual(answer.status_code, 403)
        self.assertIn("Request has expired", answer.text)

    def test_tool_reports_the_servers_error(self) -> None:
        wrong = Account(self.account.id, "another-secret", self.account.token)
        failed = self.run_tool("cp", self.place("x"), str(self.folder / "x"), account=wrong, status=1)
        self.assertIn("SignatureDoesNotMatch", failed.stderr)
        self.assertRegex(failed.stderr, r"request id [0-9A-Za-z=]{24,}")
        self.assertNotIn("another-secret", failed.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        failed = self.run_tool("rm", "-r", self.place("x"), account=Account("nobody", "wrong"), status=1)
        self.assertIn("InvalidAccessKeyId", failed.stderr)

    def test_bucket_created_by_the_tool(self) -> None:
        name = f"made-{type(self).__name__.lower()}"
        self.run_tool("mb", f"{self.provider}://{name}")
        file = self.folder / "a.txt"
        file.write_bytes(b"abc")
        self.run_tool("cp", str(file), f"{self.provider}://{name}/")
        self.assertIn(" a.txt", self.run_tool("ls", f"{self.provider}://{name}").stdout)


class CommandLineWithToken(CommandLine):
    account = TEMPORARY


class CommandLineV1(CommandLine):
    signature = ["--signature", "v1"]


class CommandLineV1WithToken(CommandLineV1):
    account = TEMPORARY


class CommandLineCOS(CommandLine):
    provider = "cos"


class CommandLineCOSStrictWithToken(CommandLineCOS):
    account = TEMPORARY
    strict = True
