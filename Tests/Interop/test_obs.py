# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that Huawei's SDK and `Examples/OBSProvider` sign pseudo-random requests to OBS alike."""

import email.utils
import json
import os
import random
import subprocess
import time
import unittest
import urllib.parse
from typing import Any

from obs import ObsClient
from obs.auth import Authentication
from obs.convertor import Adapter

COUNT = 200
FORM_COUNT = 100
NOW = 1_790_000_000
HOST = "obs.cn-north-4.myhuaweicloud.com"
KEY_ALPHABET = "abcXYZ019-_.~ +/%&=?#:;,@!*'()$[]{}|^`\"\\<>é文😀"
# A value with `&` could be the text of other parameters and is rejected, like a header that is not ASCII.
VALUE_ALPHABET = KEY_ALPHABET.replace("&", "")
HEADER_ALPHABET = "abcXYZ019-_.~ +/%&=?#:;,@!*'()$[]{}|^`\"\\<>"
PARAMETERS = ["prefix", "marker", "uploadId", "partNumber", "versionId", "response-content-type",
              "response-content-disposition", "x-image-process", "position", "x-obs-thing"]
FLAGS = ["acl", "uploads", "tagging", "append"]
FORM_ALPHABET = "abcXYZ019-_.~ +/%&=?#:;,@!*'()[]{}|^`<>é文😀"
TIME_LIMIT = 600


class RandomRequest:
    """A request that both signers accept."""

    def __init__(self, number: int) -> None:
        self._random = pick = random.Random(f"obs {number}")
        self.method = pick.choice(["GET", "PUT", "POST", "HEAD", "DELETE"])
        self.bucket = pick.choice(["photos", "a-1-b", "dotted.name"])
        self.key = self._text(KEY_ALPHABET, 24)
        self.parameters: dict[str, str | None] = {
            name: self._text(VALUE_ALPHABET, 12) for name in pick.sample(PARAMETERS, pick.randrange(4))}
        self.parameters |= {name: None for name in pick.sample(FLAGS, pick.randrange(2))}
        names = pick.sample(["x-obs-meta-a", "X-Obs-Meta-B", "x-obs-meta-c-d", "x-obs-acl"], pick.randrange(4))
        names += pick.sample(["Content-Type", "content-md5", "Range", "If-Match", "Cache-Control"], pick.randrange(4))
        self.headers = {name: self._text(HEADER_ALPHABET, 16).strip() or "v" for name in names}
        self.id, self.secret = f"id{pick.randrange(10**9)}", f"s/+{pick.randrange(10**12)}"
        self.token = pick.choice([None, f"token+/{pick.randrange(10**12)}=="])
        self.expires = pick.choice([None, pick.randrange(1, 3600)])

    def _text(self, alphabet: str, most: int) -> str:
        return "".join(self._random.choices(alphabet, k=self._random.randrange(1, most)))

    @property
    def path(self) -> str:
        query = "&".join(urllib.parse.quote(name, safe="") + ("" if value is None else
                         "=" + urllib.parse.quote(value, safe="")) for name, value in self.parameters.items())
        return "/" + urllib.parse.quote(self.key, safe="/~") + ("?" + query if query else "")

    def line(self) -> str:
        """The request in the format of `obs-sign`."""
        fields: dict[str, Any] = {
            "method": self.method, "host": f"{self.bucket}.{HOST}", "path": self.path,
            "headers": [list(pair) for pair in self.headers.items()], "id": self.id, "secret": self.secret,
            "date": NOW}
        return json.dumps(fields | {name: value for name, value in [("token", self.token), ("expires", self.expires)]
                                    if value is not None})

    def signature(self) -> str:
        """The signature of the SDK."""
        auth = Authentication(self.id, self.secret, False, Adapter("obs"), HOST, False)
        headers, parameters = dict(self.headers), dict(self.parameters)
        if self.expires is not None:
            if self.token is not None:
                parameters["x-obs-security-token"] = self.token
            end = str(NOW + self.expires)
            return str(auth.getSignature(self.method, self.bucket, self.key, parameters, headers, end)["Signature"])
        headers["Date"] = email.utils.formatdate(NOW, usegmt=True)
        if self.token is not None:
            headers["x-obs-security-token"] = self.token
        return str(auth.doAuth(self.method, self.bucket, self.key, parameters, headers)["Authorization"])


