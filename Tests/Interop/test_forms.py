# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests forms that are signed here with only hmac and hashlib: an independent implementation of the documents.

The vendors' SDKs do not create forms: their documents and demos are the source.
"""

import base64
import datetime
import hashlib
import hmac
import json
import time
import xml.etree.ElementTree as ElementTree
from typing import Any, ClassVar

import requests
from local_cloud import BUCKET, PERMANENT, REGION, TEMPORARY, UNKNOWN, Account, CloudTestCase

OBJECT = b"a picture of a cat"


def stamp(form: str, ahead: float = 0) -> str:
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=ahead)
    return now.strftime(form)


def policy(conditions: list[Any], ahead: float = 600) -> bytes:
    # Spaces and line breaks as in a handwritten policy: the text is signed unchanged.
    return json.dumps({"expiration": stamp("%Y-%m-%dT%H:%M:%S.000Z", ahead), "conditions": conditions}, indent=2).encode()


def mac(key: bytes, text: str, kind: str) -> hmac.HMAC:
    return hmac.new(key, text.encode(), kind)


class OSSV1:
    service = "oss"

    @staticmethod
    def fields(account: Account, conditions: list[Any], ahead: float = 600) -> dict[str, str]:
        text = base64.b64encode(policy(conditions, ahead)).decode()
        signature = base64.b64encode(mac(account.secret.encode(), text, "sha1").digest()).decode()
        fields = {"OSSAccessKeyId": account.id, "policy": text, "Signature": signature}
        return fields | ({"x-oss-security-token": account.token} if account.token else {})


class OSSV4:
    service = "oss"

    @staticmethod
    def fields(account: Account, conditions: list[Any], ahead: float = 600) -> dict[str, str]:
        date = stamp("%Y%m%dT%H%M%SZ")
        scope = [date[:8], REGION, "oss", "aliyun_v4_request"]
        bound = {"x-oss-signature-version": "OSS4-HMAC-SHA256",
                 "x-oss-credential": "/".join([account.id, *scope]), "x-oss-date": date}
        if account.token:
            bound["x-oss-security-token"] = account.token
        text = base64.b64encode(policy([{name: value} for name, value in bound.items()] + conditions, ahead)).decode()
        key = ("aliyun_v4" + account.secret).encode()
        for part in scope:
            key = mac(key, part, "sha256").digest()
        return bound | {"policy": text, "x-oss-signature": mac(key, text, "sha256").hexdigest()}


class COS:
    service = "cos"

    @staticmethod
    def fields(account: Account, conditions: list[Any], ahead: float = 600) -> dict[str, str]:
        window = f"{int(time.time()) - 1};{int(time.time() + ahead)}"
        own = [{"q-sign-algorithm": "sha1"}, {"q-ak": account.id}, {"q-sign-time": window}]
        text = policy(own + conditions, ahead)
        sign_key = mac(account.secret.encode(), window, "sha1").hexdigest()
        signature = mac(sign_key.encode(), hashlib.sha1(text).hexdigest(), "sha1").hexdigest()
        fields = {"policy": base64.b64encode(text).decode(), "q-sign-algorithm": "sha1", "q-ak": account.id,
                  "q-key-time": window, "q-signature": signature}
        return fields | ({"x-cos-security-token": account.token} if account.token else {})


SCHEMES = [OSSV1, OSSV4, COS]
CONDITIONS: list[Any] = [{"bucket": BUCKET}, ["starts-with", "$key", "form/"], ["content-length-range", 1, 100],
                         {"success_action_status": "201"}]


class FormTests(CloudTestCase):
    url: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.url = {"oss": f"{cls.cloud.oss}/{BUCKET}/", "cos": f"{cls.cloud.cos}/{BUCKET}/"}

    def post(self, scheme: Any, fields: dict[str, str], body: bytes = OBJECT, key: str = "form/${filename}",
             name: str = "cat.png") -> requests.Response:
        return requests.post(self.url[scheme.service], {"key": key, "success_action_status": "201"} | fields,
                             files={"file": (name, body, "image/png")}, timeout=60)

    def assert_refused(self, answer: requests.Response, status: int, code: str) -> None:
        self.assertEqual(answer.status_code, status, answer.text)
        self.assertEqual(ElementTree.fromstring(answer.content).findtext("Code"), code, answer.text)

    def each(self) -> Any:
        for scheme in SCHEMES:
            with self.subTest(scheme=scheme.__name__):
                yield scheme

    def test_forms_of_permanent_and_temporary_keys_are_accepted(self) -> None:
        for scheme in self.each():
            for account in (PERMANENT, TEMPORARY):
                answer = self.post(scheme, scheme.fields(account, CONDITIONS))
                self.assertEqual(answer.status_code, 201, answer.text)
                document = ElementTree.fromstring(answer.content)
                self.assertEqual(document.findtext("Key"), "form/cat.png")
                self.assertEqual((document.findtext("ETag") or "").strip('"').lower(), hashlib.md5(OBJECT).hexdigest())

    def test_forms_of_wrong_keys_are_rejected(self) -> None:
        for scheme in self.each():
            wrong = Account(PERMANENT.id, "wrong")
            self.assert_refused(self.post(scheme, scheme.fields(wrong, CONDITIONS)), 403, "SignatureDoesNotMatch")
            self.assert_refused(self.post(scheme, scheme.fields(UNKNOWN, CONDITIONS)), 403, "InvalidAccessKeyId")
            bare = Account(TEMPORARY.id, TEMPORARY.secret)
            self.assert_refused(self.post(scheme, scheme.fields(bare, CONDITIONS)), 403, "InvalidAccessKeyId")

    def test_conditions_are_enforced(self) -> None:
        for scheme in self.each():
            fields = scheme.fields(PERMANENT, CONDITIONS)
            self.assert_refused(self.post(scheme, fields, key="other/${filename}"), 403, "AccessDenied")
            self.assert_refused(self.post(scheme, fields | {"success_action_status": "200"}), 403, "AccessDenied")
            self.assert_refused(self.post(scheme, fields, body=b"x" * 101), 400, "EntityTooLarge")
            self.assert_refused(self.post(scheme, fields, body=b""), 400, "EntityTooSmall")
            other = scheme.fields(PERMANENT, [{"bucket": "another-1250000000"}])
            self.assert_refused(self.post(scheme, other), 403, "AccessDenied")

    def test_expired_forms_are_rejected(self) -> None:
        for scheme in self.each():
            self.assert_refused(self.post(scheme, scheme.fields(PERMANENT, CONDITIONS, ahead=-1)), 403, "AccessDenied")

    def test_names_and_values_in_other_scripts_are_stored(self) -> None:
        for scheme in self.each():
            answer = self.post(scheme, scheme.fields(PERMANENT, CONDITIONS), key="form/文件 ä.png")
            self.assertEqual(answer.status_code, 201, answer.text)
            self.assertEqual(ElementTree.fromstring(answer.content).findtext("Key"), "form/文件 ä.png")
