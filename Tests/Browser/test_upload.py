# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests form uploads to OSS and COS by a page in headless Chromium, which shows the responses."""

import hashlib
import html
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import urllib.request
from typing import ClassVar

READY_WITHIN = 60
SHOWN_WITHIN = 120
# The virtual time of the page, which stands still during a request, so that a slow machine does not exceed it.
PAGE_BUDGET = 30_000
LARGEST = 1 << 20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Page:
    """FormUploadExample with its services, until it is stopped."""

    def __init__(self, *arguments: str) -> None:
        port = free_port()
        self._url = f"http://127.0.0.1:{port}/"
        self._program = subprocess.Popen(
            [os.environ["FORM_UPLOAD_EXAMPLE"], "--port", str(port), *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_WITHIN
        while True:
            try:
                urllib.request.urlopen(self._url, timeout=READY_WITHIN).close()
                return
            except OSError:
                if self._program.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise RuntimeError("FormUploadExample did not respond.") from None
                time.sleep(0.05)

    def stop(self) -> None:
        self._program.terminate()
        try:
            self._program.wait(timeout=READY_WITHIN)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()

    def result(self, host: str = "127.0.0.1", **wish: object) -> str:
        """Returns the text that the page shows after the upload."""
        url = self._url.replace("127.0.0.1", host)
        with tempfile.TemporaryDirectory(prefix="form-upload-", ignore_cleanup_errors=True) as profile:
            shown = subprocess.run(
                [os.environ["CHROMIUM"], "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--user-data-dir={profile}", f"--virtual-time-budget={PAGE_BUDGET}", "--dump-dom",
                 f"{url}?{urllib.parse.urlencode(wish)}"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=SHOWN_WITHIN, check=True).stdout
        found = re.search(r'<pre id="result">([^<]*)</pre>', shown)
        if found is None:
            raise AssertionError(f"The page shows no result: {shown}")
        return html.unescape(found.group(1))


class UploadTests(unittest.TestCase):
    page: ClassVar[Page]

    @classmethod
    def setUpClass(cls) -> None:
        cls.page = Page()
        cls.addClassCleanup(cls.page.stop)

    def assert_each(self, expected: dict[str, str], **wish: object) -> None:
        """Uploads the same file to both services and compares the text that the page shows."""
        for service in ("oss", "cos"):
            with self.subTest(service=service):
                self.assertEqual(self.page.result(service=service, **wish), expected[service])

    def test_file_is_uploaded_and_its_location_is_shown(self) -> None:
        tag = hashlib.md5(b"m" * 4321).hexdigest()
        self.assert_each(
            {"oss": f'stored: 201 uploads/alice/a b.png "{tag.upper()}"',
             "cos": f'stored: 201 uploads/alice/a b.png "{tag}"'}, size=4321, name="a b.png")

    def test_largest_file_is_uploaded(self) -> None:
        for service in ("oss", "cos"):
            self.assertRegex(self.page.result(service=service, size=LARGEST), r"^stored: 201 uploads/alice/cat\.png ")

    def test_file_that_is_too_large_is_rejected(self) -> None:
        refusal = "refused: 400 EntityTooLarge: Your proposed upload exceeds the maximum allowed size."
        self.assert_each({"oss": refusal, "cos": refusal}, size=LARGEST + 1)

    def test_file_of_another_type_is_rejected(self) -> None:
        self.assert_each(
            {"oss": 'refused: 403 AccessDenied: Invalid according to Policy: Policy Condition failed: '
                    '["starts-with","$content-type","image/"]',
             "cos": "refused: 403 AccessDenied: Condition key content-type doesn't match the value image/"},
            type="text/html", name="page.html")

    def test_key_outside_the_prefix_is_rejected(self) -> None:
        self.assert_each(
            {"oss": 'refused: 403 AccessDenied: Invalid according to Policy: Policy Condition failed: '
                    '["starts-with","$key","uploads/alice/"]',
             "cos": "refused: 403 AccessDenied: Condition key key doesn't match the value uploads/alice/"},
            key="uploads/bob/cat.png")

    def test_page_of_another_origin_receives_no_response(self) -> None:
        for service in ("oss", "cos"):
            self.assertEqual(self.page.result(host="localhost", service=service), "failed: TypeError: Failed to fetch")


class ExpiryTests(unittest.TestCase):
    def test_expired_form_is_rejected(self) -> None:
        page = Page("--cloud-clock-ahead", "3600")
        self.addCleanup(page.stop)
        self.assertEqual(
            page.result(service="oss"), "refused: 403 AccessDenied: Invalid according to Policy: Policy expired.")
        self.assertRegex(page.result(service="cos"), r"^refused: 403 AccessDenied: .*expired")


if __name__ == "__main__":
    unittest.main(verbosity=2)
