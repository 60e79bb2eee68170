# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests oss2 against LocalCloud: V4 and V1, with and without a session token."""

import hashlib
import os
import tempfile

import oss2
import requests
from clock import SDKClock
from local_cloud import BUCKET, DISABLED, ODD_KEYS, OTHER_BUCKET, REGION, TEMPORARY, UNKNOWN, Account
from oss2_case import OSS2TestCase

PART = 100 * 1024


class OSS2V4(OSS2TestCase):
    # Object operations.

    def test_put_get_head_delete(self) -> None:
        bucket = self.bucket()
        body = os.urandom(70_000)
        headers = {"Content-Type": "text/x-note; charset=utf-8", "x-oss-meta-Author": "a, b  c",
                   "Content-MD5": oss2.utils.content_md5(body), "Cache-Control": "no-cache"}
        put = bucket.put_object("dir/note", body, headers=headers)
        self.assertEqual(put.etag, hashlib.md5(body).hexdigest().upper())
        head = bucket.head_object("dir/note")
        self.assertEqual(head.content_type, "text/x-note; charset=utf-8")
        self.assertEqual(head.headers["x-oss-meta-author"], "a, b  c")
        self.assertEqual(head.headers["Cache-Control"], "no-cache")
        self.assertEqual(head.content_length, len(body))
        got = bucket.get_object("dir/note")
        self.assertEqual(got.read(), body)
        self.assertEqual(got.client_crc, got.server_crc)
        self.assertEqual(bucket.get_object_meta("dir/note").content_length, len(body))
        self.assertEqual(bucket.delete_object("dir/note").status, 204)
        self.assertFalse(bucket.object_exists("dir/note"))

    def test_streamed_body_and_empty_object(self) -> None:
        bucket = self.bucket()
        bucket.put_object("streamed", (b"x" * 1000 for _ in range(50)))
        self.assertEqual(bucket.get_object("streamed").read(), b"x" * 50_000)
        bucket.put_object("empty", b"")
        self.assertEqual(bucket.get_object("empty").read(), b"")

    def test_ranges_and_conditions(self) -> None:
        bucket = self.bucket()
        etag = bucket.put_object("range", b"0123456789").etag
        for bounds, expected in {(2, 4): b"234", (7, None): b"789", (None, 3): b"789", (0, 0): b"0"}.items():
            got = bucket.get_object("range", byte_range=bounds)
            self.assertEqual((got.status, got.read()), (206, expected))
        with self.assertRaises(oss2.exceptions.NotModified):
            bucket.get_object("range", headers={"If-None-Match": f'"{etag}"'})
        self.assertRefused(
            "PreconditionFailed", lambda: bucket.get_object("range", headers={"If-Match": '"0"'}), status=412)

    def test_odd_keys(self) -> None:
        bucket = self.bucket()
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                body = f"{index}".encode()
                bucket.put_object(f"odd/{key}", body)
                self.assertEqual(bucket.get_object(f"odd/{key}").read(), body)
        listed = [entry.key for entry in oss2.ObjectIterator(bucket, prefix="odd/")]
        self.assertEqual(listed, sorted((f"odd/{key}" for key in ODD_KEYS), key=lambda key: key.encode()))
        deleted = bucket.batch_delete_objects(listed).deleted_keys
        self.assertEqual(deleted, listed)
        self.assertEqual(bucket.list_objects(prefix="odd/").object_list, [])

    def test_keys_with_control_characters_are_deleted(self) -> None:
        bucket = self.bucket()
        keys = ["control/a\x01b", "control/c\x1fd"]
        for key in keys:
            bucket.put_object(key, b"")
        bucket.batch_delete_objects(keys)
        self.assertEqual(bucket.list_objects(prefix="control/").object_list, [])

    def test_listing_pages_in_both_versions(self) -> None:
        bucket = self.bucket()
        keys = [f"l/{folder} +/{name}" for folder in range(5) for name in range(4)]
        for key in keys:
            bucket.put_object(key, b"")
        for iterator in (oss2.ObjectIterator, oss2.ObjectIteratorV2):
            with self.subTest(iterator.__name__):
                self.assertEqual([entry.key for entry in iterator(bucket, prefix="l/", max_keys=3)], keys)
                entries = list(iterator(bucket, prefix="l/", delimiter="/", max_keys=2))
                self.assertEqual([entry.key for entry in entries], [f"l/{folder} +/" for folder in range(5)])
                self.assertTrue(all(entry.is_prefix() for entry in entries))
        self.assertIn(BUCKET, [found.name for found in oss2.BucketIterator(self.service())])

    def service(self) -> oss2.Service:
        return oss2.Service(self.auth(), self.cloud.oss, **self.options)

    def test_copy_keeps_or_replaces_metadata(self) -> None:
        source, target = self.bucket(), self.bucket(name=OTHER_BUCKET)
        source.put_object("copy +é%/source", b"copied", headers={"x-oss-meta-kept": "yes"})
        target.copy_object(BUCKET, "copy +é%/source", "target")
        self.assertEqual(target.get_object("target").read(), b"copied")
        self.assertEqual(target.head_object("target").headers["x-oss-meta-kept"], "yes")
        target.update_object_meta("target", {"x-oss-meta-new": "1"})
        self.assertEqual(target.head_object("target").headers["x-oss-meta-new"], "1")
        self.assertNotIn("x-oss-meta-kept", target.head_object("target").headers)

    def test_multipart_with_a_copied_part(self) -> None:
        bucket = self.bucket()
        key, body = "multi part+", os.urandom(2 * PART + 7)
        upload = bucket.init_multipart_upload(key, headers={"x-oss-meta-a": "1"}).upload_id
        parts = []
        for number in (1, 2, 3):
            piece = body[(number - 1) * PART:number * PART]
            answer = bucket.upload_part(key, upload, number, piece)
            parts.append(oss2.models.PartInfo(number, answer.etag, size=len(piece), part_crc=answer.crc))
        self.assertEqual([part.size for part in oss2.PartIterator(bucket, key, upload, max_parts=2)], [PART, PART, 7])
        uploads = oss2.MultipartUploadIterator(bucket, prefix=key)
        self.assertEqual([found.upload_id for found in uploads], [upload])
        bucket.complete_multipart_upload(key, upload, parts)
        got = bucket.get_object(key)
        self.assertEqual(got.read(), body)
        self.assertEqual(got.headers["x-oss-meta-a"], "1")
        upload = bucket.init_multipart_upload("second").upload_id
        part = bucket.upload_part_copy(BUCKET, key, (5, PART + 4), "second", upload, 1)
        bucket.complete_multipart_upload("second", upload, [oss2.models.PartInfo(1, part.etag)])
        self.assertEqual(bucket.get_object("second").read(), body[5:PART + 5])

    def test_aborted_upload_is_removed(self) -> None:
        bucket = self.bucket()
        upload = bucket.init_multipart_upload("aborted").upload_id
        bucket.abort_multipart_upload("aborted", upload)
        self.assertRefused("NoSuchUpload", bucket.list_parts, "aborted", upload, status=404)

    def test_resumable_upload_and_download(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
            with open(source, "wb") as file:
                file.write(os.urandom(5 * PART + 1))
            options = {"part_size": PART, "num_threads": 3}
            store = oss2.ResumableStore(root=folder)
            oss2.resumable_upload(self.bucket(), "resumed", source, store, multipart_threshold=PART, **options)
            downloads = oss2.ResumableDownloadStore(root=folder)
            oss2.resumable_download(
                self.bucket(), "resumed", target, multiget_threshold=PART, store=downloads, **options)
            with open(source, "rb") as sent, open(target, "rb") as received:
                self.assertEqual(sent.read(), received.read())

    def test_presigned_urls_work_for_plain_http(self) -> None:
        bucket = self.bucket()
        key, headers = "signed +%/文", {"Content-Type": "text/y", "x-oss-meta-q": "1"}
        for slash_safe in (True, False):
            with self.subTest(slash_safe=slash_safe):
                url = bucket.sign_url("PUT", key, 60, headers=headers, slash_safe=slash_safe)
                self.assertEqual(requests.put(url, data=b"abc", headers=headers).status_code, 200)
                got = requests.get(bucket.sign_url("GET", key, 60, slash_safe=slash_safe))
                self.assertEqual((got.content, got.headers["x-oss-meta-q"]), (b"abc", "1"))
        url = bucket.sign_url("GET", key, 60, params={"response-content-type": "image/png"}, slash_safe=True)
        self.assertEqual(requests.get(url).headers["Content-Type"], "image/png")
        self.assertEqual(requests.head(bucket.sign_url("HEAD", key, 60)).status_code, 200)
        self.assertEqual(requests.delete(bucket.sign_url("DELETE", key, 60)).status_code, 204)
        self.assertEqual(requests.get(bucket.sign_url("GET", key, 60)).status_code, 404)

    def test_presigned_url_serves_only_the_signed_request(self) -> None:
        bucket = self.bucket()
        bucket.put_object("mine", b"abc")
        url = bucket.sign_url("GET", "mine", 60)
        headers = {"Content-Type": "application/octet-stream"}
        for refused in (requests.put(url, data=b"x"), requests.get(url.replace("mine", "yours")),
                        requests.get(url.replace(BUCKET, OTHER_BUCKET, 1)), requests.get(url, headers=headers)):
            self.assertEqual(refused.status_code, 403)
            self.assertIn("<Code>SignatureDoesNotMatch</Code>", refused.text)

    def test_bucket_in_the_host(self) -> None:
        bucket = self.bucket(endpoint=f"http://oss-{REGION}.localhost:{self.cloud.oss_port}")
        bucket.put_object("virtual/host +", b"abc")
        self.assertTrue(bucket.sign_url("GET", "x", 60).startswith(f"http://{BUCKET}.oss-"))
        self.assertEqual(bucket.get_object("virtual/host +").read(), b"abc")
        self.assertEqual(requests.get(bucket.sign_url("GET", "virtual/host +", 60)).content, b"abc")
        self.assertEqual(self.bucket().get_object("virtual/host +").read(), b"abc")

    def test_created_bucket_is_public_and_deleted(self) -> None:
        bucket = self.bucket(name=f"made-{type(self).__name__.lower()}")
        bucket.create_bucket(oss2.BUCKET_ACL_PUBLIC_READ)
        self.assertEqual(bucket.get_bucket_acl().acl, "public-read")
        bucket.put_object("open", b"abc")
        self.assertEqual(requests.get(f"{self.cloud.oss}/{bucket.bucket_name}/open").content, b"abc")
        self.assertRefused("BucketNotEmpty", bucket.delete_bucket, status=409)
        bucket.delete_object("open")
        bucket.delete_bucket()
        self.assertRefused("NoSuchBucket", bucket.list_objects, status=404)

    # Errors of the SDK when the server rejects a request.

    def test_wrong_secret_is_rejected(self) -> None:
        bucket = self.bucket(Account(self.account.id, "wrong", self.account.token))
        error = self.assertRefused("SignatureDoesNotMatch", bucket.get_object, "x")
        self.assertEqual(error.details["OSSAccessKeyId"], self.account.id)
        self.assertIn("StringToSign", error.details)
        self.assertRefused("SignatureDoesNotMatch", bucket.put_object, "x", b"abc")
        self.assertRefused("SignatureDoesNotMatch", bucket.head_object, "x")

    def test_unknown_and_disabled_keys_are_rejected(self) -> None:
        for account in (UNKNOWN, DISABLED):
            with self.subTest(account.id):
                self.assertRefused("InvalidAccessKeyId", self.bucket(account).get_object, "x")

    def test_session_token_must_match(self) -> None:
        missing, wrong = Account(TEMPORARY.id, TEMPORARY.secret), Account(TEMPORARY.id, TEMPORARY.secret, "wrong")
        self.assertRefused("InvalidAccessKeyId", self.bucket(missing).get_object, "x")
        self.assertRefused("InvalidSecurityToken", self.bucket(wrong).get_object, "x")

    def test_clock_skew_is_rejected(self) -> None:
        for seconds in (-16 * 60, 16 * 60):
            with self.subTest(seconds), SDKClock(off_by=seconds).installed():
                error = self.assertRefused("RequestTimeTooSkewed", self.bucket().get_object, "x")
                self.assertIn("ServerTime", error.details)
        with SDKClock(off_by=-14 * 60).installed():
            self.assertRefused("NoSuchKey", self.bucket().get_object, "x", status=404)

    def test_expired_url_is_rejected(self) -> None:
        bucket = self.bucket()
        bucket.put_object("expiring", b"abc")
        with SDKClock(off_by=-120).installed():
            expired, current = bucket.sign_url("GET", "expiring", 60), bucket.sign_url("GET", "expiring", 180)
        answer = requests.get(expired)
        self.assertEqual(answer.status_code, 403)
        self.assertIn("<Code>AccessDenied</Code>", answer.text)
        self.assertIn("Request has expired", answer.text)
        self.assertEqual(requests.get(current).content, b"abc")
        with self.assertRaises(oss2.exceptions.AccessDenied):
            bucket.get_object_with_url(expired)

    def test_anonymous_request_is_rejected(self) -> None:
        bucket = oss2.Bucket(oss2.AnonymousAuth(), self.cloud.oss, BUCKET)
        self.assertRefused("AccessDenied", bucket.get_object, "x")


class OSS2V4WithToken(OSS2V4):
    account = TEMPORARY


class OSS2V1(OSS2V4):
    version = "v1"


class OSS2V1WithToken(OSS2V4):
    version = "v1"
    account = TEMPORARY


class OSS2Region(OSS2TestCase):
    def test_malformed_region_is_rejected(self) -> None:
        bucket = oss2.Bucket(self.auth(), self.cloud.oss, BUCKET, region="Not A Region")
        self.assertRefused("InvalidArgument", bucket.get_object, "x", status=400)
