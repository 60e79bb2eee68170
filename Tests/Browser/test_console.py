# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the console of `storage-auth serve --console` in headless Chromium: requests appear while they arrive, and each
refusal shows the differing line and its cause.

Usage: test_console.py [--screenshots FOLDER] [unittest arguments]"""

import datetime
import hashlib
import hmac
import json
import os
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, ClassVar

from devtools import Browser

READY_WITHIN = 120
BUCKET = "photos-1250000000"
KEY_ID = "LTAIexample"
SECRET = "S3cret-of-the-example"
TOKEN = "T0ken/of+the=example"
TEMPORARY = "STS.example"
HOSTILE = "<img src=x onerror=\"document.title='broken'\">\u202egnp.\x1b[2J"
ESCAPED = "<img src=x onerror=\"document.title='broken'\">\\u{202E}gnp.\\u{1B}[2J"
EMPTY_HASH = hashlib.sha256(b"").hexdigest()


class Cloud:
    """`storage-auth serve --console`, until it is stopped."""

    def __init__(self) -> None:
        self._program = subprocess.Popen(
            [os.environ["STORAGE_AUTH"], "serve", "--console", "0", "--json", "--bucket", BUCKET, "--account",
             f"{KEY_ID}:{SECRET}", "--account", f"{TEMPORARY}:{SECRET}:{TOKEN}", "--region", "cn-hangzhou"],
            stdout=subprocess.PIPE, text=True)
        assert self._program.stdout is not None
        self.ready = json.loads(self._program.stdout.readline())

    def stop(self) -> None:
        self._program.terminate()
        try:
            status = self._program.wait(timeout=READY_WITHIN)
        except subprocess.TimeoutExpired:
            self._program.kill()
            raise
        finally:
            self._program.stdout.close()
        assert status == 0, f"storage-auth serve ended with {status}"

    def send(
        self, method: str, key: str, *, body: bytes | None = None, secret: str = SECRET, key_id: str = KEY_ID,
        token: str | None = None, region: str = "eu-central-1", ahead: float = 0, signed: dict[str, str] | None = None,
        sent: dict[str, str] | None = None, presigned: bool = False,
    ) -> int:
        """Signs a request to S3, changes its headers from `signed` to `sent`, sends it and returns the status."""
        endpoint = self.ready["s3"]
        now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=ahead)
        date = now.strftime("%Y%m%dT%H%M%SZ")
        path = urllib.parse.quote(f"/{BUCKET}/{key}", safe="/-._~")
        scope = f"{date[:8]}/{region}/s3/aws4_request"
        digest = "UNSIGNED-PAYLOAD" if presigned else hashlib.sha256(body or b"").hexdigest()
        headers = {"host": endpoint.removeprefix("http://")} | (signed or {})
        query: dict[str, str] = {}
        if presigned:
            query = {
                "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{key_id}/{scope}", "X-Amz-Date": date,
                "X-Amz-Expires": "60", "X-Amz-SignedHeaders": ";".join(sorted(headers))}
            if token:
                query["X-Amz-Security-Token"] = token
        else:
            headers |= {"x-amz-date": date, "x-amz-content-sha256": digest}
            if token:
                headers["x-amz-security-token"] = token
        names = sorted(headers)
        encoded = "&".join(
            f"{urllib.parse.quote(name, safe='-._~')}={urllib.parse.quote(query[name], safe='-._~')}" for name in sorted(query))
        canonical = "\n".join(
            [method, path, encoded, *(f"{name}:{headers[name]}" for name in names), "", ";".join(names), digest])
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        work = f"AWS4{secret}".encode()
        for part in scope.split("/"):
            work = hmac.digest(work, part.encode(), "sha256")
        signature = hmac.digest(work, text.encode(), "sha256").hex()
        if presigned:
            encoded += f"&X-Amz-Signature={signature}"
        else:
            headers["authorization"] = (
                f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}")
        self.signatures.append(signature)
        headers |= sent or {}
        del headers["host"]
        return self.plain(method, f"{endpoint}{path}" + (f"?{encoded}" if encoded else ""), headers, body)

    signatures: ClassVar[list[str]] = []

    @staticmethod
    def plain(method: str, url: str, headers: dict[str, str], body: bytes | None = None) -> int:
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, data=body, headers=headers, method=method), timeout=READY_WITHIN) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code


ROWS = "[...document.querySelectorAll('.row')].filter((row) => !row.hidden)"


class ConsoleCase(unittest.TestCase):
    """A test of the page, which must report no error."""

    screenshots: ClassVar[str | None] = None
    cloud: Cloud
    browser: Browser

    def setUp(self) -> None:
        self.cloud = Cloud()
        self.addCleanup(self.cloud.stop)
        self.browser = Browser(1440, 900)
        self.addCleanup(self.browser.stop)
        self.browser.open(self.cloud.ready["console"])
        self.browser.wait("document.getElementById('connection').dataset.state === 'live'")

    def tearDown(self) -> None:
        self.assertEqual(self.browser.problems(), [])

    def rows(self) -> list[str]:
        # A row that has just been shown is rendered with the next frame only; its content is there before.
        return self.browser.value(f"{ROWS}.map((row) => row.textContent)")

    def awaited(self, method: str, request: Callable[[], int]) -> int:
        """Sends a request, and waits until the page has its report.

        A service reports a request after its response, so that reports of requests that follow one another closely can
        arrive in another order."""
        arrived = f"[...requests, ...pending].filter((request) => request.method === {json.dumps(method)}).length"
        before = self.browser.value(arrived)
        status = request()
        self.browser.wait(f"{arrived} > {before}")
        return status

    def send(self, method: str, key: str, **options: Any) -> int:
        return self.awaited(method, lambda: self.cloud.send(method, key, **options))

    def plain(self, method: str, url: str, body: bytes | None = None) -> int:
        return self.awaited(method, lambda: self.cloud.plain(method, url, {}, body))

    def select(self, text: str) -> None:
        """Selects the newest row that contains a text."""
        self.browser.wait(f"{ROWS}.some((row) => row.textContent.includes({json.dumps(text)}))")
        self.browser.value(f"{ROWS}.find((row) => row.textContent.includes({json.dumps(text)})).click()")

    def cause(self) -> str:
        return self.browser.wait("document.querySelector('.cause')?.innerText ?? ''")

    def marked(self) -> list[list[str]]:
        """Returns the differing lines of the signed strings: their cells, with the differing parts in brackets."""
        return self.browser.value("""
          [...document.querySelectorAll('.strings tr.differs')].map((line) => [...line.cells].slice(1).map((cell) =>
            [...cell.childNodes].map((node) => node.nodeName === 'MARK' ? `[${node.textContent}]` : node.textContent).join('')))
        """)

    def picture(self, name: str) -> None:
        if self.screenshots:
            self.browser.wait("document.getAnimations().length === 0")
            self.browser.screenshot(os.path.join(self.screenshots, f"{name}.png"))


class ConsoleTests(ConsoleCase):
    def test_requests_appear_while_they_arrive(self) -> None:
        self.assertEqual(self.rows(), [])
        self.assertEqual(self.send("PUT", "2026/cat.jpg", body=b"m" * 2048), 200)
        self.browser.wait(f"{ROWS}.length === 1")
        self.assertRegex(self.rows()[0], r"(?s)✓.*PUT.*2026/cat\.jpg.*S3.*S3 V4 with LTAIexample.*200")
        self.assertEqual(self.send("GET", "2026/cat.jpg", presigned=True), 200)
        self.assertEqual(self.send("GET", "missing.jpg"), 404)
        self.browser.wait(f"{ROWS}.length === 3")
        newest, presigned, _ = self.rows()
        self.assertRegex(newest, r"(?s)✕.*missing\.jpg.*NoSuchKey.*404")
        self.assertIn("presigned", presigned)
        self.assertIn("3 requests, 1 not accepted", self.browser.value("document.getElementById('counts').textContent"))

    def test_refusals_show_the_differing_line_and_the_cause(self) -> None:
        send = self.send
        send("PUT", "type.txt", body=b"a", signed={"content-type": "text/plain"},
             sent={"content-type": "text/plain; charset=utf-8"})
        self.select("type.txt")
        self.assertRegex(self.cause(), r"(?si)content type changed.*Line\s+Content-Type.*Client\s+text/plain\s")
        self.assertIn(["content-type:text/plain", "content-type:text/plain[; charset=utf-8]"], self.marked())
        heads = self.browser.value("[...document.querySelectorAll('.strings th')].map((cell) => cell.innerText)")
        self.assertEqual(heads, ["", "Client signed", "Service signed"] * 2)

        send("GET", "secret.txt", secret="another")
        self.select("secret.txt")
        self.browser.wait("document.querySelector('.cause')?.innerText.includes('No likely change')")
        self.assertEqual(self.marked(), [])

        send("GET", "newline.txt", secret=SECRET + "\n")
        self.select("newline.txt")
        self.browser.wait("document.querySelector('.cause')?.innerText.includes('a line feed at its end')")

        send("GET", "clock.txt", ahead=3600)
        self.select("clock.txt")
        self.browser.wait("document.querySelector('.cause h3')?.innerText.toLowerCase() === 'clock skew'")
        self.assertRegex(self.cause(), "ahead of the service")
        self.assertRegex(self.marked()[0][0], r"^\d{8}T\d{6}Z$")

        send("GET", "region.txt", region="us-east-1")
        self.select("region.txt")
        self.browser.wait("document.querySelector('.cause h3')?.innerText.toLowerCase() === 'wrong region'")
        scope = [line for line in self.marked() if "aws4_request" in line[0]][0]
        self.assertRegex(scope[0], r"^\d{8}/\[us-east\]-1/s3/aws4_request$")
        self.assertRegex(scope[1], r"^\d{8}/\[eu-central\]-1/s3/aws4_request$")

    def test_filters_and_keys_select_requests(self) -> None:
        self.send("PUT", "good.txt", body=b"a")
        self.send("GET", "bad.txt", secret="another")
        oss = self.cloud.ready["oss"]
        self.plain("GET", f"{oss}/{BUCKET}/unsigned.txt")
        self.browser.wait(f"{ROWS}.length === 3")
        self.browser.value("document.querySelector('input[value=refused]').click()")
        self.assertEqual(len(self.rows()), 2)
        self.browser.value("document.getElementById('service').value = 'oss';"
                           "document.getElementById('service').dispatchEvent(new Event('input', {bubbles: true}))")
        self.assertEqual(len(self.rows()), 1)
        self.browser.value("document.getElementById('filters').reset(); filter()")
        self.browser.press("/")
        self.assertEqual(self.browser.value("document.activeElement.id"), "text")
        self.browser.call("Input.insertText", text="wrong secret")
        self.browser.wait(f"{ROWS}.length === 1")
        self.assertIn("bad.txt", self.rows()[0])
        self.browser.call("Input.insertText", text=" that is not there")
        self.browser.wait(f"{ROWS}.length === 0")
        self.assertIn("No request matches", self.browser.value("document.getElementById('empty').innerText"))
        self.browser.value("document.getElementById('more').click()")
        self.browser.press("Escape")
        self.assertEqual(self.browser.value("document.activeElement.id"), "list")
        for key, name in [("ArrowDown", "unsigned.txt"), ("ArrowDown", "bad.txt"), ("ArrowDown", "good.txt"),
                          ("ArrowDown", "good.txt"), ("ArrowUp", "bad.txt"), ("Home", "unsigned.txt")]:
            self.browser.press(key)
            selected = self.browser.value("document.querySelector('[aria-selected=true].row').textContent")
            self.assertIn(name, selected)

    def test_hostile_keys_are_text(self) -> None:
        self.assertEqual(self.send("PUT", HOSTILE, body=b"a"), 200)
        self.send("GET", HOSTILE, secret="another")
        self.browser.wait(f"{ROWS}.length === 2")
        self.select("wrong secret")
        self.browser.wait("document.querySelector('.cause') !== null")
        self.browser.value("document.getElementById('tab-objects').click()")
        self.browser.wait("document.querySelectorAll('#buckets button').length === 3")
        self.browser.value("[...document.querySelectorAll('#buckets button')].at(-1).click()")
        self.browser.wait("!document.getElementById('objects').hidden")
        self.assertEqual(self.browser.value("document.querySelector('#objects td').textContent"), ESCAPED)
        self.assertEqual(self.browser.value("document.title"), "LocalCloud console")
        self.assertEqual(self.browser.value("document.querySelectorAll('img, iframe, main script').length"), 0)
        everything = self.browser.value("document.documentElement.textContent")
        self.assertIn(ESCAPED, everything)
        self.assertNotIn("\u202e", everything)
        self.assertNotIn("\x1b", everything)

    def test_page_contains_no_secret(self) -> None:
        for secret in (SECRET, "another"):
            self.send("GET", "a", key_id=TEMPORARY, token=TOKEN, secret=secret)
            self.send("GET", "a", key_id=TEMPORARY, token=TOKEN, secret=secret, presigned=True)
        self.browser.wait(f"{ROWS}.length === 4")
        seen = ""
        for number in range(1, 5):
            self.browser.value(f"document.getElementById('request-{number}').click()")
            if number > 2:
                self.browser.wait("document.querySelector('.strings') !== null")
            seen += self.browser.value("document.documentElement.outerHTML")
        self.assertIn("security-token", seen.lower())
        for secret in [SECRET, TOKEN, urllib.parse.quote(TOKEN, safe=""), *self.cloud.signatures]:
            self.assertNotIn(secret, seen)

    def test_list_is_bounded_and_objects_are_shown(self) -> None:
        for number in range(3):
            self.send("PUT", f"2026/11/{number}.jpg", body=b"m" * 5000)
        self.browser.value("document.getElementById('tab-objects').click()")
        self.browser.wait("document.querySelectorAll('#buckets button').length === 3")
        self.browser.value("[...document.querySelectorAll('#buckets button')].at(-1).click()")
        for folder in ("2026/", "2026/11/"):
            self.browser.wait(f"document.querySelector('#objects td button')?.textContent === '{folder}'")
            self.browser.value("document.querySelector('#objects td button').click()")
        self.browser.wait("document.querySelectorAll('#objects tbody tr').length === 3")
        self.assertIn("4.9 KiB", self.browser.value("document.getElementById('objects').innerText"))
        self.send("PUT", "2026/11/new.jpg", body=b"m")
        self.browser.wait("document.querySelectorAll('#objects tbody tr').length === 4")
        self.browser.value("document.getElementById('tab-requests').click()")
        request = "{endpoint: 's3', method: 'GET', target: '/a', outcome: 'accepted', authorization: 'other', "
        request += "time: '2026-11-23T00:00:00Z', cause: null, code: null, status: 200, microseconds: 1, received: null, sent: 0}"
        started = time.monotonic()
        self.browser.value(f"for (let n = 1001; n <= 11000; n += 1) receive({{n, ...{request}}});")
        self.browser.wait("document.getElementById('request-11000') !== null")
        self.assertEqual(self.browser.value("document.querySelectorAll('.row').length"), 1000)
        self.assertLess(time.monotonic() - started, 30)

    def test_pictures(self) -> None:
        """Fills the console as a developer would, and takes the pictures of the documentation."""
        send = self.send
        send("PUT", "2026/11/cat.jpg", body=b"m" * 48_213)
        send("PUT", "2026/11/report.pdf", body=b"m" * 1_204_332, signed={"content-type": "application/pdf"})
        send("GET", "2026/11/cat.jpg", presigned=True)
        send("GET", "2026/11/dog.jpg")
        send("GET", "2026/11/cat.jpg", region="us-east-1")
        send("GET", "2026/11/cat.jpg", ahead=3600)
        send("PUT", HOSTILE, body=b"a")
        send("GET", "2026/11/cat.jpg", secret=SECRET + "\n")
        send("PUT", "notes.txt", body=b"a", signed={"content-type": "text/plain"},
             sent={"content-type": "text/plain; charset=utf-8"})
        send("GET", "2026/11/report.pdf")
        self.browser.wait(f"{ROWS}.length === 10")
        self.select("notes.txt")
        self.browser.wait("document.querySelectorAll('.strings').length === 2")
        for scheme in ("light", "dark"):
            self.browser.use(scheme)
            self.browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
            self.picture(f"console-{scheme}")
        self.select("wrong region")
        self.browser.wait("document.querySelector('.cause h3')?.innerText.toLowerCase() === 'wrong region'")
        self.picture("console-region")


def main() -> None:
    if len(sys.argv) > 2 and sys.argv[1] == "--screenshots":
        ConsoleCase.screenshots = sys.argv[2]
        del sys.argv[1:3]
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
