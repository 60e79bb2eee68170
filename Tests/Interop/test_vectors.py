# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the known answers through `storage-auth sign --jsonl`, as used by a script in any language."""

import json
import pathlib
import re
import unittest
import urllib.parse
from typing import Any

import command

TESTS = pathlib.Path(__file__).parent.parent

# Requests that cannot be signed, with the kind of the error.
REFUSED = {
    "v1-header-repeated-subresource#a": "invalidPath",
    "v1-header-repeated-subresource#b": "invalidPath",
    "swift-v2-bug-presign-double-encoding": "lifetimeOutOfRange",
    "swift-v2-bug-values-encoded": "lifetimeOutOfRange",
}

# Answers that differ deliberately: the SDKs disagree here, and the variant #b of the same name is the recommended one.
OTHERWISE = {"v1-header-unknown-x-oss-query#a"}

# The document does not contain the secret.
NO_SECRET = {"official-v4-header-doc"}


def load(name: str) -> list[dict[str, Any]]:
    # One vector was recorded with a test server; any host is valid for it.
    text = (TESTS / f"{name.upper()}AuthTests" / "Vectors" / f"{name}.json").read_text(encoding="utf-8").replace("{host}", "host.example.com")
    vectors = json.loads(text)
    cases = vectors["cases"] if isinstance(vectors, dict) else vectors
    return [case for case in cases if (case.get("mode") or case.get("kind")) in ("header", "presign")]


def url_parts(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Returns host, path and parameters, independent of the order of parameters and the choice of escapes."""
    parts = urllib.parse.urlsplit(url)
    return parts.netloc, urllib.parse.unquote(parts.path), sorted(
        urllib.parse.parse_qsl(parts.query, keep_blank_values=True))


class Vectors(unittest.TestCase):
    maxDiff = None

    def assertAnswer(self, case: dict[str, Any], answer: dict[str, Any]) -> None:
        expected = case["expected"]
        self.assertNotIn("error", answer)
        self.assertEqual(answer["id"], case["id"])
        for theirs, ours in {"stringToSign": "stringToSign", "canonicalRequest": "canonicalRequest",
                             "httpString": "canonicalRequest"}.items():
            if theirs in expected and not case.get("doNotImplement"):
                self.assertEqual(answer[ours], expected[theirs])
        if case.get("doNotImplement"):
            corrected = case["disagreement"]
            self.assertEqual(answer["stringToSign"], corrected["correctStringToSign"])
            self.assertTrue(answer["authorization"].endswith(":" + corrected["correctSignature"]))
        elif case["id"] not in NO_SECRET:
            self.assertSigned(expected, answer)

    def assertSigned(self, expected: dict[str, Any], answer: dict[str, Any]) -> None:
        signed = False
        if "authorization" in expected:
            # OSS accepts the parts in any order, with or without a space between them.
            self.assertEqual(set(re.split("[, ]+", answer["authorization"])),
                             set(re.split("[, ]+", expected["authorization"])))
            signed = True
        elif "url" in expected:
            self.assertNotIn("+", answer["url"])
            self.assertEqual(url_parts(answer["url"]), url_parts(expected["url"]))
            signed = True
        if "signature" in expected:
            everything = answer.get("authorization", "") + urllib.parse.unquote(answer["url"])
            self.assertIn(expected["signature"], everything)
            signed = True
        self.assertTrue(signed, "the vector expects no signature")

    def test_oss(self) -> None:
        cases = [case for case in load("oss") if case.get("recommended") is not False and case["id"] not in OTHERWISE]
        answers = command.sign([case | {"provider": "oss"} for case in cases], status=1)
        checked = 0
        for case, answer in zip(cases, answers, strict=True):
            with self.subTest(case["id"]):
                if case["id"] in REFUSED:
                    self.assertTrue(answer["error"].startswith(REFUSED[case["id"]]), answer)
                else:
                    self.assertAnswer(case, answer)
                    checked += 1
        self.assertEqual(checked, 81)

    def test_cos(self) -> None:
        # Cases that start with "e0" are strings that a server returned; their keys are unknown.
        cases = [case for case in load("cos") if not case["id"].startswith("e0")]
        answers = command.sign([case | {"provider": "cos"} for case in cases])
        for case, answer in zip(cases, answers, strict=True):
            with self.subTest(case["id"]):
                self.assertAnswer(case, answer)
        self.assertEqual(len(cases), 52)

    def test_malformed_line_has_an_error_in_its_position(self) -> None:
        good = next(case for case in load("oss") if case["id"] == "official-v1-header-doc-nelson")
        answers = command.sign([good, {"id": "no credential", "provider": "oss"}, good], status=1)
        self.assertEqual([answer["id"] for answer in answers], [good["id"], "no credential", good["id"]])
        self.assertEqual([sorted(answer) for answer in answers][1], ["error", "id"])