class RandomForm:
    """A form that Huawei's SDK signs; its policy is joined from strings, so no value may contain a quotation mark."""

    def __init__(self, number: int) -> None:
        self._random = pick = random.Random(f"obs form {number}")
        self.bucket = pick.choice(["photos", "a-1-b"])
        self.key = pick.choice([None, "up/" + self._text()])
        names = pick.sample(["x-obs-acl", "x-obs-meta-a", "content-type", "success_action_status"], pick.randrange(4))
        self.parameters = {name: self._text() for name in names}
        self.id, self.secret = f"id{pick.randrange(10**9)}", f"s/+{pick.randrange(10**12)}"
        self.token = pick.choice([None, f"token+/{pick.randrange(10**12)}=="])
        self.expires = pick.randrange(60, 3600)

    def _text(self) -> str:
        alphabet = FORM_ALPHABET
        return "".join(self._random.choices(alphabet, k=self._random.randrange(1, 12)))

    def sign(self) -> dict[str, str]:
        client = ObsClient(access_key_id=self.id, secret_access_key=self.secret, security_token=self.token,
                           server=f"https://{HOST}", signature="obs")
        try:
            return dict(client.createPostSignature(self.bucket, self.key, expires=self.expires,
                                                   formParams=dict(self.parameters)))
        finally:
            client.close()

    def line(self, signed: dict[str, str], **changed: str) -> str:
        fields = {"key": self.key or "any"} | self.parameters | {
            "AccessKeyId": self.id, "policy": signed["policy"], "signature": signed["signature"]}
        if self.token is not None:
            fields["x-obs-security-token"] = self.token
        form: dict[str, Any] = {"bucket": self.bucket, "fields": list((fields | changed).items()), "fileName": "f.txt",
                                "id": self.id, "secret": self.secret, "date": int(time.time())}
        return json.dumps({"form": form | ({} if self.token is None else {"token": self.token})})


class OBSSigners(unittest.TestCase):
    def run_lines(self, lines: list[str]) -> list[str]:
        done = subprocess.run([os.environ["OBS_SIGN"]], input="".join(line + "\n" for line in lines),
                              capture_output=True, text=True, timeout=TIME_LIMIT, check=True)
        answers = done.stdout.splitlines()
        self.assertEqual(len(answers), len(lines))
        return answers

    def test_forms_of_the_sdk_verify(self) -> None:
        forms = [RandomForm(number) for number in range(FORM_COUNT)]
        signed = [form.sign() for form in forms]
        lines = [form.line(fields) for form, fields in zip(forms, signed, strict=True)]
        for form, answer in zip(forms, self.run_lines(lines), strict=True):
            with self.subTest(form.key, parameters=form.parameters):
                self.assertEqual(answer, form.key or "any")
        changed = [form.line(fields, **{"x-obs-storage-class": "WARM"})
                   for form, fields in zip(forms, signed, strict=True)]
        self.assertEqual(set(self.run_lines(changed)), {"conditionFailed"})
        changed = [form.line(fields, signature=fields["signature"][::-1])
                   for form, fields in zip(forms, signed, strict=True)]
        self.assertEqual(set(self.run_lines(changed)), {"mismatch"})
        self.assertGreater(sum(form.token is not None for form in forms), FORM_COUNT // 3)

    def test_signatures_are_the_same(self) -> None:
        samples = [RandomRequest(number) for number in range(COUNT)]
        answers = self.run_lines([sample.line() for sample in samples])
        for sample, answer in zip(samples, answers, strict=True):
            with self.subTest(sample.line()):
                if sample.expires is None:
                    self.assertEqual(answer, sample.signature())
                    continue
                self.assertTrue(answer.startswith(f"https://{sample.bucket}.{HOST}{sample.path}"), answer)
                query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer).query, keep_blank_values=True))
                self.assertEqual(query["Signature"], sample.signature())
                self.assertEqual((query["AccessKeyId"], query["Expires"]), (sample.id, str(NOW + sample.expires)))
                self.assertEqual(query.get("x-obs-security-token"), sample.token)
        self.assertGreater(sum(sample.expires is None for sample in samples), COUNT // 3)
        self.assertGreater(sum(sample.token is not None for sample in samples), COUNT // 3)
