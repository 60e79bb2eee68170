# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the views of the console of `storage-auth serve --console` in headless Chromium: what runs, the headers of
requests, objects, issued keys, a phone, and the rules of axe-core for accessible pages.

Usage: test_views.py [--screenshots FOLDER] [unittest arguments]"""

import base64
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

from test_console import BUCKET, HOSTILE, KEY_ID, ROWS, SECRET, TEMPORARY, TOKEN, ConsoleCase, main

NAME = "my cat + dög.txt"
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


class ViewTests(ConsoleCase):
    def click(self, selector: str, text: str | None = None) -> None:
        """Clicks the first element of a selector that contains a text."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})].find((found) => found.checkVisibility()"
        found += f" && found.textContent.includes({json.dumps(text or '')}))"
        self.browser.wait(f"{found} !== undefined")
        self.browser.value(f"{found}.click()")

    def show(self, view: str) -> None:
        self.click(f"#tab-{view}")

    def size(self, name: str) -> None:
        width, height = SIZES[name]
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def text(self, selector: str) -> str:
        return self.browser.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def wait_for(self, selector: str, text: str) -> None:
        """Waits until an element shows a text."""
        self.browser.wait(
            f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').includes({json.dumps(text)})")

    def catch_copies(self) -> None:
        """Keeps what the page copies, because the clipboard of a headless browser needs a permission."""
        self.browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text; }; 0")

    def copied(self) -> str:
        return self.browser.wait("window.copied ?? ''")

    def open_folder(self, *folders: str) -> None:
        self.show("objects")
        self.browser.wait("document.querySelectorAll('#buckets button').length === 3")
        self.browser.value("[...document.querySelectorAll('#buckets button')].at(-1).click()")
        for folder in folders:
            self.click("#objects td button", folder)

    def upload(self, name: str, content: bytes) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name, name)
        file.write_bytes(content)
        document = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=document, selector="#files")["nodeId"]
        self.browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(file)])

    def issue(self) -> dict[str, str]:
        """Issues a key for OSS, and returns the response of the app server."""
        with urllib.request.urlopen(self.cloud.ready["ossAppServer"], timeout=60) as answer:
            return json.load(answer)

    def assume_role(self, session: str, policy: dict[str, object]) -> dict[str, str]:
        """Requests a key for S3 with a policy, and returns its ID, secret and session token."""
        services = self.cloud.ready["services"]
        body = urllib.parse.urlencode({
            "Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": "arn:aws:iam::125000000000:role/localcloud",
            "RoleSessionName": session, "Policy": json.dumps(policy)})
        line = ["curl", "-s", "--aws-sigv4", "aws:amz:eu-central-1:sts", "--user", f"{KEY_ID}:{SECRET}", "--data", body, services]
        answer = subprocess.run(line, capture_output=True, text=True, timeout=60).stdout
        found = {name: re.search(f"<{name}>([^<]*)</{name}>", answer) for name in
                 ("AccessKeyId", "SecretAccessKey", "SessionToken")}
        return {name: match.group(1) for name, match in found.items() if match is not None}

    def test_policy_and_caller_of_a_key_are_shown(self) -> None:
        key = self.assume_role("alice", {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{BUCKET}/alice/*"}]})
        self.send("PUT", "alice/a.txt", body=b"a")
        for name in ("alice/a.txt", "bob/a.txt"):
            self.send("GET", name, key_id=key["AccessKeyId"], secret=key["SecretAccessKey"], token=key["SessionToken"])
        self.show("keys")
        self.click("#keys button", key["AccessKeyId"])
        self.wait_for("#key", f'"Resource": "arn:aws:s3:::{BUCKET}/alice/*"')
        self.assertIn(f"for {KEY_ID}, with a policy", self.text("#keys"))
        self.assertIn("2 uses, 1 refusal", self.text("#keys"))
        self.click("#key button", "bob/a.txt")
        self.wait_for("#detail", "AccessDenied")

    def test_fresh_page_says_what_runs(self) -> None:
        self.wait_for("#server", "This local cloud runs")
        page = self.text("#server")
        for line in (self.cloud.ready["oss"], self.cloud.ready["services"], KEY_ID, "ossutil ls", "coscli ls", "aws s3 ls"):
            self.assertIn(line, page)
        for secret in (SECRET, TOKEN):
            self.assertNotIn(secret, self.browser.value("document.documentElement.outerHTML"))
        self.catch_copies()
        self.send("PUT", "cat.jpg", body=b"a")
        lines = self.browser.value("[...document.querySelectorAll('.command')].map((line) => "
                                   "[line.querySelector('.tool').textContent, line.querySelector('code').textContent])")
        keys = {"OSS_ACCESS_KEY_ID": KEY_ID, "OSS_ACCESS_KEY_SECRET": SECRET, "TENCENTCLOUD_SECRET_ID": KEY_ID,
                "TENCENTCLOUD_SECRET_KEY": SECRET, "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
        curls = [line for tool, line in lines if tool == "curl"]
        self.assertEqual(len(curls), 3)
        for line in curls:
            ran = subprocess.run(["sh", "-c", line], env=os.environ | keys, capture_output=True, text=True, timeout=60)
            self.assertIn(f"<Name>{BUCKET}</Name>", ran.stdout, line)
        # The first request leads to the list, unless a view was selected.
        self.browser.wait(f"{ROWS}.length === 4 && !document.getElementById('view-requests').hidden")

    def test_selected_view_stays_when_requests_arrive(self) -> None:
        self.show("server")
        self.send("PUT", "cat.jpg", body=b"a")
        self.browser.wait("document.getElementById('counts').textContent.startsWith('1 request')")
        self.assertFalse(self.browser.value("document.getElementById('view-server').hidden"))

    def test_request_shows_headers_and_is_copied_as_curl(self) -> None:
        self.catch_copies()
        self.send("PUT", "notes.txt", body=b"a", signed={"content-type": "text/x-'quoted'"}, key_id=TEMPORARY, token=TOKEN)
        self.select("notes.txt")
        self.wait_for("#detail", "Response headers")
        self.assertIn("text/x-'quoted'", self.text("#detail"))
        for secret in (SECRET, TOKEN, *self.cloud.signatures):
            self.assertNotIn(secret, self.browser.value("document.documentElement.outerHTML"))
        self.click("#detail button", "Copy as curl")
        line = self.copied()
        self.assertRegex(line, r"^curl -X PUT --aws-sigv4 \"aws:amz:eu-central-1:s3\"")
        self.assertIn(r"""-H 'content-type: text/x-'\''quoted'\'''""", line)
        self.assertTrue(line.endswith(f"'{self.cloud.ready['s3']}/{BUCKET}/notes.txt'"), line)

        self.send("GET", "notes.txt")
        self.select("GET")
        self.wait_for("#detail", "Response headers")
        self.browser.value("window.copied = undefined; 0")
        self.click("#detail button", "Copy as curl")
        ran = subprocess.run(
            ["sh", "-c", self.copied()], env=os.environ | {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET},
            capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.stdout, "a", "curl signs the request again")

    def test_presigned_url_is_shown_as_path_and_parameters(self) -> None:
        self.send("PUT", "a.txt", body=b"a")
        self.send("GET", "a.txt", presigned=True)
        self.select("presigned")
        self.assertNotIn("X-Amz", " ".join(self.rows()))
        self.wait_for("#detail", "Parameters")
        pairs = dict(self.browser.value(
            "[...document.querySelector('#detail .pairs').querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"))
        self.assertEqual(pairs["X-Amz-Expires"], "60")
        self.assertRegex(pairs["X-Amz-Credential"], rf"^{KEY_ID}/\d{{8}}/eu-central-1/s3/aws4_request$")
        self.assertNotIn(pairs["X-Amz-Signature"], self.cloud.signatures)

    def test_link_leads_to_a_request(self) -> None:
        self.catch_copies()
        for name in ("a", "b"):
            self.send("GET", name)
        self.select("/a")
        self.click("#detail button", "Copy link")
        link = self.copied()
        self.browser.open("about:blank")
        self.browser.open(link)
        self.wait_for("#detail", f"/{BUCKET}/a")
        self.assertIn("/a", self.browser.value("document.querySelector('.row[aria-selected=true]').textContent"))
        self.browser.open("about:blank")
        self.browser.open(re.sub(r"requests/\w+/", "requests/other/", link))
        self.wait_for("#message", "an earlier start of the console")

    def test_list_is_paused_and_cleared(self) -> None:
        self.send("GET", "a")
        self.browser.wait(f"{ROWS}.length === 1")
        self.click("#pause")
        for name in ("b", "c"):
            self.send("GET", name)
        self.wait_for("#pause", "Resume (2)")
        self.assertEqual(len(self.rows()), 1)
        self.click("#pause")
        self.browser.wait(f"{ROWS}.length === 3")
        self.click("#clear")
        self.click("#question-no")
        self.assertEqual(len(self.rows()), 3)
        self.click("#clear")
        self.click("#question-yes")
        self.browser.wait(f"{ROWS}.length === 0")
        self.wait_for("#message", "Cleared")
        self.send("GET", "d")
        self.browser.wait(f"{ROWS}.length === 1")

    def test_objects_are_uploaded_previewed_presigned_and_deleted(self) -> None:
        self.open_folder()
        self.browser.wait("!document.getElementById('upload').hidden")
        self.upload(NAME, "first line\nsecond\u202eline\n".encode())
        self.click("#objects td button", NAME)
        self.wait_for("#object pre", "second\\u{202E}line")
        self.wait_for("#object", "Metadata")
        self.assertIn("text/plain", self.text("#object"))
        self.assertEqual(self.send("GET", NAME), 200)

        self.browser.value("document.querySelector('#object form').requestSubmit()")
        url = self.browser.wait("document.querySelector('.result code')?.textContent ?? ''")
        with urllib.request.urlopen(url, timeout=60) as answer:
            self.assertEqual(answer.read().decode(), "first line\nsecond\u202eline\n")
        self.assertEqual(self.plain("DELETE", url), 403)

        self.browser.wait("document.getElementById('message').textContent.startsWith('Uploaded')")
        self.upload(NAME, b"replaced")
        self.click("#question-yes", "Replace")
        self.wait_for("#message", "Uploaded")
        self.click("#object button", "Delete")
        self.click("#question-no")
        self.assertEqual(self.send("HEAD", NAME), 200)
        self.click("#object button", "Delete")
        self.click("#question-yes", "Delete")
        self.wait_for("#message", "Deleted")
        self.assertEqual(self.send("HEAD", NAME), 404)

    def test_image_is_previewed(self) -> None:
        picture = base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        self.send("PUT", "dot.png", body=picture, signed={"content-type": "image/png"})
        self.open_folder()
        self.click("#objects td button", "dot.png")
        self.browser.wait("document.querySelector('.preview img')?.naturalWidth === 1")
        self.assertEqual(self.browser.value("document.querySelector('.preview img').alt"), "Preview of dot.png")

    def test_object_that_is_gone_is_reported(self) -> None:
        self.send("PUT", "a.bin", body=b"\0\xff")
        self.open_folder()
        self.click("#objects td button", "a.bin")
        self.wait_for("#object .preview", "no preview of binary data")
        address = f"object?service=s3&bucket={BUCKET}&key=missing"
        self.browser.value(f"call({json.dumps(address)}).then(() => 0)")
        self.wait_for("#message", "NoSuchKey: ")
        # The browser reports the 404 in its log as well, which the test expects.
        self.browser.events.clear()

    def test_hostile_objects_are_text(self) -> None:
        body = b"<script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
        self.send("PUT", HOSTILE, body=body, signed={"content-type": "text/html"})
        self.open_folder()
        self.click("#objects td button", "img")
        self.wait_for("#object pre", "<script>")
        self.assertEqual(self.browser.value("document.title"), "LocalCloud console")
        self.assertEqual(self.browser.value("document.querySelectorAll('img, iframe, main script').length"), 0)
        self.assertNotIn("\u202e", self.browser.value("document.documentElement.textContent"))

    def test_issued_keys_are_shown_and_revoked(self) -> None:
        self.show("keys")
        self.wait_for("#no-keys", "No key was issued yet")
        key = self.issue()
        oss = self.cloud.ready["oss"]
        self.wait_for("#keys", key["AccessKeyId"])
        self.click("#keys button", key["AccessKeyId"])
        self.wait_for("#key", "acs:ram::1250000000:role/localcloud")
        for fact in ("an app", "valid", "30 min left", "everything in its service"):
            self.assertIn(fact, self.text("#key"))
        for secret in (key["AccessKeySecret"], key["SecurityToken"]):
            self.assertNotIn(secret, self.browser.value("document.documentElement.outerHTML"))
        environment = os.environ | {
            "OSS_ACCESS_KEY_ID": key["AccessKeyId"], "OSS_ACCESS_KEY_SECRET": key["AccessKeySecret"],
            "OSS_SESSION_TOKEN": key["SecurityToken"]}
        list_objects = [os.environ["STORAGE_AUTH"], "ls", f"oss://{BUCKET}", "--endpoint", oss]
        self.assertEqual(subprocess.run(list_objects, env=environment, capture_output=True, timeout=60).returncode, 0)
        self.wait_for("#key", "Latest requests")
        self.assertIn("1 use", self.text("#keys"))
        self.click("#key button", "Revoke")
        self.click("#question-yes", "Revoke")
        self.wait_for("#key", "revoked")
        self.assertNotEqual(subprocess.run(list_objects, env=environment, capture_output=True, timeout=60).returncode, 0)
        self.wait_for("#keys", "refusal")

    def test_doubled_bucket_and_other_method_are_named(self) -> None:
        self.send("PUT", "a.txt", body=b"a")
        self.open_folder()
        self.click("#objects td button", "a.txt")
        self.wait_for("#object", "Presigned URL")
        self.browser.value("document.querySelector('#object form').requestSubmit()")
        url = self.browser.wait("document.querySelector('.result code')?.textContent ?? ''")
        self.show("requests")
        self.plain("PUT", url, b"b")
        self.select("method changed")
        self.assertRegex(self.cause(), "A URL that was presigned for one method is valid for no other")
        self.plain("GET", url.replace(f"/{BUCKET}/", f"/{BUCKET}/{BUCKET}/"))
        self.select("bucket twice")
        self.wait_for(".cause", "The bucket is named twice")

    def test_phone_shows_the_list_and_then_the_detail(self) -> None:
        self.size("phone")
        self.send("GET", "missing.jpg")
        self.select("missing.jpg")
        self.wait_for("#detail", "NoSuchKey")
        visible = "[...document.querySelectorAll('.view:not([hidden]) .pane')].map((pane) => pane.checkVisibility())"
        self.assertEqual(self.browser.value(visible), [False, True])
        self.click(".back", "Requests")
        self.assertEqual(self.browser.value(visible), [True, False])
        self.send("PUT", "2026/cat.jpg", body=b"a")
        self.open_folder("2026/")
        self.click("#objects td button", "cat.jpg")
        self.assertEqual(self.browser.value(visible), [False, False, True])
        for shown in ([False, True, False], [True, False, False]):
            self.click(".back")
            self.assertEqual(self.browser.value(visible), shown)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), SIZES["phone"][0])

    def views(self) -> dict[str, object]:
        """Fills the console, and returns the functions that show its views by name."""
        send = self.send
        send("PUT", "2026/11/cat.txt", body=b"A cat sat\non a mat.\n", signed={"content-type": "text/plain"})
        send("PUT", "2026/11/report.pdf", body=b"\0" * 1_204_332, signed={"content-type": "application/pdf"})
        send("GET", "2026/11/dog.jpg")
        send("GET", "2026/11/cat.txt", presigned=True)
        send("PUT", "notes.txt", body=b"a", signed={"content-type": "text/plain"},
             sent={"content-type": "text/plain; charset=utf-8"})
        for name in ("ossAppServer", "cosAppServer"):
            self.plain("GET", self.cloud.ready[name])
        issued = self.assume_role("alice", {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{BUCKET}/2026/*"}]})
        for name in ("2026/11/cat.txt", "notes.txt"):
            send("GET", name, key_id=issued["AccessKeyId"], secret=issued["SecretAccessKey"], token=issued["SessionToken"])
        self.browser.wait(f"{ROWS}.length === 10")

        def requests() -> None:
            self.show("requests")
            self.select("content type changed")
            self.wait_for("#detail", "Response headers")

        def presigned() -> None:
            self.browser.value("document.getElementById('view-requests').dataset.pane = 0")
            self.select("presigned")
            self.wait_for("#detail", "Response headers")

        def listed() -> None:
            self.browser.value("document.getElementById('view-requests').dataset.pane = 0")

        def objects() -> None:
            self.open_folder("2026/", "11/")
            self.browser.wait("document.querySelectorAll('#objects tbody tr').length === 2")

        def item() -> None:
            self.click("#objects td button", "cat.txt")
            self.wait_for("#object pre", "A cat sat")
            self.browser.value("document.querySelector('#object form').requestSubmit()")
            self.browser.wait("document.querySelector('.result code') !== null")

        def question() -> None:
            self.click("#object button", "Delete")

        def keys() -> None:
            self.click("#question-no")
            self.show("keys")
            self.browser.wait("document.querySelectorAll('#keys li').length === 3")

        def key() -> None:
            self.click("#keys button", "for LTAI")
            self.wait_for("#key", "Policy")

        return {"server": lambda: self.show("server"), "requests": requests, "presigned": presigned, "list": listed,
                "objects": objects, "object": item, "question": question, "keys": keys, "key": key}

    def test_all_views_are_accessible(self) -> None:
        """Checks the rules of axe-core in light and dark, on a desktop and on a phone, and takes pictures."""
        axe = pathlib.Path(os.environ.get("AXE", ""))
        if not axe.is_file():
            self.assertNotEqual(os.environ.get("CI"), "true", "There is no axe.min.js.")
            self.skipTest("There is no axe.min.js; name it with AXE.")
        self.browser.value(axe.read_text() + ";0")
        # The rows of the list are painted with the new colors in the next frame only.
        painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"
        run = """axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) =>
          `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`))"""
        for name, show in self.views().items():
            self.size("desktop")
            show()
            for scheme in ("light", "dark"):
                self.browser.use(scheme)
                for size in SIZES:
                    self.size(size)
                    self.browser.value(painted)
                    self.browser.wait("document.getAnimations().length === 0")
                    with self.subTest(view=name, scheme=scheme, size=size):
                        self.assertEqual(self.browser.value(run), [])
                    self.picture(f"console-{name}-{scheme}-{size}")


if __name__ == "__main__":
    main()
