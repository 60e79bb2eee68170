# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the vendors' SDKs without a secret: `storage-auth token-server --sign` signs the requests that they prepare."""

import datetime
import json
import time
from typing import Any, ClassVar
from unittest import mock

import alibabacloud_oss_v2 as oss
import oss2
import requests
from caller_server import CALLERS, CallerServer
from cos_case import COSStrictTestCase
from local_cloud import BUCKET, OTHER_BUCKET, PERMANENT, REGION, TEMPORARY, Account, CloudTestCase
from qcloud_cos import CosConfig, CosS3Client
from remote_signing import (
    NO_SECRET, RemoteAuthV1, RemoteAuthV4, RemoteSignerV1, RemoteSignerV4, SigningRefused, SigningServer,
    cos_auth_class, oss_v2_credentials)

KEY = "u/mia/a b+c%2F/文.txt"


class OSSRemoteSigning(CloudTestCase):
    servers: ClassVar[dict[Account, CallerServer]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for account in (PERMANENT, TEMPORARY):
            server = CallerServer(
                "oss", "--sign", "--region", REGION, "--allow", "read,write,list", "--rate", "0", account=account)
            cls.addClassCleanup(server.stop)
            cls.servers[account] = server

    def signing(self, caller: str | None = "mia", account: Account = PERMANENT) -> SigningServer:
        return SigningServer(self.servers[account].url, caller)

    def bucket(self, signing: SigningServer, version: str, name: str = BUCKET) -> oss2.Bucket:
        auth = RemoteAuthV4(signing) if version == "v4" else RemoteAuthV1(signing)
        return oss2.Bucket(auth, self.cloud.oss, name, region=REGION, is_path_style=True)

    def assert_not_signed(self, signing: SigningServer, code: str, call: Any) -> None:
        before = len(signing.refusals)
        with self.assertRaises(Exception):
            call()
        self.assertEqual(signing.refusals[before:], [(403, code)])

    def test_oss2_requests_inside_the_policy_are_signed(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            for version in ("v4", "v1"):
                with self.subTest(version, account=account.id):
                    bucket = self.bucket(self.signing(account=account), version)
                    bucket.put_object(KEY, version.encode(), headers={"x-oss-meta-a": "1, 2"})
                    self.assertEqual(bucket.get_object(KEY).read(), version.encode())
                    self.assertEqual(bucket.head_object(KEY).headers["x-oss-meta-a"], "1, 2")
                    upload = bucket.init_multipart_upload("u/mia/big").upload_id
                    part = bucket.upload_part("u/mia/big", upload, 1, b"x" * 200_000)
                    bucket.complete_multipart_upload("u/mia/big", upload, [oss2.models.PartInfo(1, part.etag)])
                    if version == "v1" and "&" in (account.token or ""):
                        continue  # The string to sign of such a URL could be that of another request.
                    link = bucket.sign_url("GET", KEY, 60, slash_safe=True)
                    self.assertEqual(requests.get(link, timeout=60).content, version.encode())
                    link = bucket.sign_url("PUT", "u/mia/by-link", 60, slash_safe=True)
                    self.assertEqual(requests.put(link, data=b"linked", timeout=60).status_code, 200)
                    if version == "v4":
                        keys = [entry.key for entry in oss2.ObjectIterator(bucket, prefix="u/mia/")]
                        self.assertIn(KEY, keys)

    def test_oss2_requests_outside_the_policy_are_not_signed(self) -> None:
        for version in ("v4", "v1"):
            with self.subTest(version):
                signing = self.signing()
                bucket, other = self.bucket(signing, version), self.bucket(signing, version, OTHER_BUCKET)
                for call in (
                    lambda: bucket.put_object("u/noah/cat", b"1"), lambda: bucket.get_object("u/noah/cat"),
                    lambda: bucket.get_object("cat"), lambda: bucket.list_objects(),
                    lambda: bucket.list_objects(prefix="u/noah/"), lambda: bucket.delete_object("u/mia/by-link"),
                    lambda: other.put_object("u/mia/cat", b"1"), lambda: bucket.init_multipart_upload("u/noah/big"),
                    lambda: bucket.sign_url("GET", "u/noah/cat", 60),
                ):
                    self.assert_not_signed(signing, "notAllowed", call)
                for call in (
                    lambda: bucket.copy_object(BUCKET, "u/noah/cat", "u/mia/cat"),
                    lambda: bucket.get_object_acl("u/mia/cat"),
                    lambda: bucket.put_object_acl("u/mia/cat", oss2.OBJECT_ACL_PUBLIC_READ),
                    lambda: bucket.put_symlink("u/noah/cat", "u/mia/cat"),
                    lambda: bucket.append_object("u/mia/log", 0, b"1"),
                    lambda: bucket.get_object("u/mia/cat", process="image/resize,w_1"),
                    lambda: bucket.put_object("u/mia/cat", b"1", headers={"x-oss-callback": "e30="}),
                    lambda: bucket.put_object("u/mia/cat", b"1", headers={"x-oss-object-acl": "public-read"}),
                    lambda: bucket.put_bucket_acl(oss2.BUCKET_ACL_PUBLIC_READ),
                ):
                    self.assert_not_signed(signing, "unknownOperation", call)
                self.assert_not_signed(signing, "lifetime", lambda: bucket.sign_url("GET", "u/mia/cat", 4000))

    def client(self, signing: SigningServer, version: str) -> oss.Client:
        config = oss.config.Config(
            region=REGION, endpoint=self.cloud.oss, use_path_style=True, retry_max_attempts=1, signature_version=version,
            credentials_provider=oss_v2_credentials(signing))
        return oss.Client(config, signer=RemoteSignerV4(signing) if version == "v4" else RemoteSignerV1(signing))

    def test_alibabacloud_oss_v2_requests_are_signed_only_inside_the_policy(self) -> None:
        # This SDK does not support V1 with a session token, with any signer.
        for version, account in (("v4", PERMANENT), ("v4", TEMPORARY), ("v1", PERMANENT)):
            with self.subTest(version, account=account.id):
                signing = self.signing(account=account)
                client = self.client(signing, version)
                client.put_object(oss.PutObjectRequest(bucket=BUCKET, key=KEY, body=b"a cat"))
                got = client.get_object(oss.GetObjectRequest(bucket=BUCKET, key=KEY))
                self.assertEqual(got.body.read(), b"a cat")
                link = client.presign(
                    oss.GetObjectRequest(bucket=BUCKET, key=KEY), expires=datetime.timedelta(seconds=60))
                self.assertEqual(requests.get(link.url, timeout=60).content, b"a cat")
                if version == "v4":
                    found = client.list_objects_v2(oss.ListObjectsV2Request(bucket=BUCKET, prefix="u/mia/"))
                    self.assertIn(KEY, [entry.key for entry in found.contents])
                self.assert_not_signed(signing, "notAllowed", lambda: client.put_object(
                    oss.PutObjectRequest(bucket=BUCKET, key="u/noah/cat", body=b"1")))
                self.assert_not_signed(signing, "notAllowed", lambda: client.list_objects_v2(
                    oss.ListObjectsV2Request(bucket=BUCKET)))
                self.assert_not_signed(signing, "unknownOperation", lambda: client.put_object(
                    oss.PutObjectRequest(bucket=BUCKET, key="u/mia/cat", body=b"1", acl="public-read")))

    def test_unknown_callers_and_malformed_bodies_are_rejected(self) -> None:
        for stranger in (None, "token-of-nobody-0123456789"):
            with self.assertRaises(SigningRefused) as caught:
                self.signing(stranger).identity("oss")
            self.assertEqual(caught.exception.status, 401)
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())
        text = f"GET\n\n\n{date}\n/{BUCKET}/u/mia/cat"
        order = {"provider": "oss", "version": "v1", "method": "GET", "stringToSign": text}
        signing = self.signing()
        self.assertRegex(signing.post(order)["authorization"], r"^OSS test-id:[A-Za-z0-9+/]{27}=$")
        text = json.dumps(order)
        for body in (
            text[:-1] + ', "stringToSign": "GET"}', text + "x", "[]", "", text.replace('"GET"', "1"),
            text.replace('"v1"', '"v4"'), json.dumps(order | {"method": "PUT"}), json.dumps(order | {"policy": "all"}),
            json.dumps(order | {"stringToSign": order["stringToSign"] + "?"}),
        ):
            with self.subTest(body), self.assertRaises(SigningRefused) as caught:
                signing.post(body.encode())
            self.assertEqual((caught.exception.status, caught.exception.code), (400, "malformed"))
        with self.assertRaises(SigningRefused) as caught:
            signing.post(json.dumps(order | {"stringToSign": "x" * 1_000_000}).encode())
        self.assertEqual((caught.exception.status, caught.exception.code), (413, "tooLarge"))

    def test_only_the_caller_over_its_rate_is_rejected(self) -> None:
        server = CallerServer("oss", "--sign", "--region", REGION, "--rate", "2")
        self.addCleanup(server.stop)
        mia, noah = SigningServer(server.url, "mia"), SigningServer(server.url, "noah")
        for _ in range(2):
            self.assertEqual(mia.identity("oss"), (PERMANENT.id, None))
        with self.assertRaises(SigningRefused) as caught:
            mia.identity("oss")
        self.assertEqual(caught.exception.status, 429)
        self.assertEqual(noah.identity("oss"), (PERMANENT.id, None))

    def test_the_log_contains_callers_and_no_secrets(self) -> None:
        signing = self.signing("noah", TEMPORARY)
        bucket = self.bucket(signing, "v4")
        bucket.put_object("u/noah/cat", b"1")
        self.assert_not_signed(signing, "notAllowed", lambda: bucket.put_object("u/mia/cat", b"1"))
        log = self.servers[TEMPORARY].log
        self.assertIn("noah POST /sign: 200", log)
        self.assertIn("noah POST /sign: 403", log)
        for secret in (TEMPORARY.secret, TEMPORARY.token, *CALLERS.values()):
            self.assertNotIn(secret, log)


class SizeRules(CloudTestCase):
    """Tests rules for the size and the media type of an upload, which OSS V4 can sign."""

    server: ClassVar[CallerServer]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = CallerServer(
            "oss", "--sign", "--region", REGION, "--allow", "write", "--max-size", "5", "--type", "text/*")
        cls.addClassCleanup(cls.server.stop)

    def test_signed_length_must_satisfy_the_rule_and_match_the_body(self) -> None:
        signing = SigningServer(self.server.url, "mia")
        config = oss.config.Config(
            region=REGION, endpoint=self.cloud.oss, use_path_style=True, retry_max_attempts=1,
            credentials_provider=oss_v2_credentials(signing))
        client = oss.Client(config, signer=RemoteSignerV4(signing, "content-length"))

        def put(body: bytes, content_type: str = "text/plain") -> None:
            client.put_object(oss.PutObjectRequest(
                bucket=BUCKET, key="u/mia/a", body=body, content_type=content_type, content_length=len(body)))

        put(b"12345")
        for body, content_type in ((b"123456", "text/plain"), (b"1", "image/png")):
            with self.subTest(content_type), self.assertRaises(Exception):
                put(body, content_type)
        self.assertEqual(signing.refusals, [(403, "notAllowed")] * 2)
        link = client.presign(oss.PutObjectRequest(
            bucket=BUCKET, key="u/mia/b", content_type="text/plain", content_length=3))
        self.assertEqual(requests.put(link.url, data=b"123", headers=link.signed_headers, timeout=60).status_code, 200)
        headers = {name: value for name, value in link.signed_headers.items() if name.lower() != "content-length"}
        self.assertEqual(requests.put(link.url, data=b"123456", headers=headers, timeout=60).status_code, 403)


class COSRemoteSigning(COSStrictTestCase):
    """Tests remote signing for a service in strict mode, which accepts only signed headers and parameters."""

    def signing(self, caller: str, account: Account, *options: str) -> SigningServer:
        server = CallerServer("cos", "--sign", "--region", "ap-guangzhou", *options, account=account)
        self.addCleanup(server.stop)
        return SigningServer(server.url, caller)

    def remote(self, signing: SigningServer, **options: Any) -> CosS3Client:
        key_id, token = signing.identity("cos")
        settings = {"Scheme": "http", "SecretId": key_id, "SecretKey": NO_SECRET, "Token": token}
        settings |= self.addressing | options
        patch = mock.patch("qcloud_cos.cos_client.CosS3Auth", cos_auth_class(signing))
        patch.start()
        self.addCleanup(patch.stop)
        return CosS3Client(CosConfig(**settings), retry=0)

    def assert_not_signed(self, signing: SigningServer, code: str, call: Any) -> None:
        before = len(signing.refusals)
        with self.assertRaises(Exception):
            call()
        self.assertEqual(signing.refusals[before:], [(403, code)])

    def test_requests_are_signed_only_inside_the_policy(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account=account.id):
                signing = self.signing("mia", account, "--allow", "read,write,list")
                client = self.remote(signing)
                client.put_object(BUCKET, b"a cat", KEY, ContentType="text/plain", Metadata={"x-cos-meta-a": "1"})
                self.assertEqual(client.get_object(BUCKET, KEY)["Body"].get_raw_stream().read(), b"a cat")
                params = {"x-cos-security-token": account.token} if account.token else {}
                links = self.remote(signing, IP=None, Port=None)
                link = links.get_presigned_url(BUCKET, KEY, "GET", Expired=60, Params=params)
                host = f"{BUCKET}.cos.ap-guangzhou.myqcloud.com"
                local = link.replace(host, f"127.0.0.1:{self.cloud.cos_port}", 1)
                self.assertEqual(requests.get(local, headers={"Host": host}, timeout=60).content, b"a cat")
                for call in (
                    lambda: client.put_object(BUCKET, b"1", "u/noah/cat"),
                    lambda: client.get_object(BUCKET, "u/noah/cat"),
                    lambda: client.delete_object(BUCKET, KEY), lambda: client.list_objects(BUCKET),
                    lambda: client.put_object(OTHER_BUCKET, b"1", "u/mia/cat"),
                    # A service may ignore ?PREFIX=, and COS signs names in lower case.
                    lambda: client.list_objects(BUCKET, Prefix="u/mia/"),
                ):
                    self.assert_not_signed(signing, "notAllowed", call)
                source = {"Bucket": BUCKET, "Key": "u/noah/cat", "Region": "ap-guangzhou"}
                for call in (
                    lambda: client.copy_object(BUCKET, "u/mia/cat", source),
                    lambda: client.get_object_acl(BUCKET, KEY),
                    lambda: client.put_object_acl(BUCKET, KEY, ACL="public-read"),
                    lambda: client.put_object(BUCKET, b"1", "u/mia/cat", ACL="public-read"),
                    lambda: client.put_bucket_acl(BUCKET, ACL="public-read"),
                ):
                    self.assert_not_signed(signing, "unknownOperation", call)
                self.assert_not_signed(signing, "lifetime", lambda: links.get_presigned_url(
                    BUCKET, KEY, "GET", Expired=4000, Params=params))

    def test_caller_who_may_list_the_bucket_may_list_a_prefix(self) -> None:
        signing = self.signing("mia", PERMANENT, "--allow", "write,list", "--prefix", "")
        client = self.remote(signing)
        client.put_object(BUCKET, b"a cat", "u/mia/listed")
        keys = [entry["Key"] for entry in client.list_objects(BUCKET, Prefix="u/mia/l")["Contents"]]
        self.assertEqual(keys, ["u/mia/listed"])

    def test_size_and_type_rules_are_enforced(self) -> None:
        signing = self.signing("mia", PERMANENT, "--allow", "write", "--max-size", "5", "--type", "text/*")
        client = self.remote(signing)
        client.put_object(BUCKET, b"12345", "u/mia/a", ContentType="text/plain")
        self.assert_not_signed(
            signing, "notAllowed", lambda: client.put_object(BUCKET, b"123456", "u/mia/a", ContentType="text/plain"))
        self.assert_not_signed(
            signing, "notAllowed", lambda: client.put_object(BUCKET, b"1", "u/mia/a", ContentType="image/png"))
