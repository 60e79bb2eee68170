# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests storage-auth token-server: the vendors' storage SDKs can use its keys only inside their scope."""

import json
import urllib.error
import urllib.request
from typing import Any, ClassVar

import oss2
from caller_server import CALLERS, CallerServer
from cos_case import COSTestCase
from local_cloud import BUCKET, PERMANENT, Account, CloudTestCase, LocalCloud
from qcloud_cos import CosServiceError

class TokenServer(CallerServer):
    """A token server that requests keys from the token service of a LocalCloud."""

    def __init__(self, cloud: LocalCloud, provider: str, *options: str) -> None:
        super().__init__(provider, "--allow", "read,write,list", "--sts", cloud.services + "/", *options)

    def get(self, caller: str | None) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {CALLERS.get(caller, caller)}"} if caller else {}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url, headers=headers), timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


class OSSTokens(CloudTestCase):
    server: ClassVar[TokenServer]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = TokenServer(cls.cloud, "oss", "--role", "acs:ram::1250000000:role/localcloud")
        cls.addClassCleanup(cls.server.stop)

    def bucket(self, caller: str, version: str) -> oss2.Bucket:
        status, key = self.server.get(caller)
        self.assertEqual((status, key["StatusCode"]), (200, 200))
        auth = oss2.StsAuth(key["AccessKeyId"], key["AccessKeySecret"], key["SecurityToken"],
                            auth_version=oss2.AUTH_VERSION_4 if version == "v4" else oss2.AUTH_VERSION_1)
        return oss2.Bucket(auth, self.cloud.oss, BUCKET, region="cn-hangzhou", is_path_style=True)

    def assert_refused(self, call: Any) -> None:
        with self.assertRaises(oss2.exceptions.ServerError) as caught:
            call()
        self.assertEqual((caught.exception.status, caught.exception.code), (403, "AccessDenied"))

    def test_key_is_accepted_only_inside_its_scope(self) -> None:
        for version in ("v4", "v1"):
            with self.subTest(version):
                mia, noah = self.bucket("mia", version), self.bucket("noah", version)
                mia.put_object("u/mia/cat.jpg", b"a cat")
                self.assertEqual(mia.get_object("u/mia/cat.jpg").read(), b"a cat")
                listed = [entry.key for entry in oss2.ObjectIterator(mia, prefix="u/mia/")]
                self.assertEqual(listed, ["u/mia/cat.jpg"])
                self.assert_refused(lambda: noah.get_object("u/mia/cat.jpg"))
                self.assert_refused(lambda: noah.put_object("u/mia/dog.jpg", b"a dog"))
                self.assert_refused(lambda: noah.put_object("dog.jpg", b"a dog"))
                self.assert_refused(lambda: noah.list_objects(prefix="u/mia/"))
                self.assert_refused(lambda: noah.list_objects())
                self.assert_refused(lambda: mia.delete_object("u/mia/cat.jpg"))
                self.assert_refused(lambda: noah.copy_object(BUCKET, "u/mia/cat.jpg", "u/noah/cat.jpg"))

    def test_multipart_uploads_are_limited_to_the_scope(self) -> None:
        mia = self.bucket("mia", "v4")
        upload = mia.init_multipart_upload("u/mia/big").upload_id
        part = mia.upload_part("u/mia/big", upload, 1, b"x" * 200_000)
        mia.complete_multipart_upload("u/mia/big", upload, [oss2.models.PartInfo(1, part.etag)])
        self.assert_refused(lambda: mia.init_multipart_upload("u/noah/big"))

    def test_callers_have_separate_scopes_and_unknown_callers_are_rejected(self) -> None:
        first, second, other = (self.server.get(caller)[1]["AccessKeyId"] for caller in ("mia", "mia", "noah"))
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)
        for stranger in (None, "token-of-nobody-0123456789"):
            status, answer = self.server.get(stranger)
            self.assertEqual((status, answer["StatusCode"], answer["ErrorCode"]), (401, 401, "Unauthorized"))
            self.assertNotIn("AccessKeyId", answer)

    def test_the_audit_log_contains_key_ids_and_no_secrets(self) -> None:
        key = self.server.get("mia")[1]
        self.assertIn(f"mia got {key['AccessKeyId']}", self.server.log)
        for secret in (key["AccessKeySecret"], key["SecurityToken"], *CALLERS.values(), PERMANENT.secret):
            self.assertNotIn(secret, self.server.log)


class COSTokens(COSTestCase):
    server: ClassVar[TokenServer]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = TokenServer(cls.cloud, "cos", "--region", "ap-guangzhou")
        cls.addClassCleanup(cls.server.stop)

    def assert_refused(self, call: Any) -> None:
        with self.assertRaises(CosServiceError) as caught:
            call()
        self.assertEqual((caught.exception.get_status_code(), caught.exception.get_error_code()), (403, "AccessDenied"))

    def test_key_is_accepted_only_inside_its_scope(self) -> None:
        clients = {}
        for caller in CALLERS:
            status, answer = self.server.get(caller)
            self.assertEqual(status, 200)
            self.assertLessEqual(answer["startTime"], answer["expiredTime"] - 1790)
            keys = answer["credentials"]
            clients[caller] = self.client(Account(keys["tmpSecretId"], keys["tmpSecretKey"], keys["sessionToken"]))
        mia, noah = clients["mia"], clients["noah"]
        mia.put_object(BUCKET, b"a cat", "u/mia/cat.jpg")
        self.assertEqual(mia.get_object(BUCKET, "u/mia/cat.jpg")["Body"].get_raw_stream().read(), b"a cat")
        self.assertEqual(mia.list_objects(BUCKET, Prefix="u/mia/")["Contents"][0]["Key"], "u/mia/cat.jpg")
        self.assert_refused(lambda: noah.get_object(BUCKET, "u/mia/cat.jpg"))
        self.assert_refused(lambda: noah.put_object(BUCKET, b"a dog", "u/mia/dog.jpg"))
        self.assert_refused(lambda: noah.list_objects(BUCKET, Prefix="u/mia/"))
        self.assert_refused(lambda: noah.list_objects(BUCKET))
        self.assert_refused(lambda: mia.delete_object(BUCKET, "u/mia/cat.jpg"))
        self.assert_refused(lambda: noah.copy_object(
            BUCKET, "u/noah/cat.jpg", {"Bucket": BUCKET, "Key": "u/mia/cat.jpg", "Region": "ap-guangzhou"}))
