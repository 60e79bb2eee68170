# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests alibabacloud-oss-v2 against LocalCloud: V4 with and without a session token, V1 without."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from typing import Any

import alibabacloud_oss_v2 as oss
import requests
from clock import SDKClock
from local_cloud import BUCKET, DISABLED, ODD_KEYS, OTHER_BUCKET, REGION, TEMPORARY, UNKNOWN, Account
from oss_v2_case import OSSV2TestCase

PART = 100 * 1024


class OSSV2V4(OSSV2TestCase):
    # Object operations.

    def test_put_get_head_delete(self) -> None:
        body = os.urandom(70_000)
        put = self.put("dir/note", body, metadata={"author": "a, b  c"}, content_type="text/x-note",
                       cache_control="no-cache")
        self.assertEqual(put.etag, f'"{hashlib.md5(body).hexdigest().upper()}"')
        head = self.client().head_object(oss.HeadObjectRequest(bucket=BUCKET, key="dir/note"))
        self.assertEqual((head.content_type, head.content_length), ("text/x-note", len(body)))
        self.assertEqual((head.metadata["author"], head.cache_control), ("a, b  c", "no-cache"))
        self.assertEqual(head.hash_crc64, put.hash_crc64)
        self.assertEqual(self.get("dir/note"), body)
        meta = self.client().get_object_meta(oss.GetObjectMetaRequest(bucket=BUCKET, key="dir/note"))
        self.assertEqual(meta.content_length, len(body))
        gone = self.client().delete_object(oss.DeleteObjectRequest(bucket=BUCKET, key="dir/note"))
        self.assertEqual(gone.status_code, 204)
        self.assertFalse(self.client().is_object_exist(BUCKET, "dir/note"))

    def test_ranges(self) -> None:
        self.put("range", b"0123456789")
        for header, expected in {"bytes=2-4": b"234", "bytes=7-": b"789", "bytes=-3": b"789"}.items():
            answer = self.client().get_object(oss.GetObjectRequest(bucket=BUCKET, key="range", range_header=header))
            self.assertEqual((answer.status_code, answer.body.read()), (206, expected))

    def test_odd_keys(self) -> None:
        # The HTTP library of this SDK normalizes "./" and "../" after signing; see the test below.
        keys = [key for key in ODD_KEYS if "/./" not in key]
        for index, key in enumerate(keys):
            with self.subTest(key):
                self.put(f"odd/{key}", f"{index}".encode())
                self.assertEqual(self.get(f"odd/{key}"), f"{index}".encode())
        listed = self.keys(prefix="odd/")
        self.assertEqual(listed, sorted((f"odd/{key}" for key in keys), key=lambda key: key.encode()))
        objects = [oss.DeleteObject(key=key) for key in listed]
        answer = self.client().delete_multiple_objects(
            oss.DeleteMultipleObjectsRequest(bucket=BUCKET, objects=objects, encoding_type="url"))
        self.assertEqual([deleted.key for deleted in answer.deleted_objects], listed)
        self.assertEqual(self.keys(prefix="odd/"), [])

    def test_normalized_dots_are_rejected_and_not_stored_elsewhere(self) -> None:
        self.assertRefused("SignatureDoesNotMatch", lambda: self.put("folded/./b/../c", b"abc"))
        self.assertEqual(self.keys(prefix="folded"), [])

    def keys(self, **options: Any) -> list[str]:
        pages = self.client().list_objects_v2_paginator().iter_page(oss.ListObjectsV2Request(bucket=BUCKET, **options))
        return [found.key for page in pages for found in page.contents or []]

    def test_listing_pages_in_both_versions(self) -> None:
        keys = [f"l/{folder} +/{name}" for folder in range(5) for name in range(4)]
        for key in keys:
            self.put(key, b"")
        self.assertEqual(self.keys(prefix="l/", max_keys=3), keys)
        pages = list(self.client().list_objects_paginator().iter_page(
            oss.ListObjectsRequest(bucket=BUCKET, prefix="l/", delimiter="/", max_keys=2)))
        prefixes = [found.prefix for page in pages for found in page.common_prefixes or []]
        self.assertEqual(prefixes, [f"l/{folder} +/" for folder in range(5)])
        self.assertEqual(len(pages), 3)
        buckets = self.client().list_buckets(oss.ListBucketsRequest()).buckets
        self.assertIn(BUCKET, [found.name for found in buckets])

    def test_copy_keeps_or_replaces_metadata(self) -> None:
        self.put("copy +é%/source", b"copied", metadata={"kept": "yes"})
        source = {"source_bucket": BUCKET, "source_key": "copy +é%/source"}
        self.client().copy_object(oss.CopyObjectRequest(bucket=OTHER_BUCKET, key="target", **source))
        head = self.client().head_object(oss.HeadObjectRequest(bucket=OTHER_BUCKET, key="target"))
        self.assertEqual(head.metadata["kept"], "yes")
        self.client().copy_object(oss.CopyObjectRequest(
            bucket=OTHER_BUCKET, key="target", metadata_directive="REPLACE", metadata={"new": "1"}, **source))
        head = self.client().head_object(oss.HeadObjectRequest(bucket=OTHER_BUCKET, key="target"))
        self.assertEqual((head.metadata.get("kept"), head.metadata["new"]), (None, "1"))

    def test_multipart_with_a_copied_part(self) -> None:
        client, key, body = self.client(), "multi part+", os.urandom(2 * PART + 7)
        upload = self.initiate(key)
        parts = []
        for number in (1, 2, 3):
            piece = body[(number - 1) * PART:number * PART]
            answer = client.upload_part(oss.UploadPartRequest(
                bucket=BUCKET, key=key, upload_id=upload, part_number=number, body=piece))
            parts.append(oss.UploadPart(part_number=number, etag=answer.etag))
        listed = client.list_parts(oss.ListPartsRequest(bucket=BUCKET, key=key, upload_id=upload)).parts
        self.assertEqual([part.size for part in listed], [PART, PART, 7])
        uploads = client.list_multipart_uploads(oss.ListMultipartUploadsRequest(bucket=BUCKET, prefix=key)).uploads
        self.assertEqual([(found.key, found.upload_id) for found in uploads], [(key, upload)])
        self.complete(key, upload, parts)
        self.assertEqual(self.get(key), body)
        upload = self.initiate("second")
        part = client.upload_part_copy(oss.UploadPartCopyRequest(
            bucket=BUCKET, key="second", upload_id=upload, part_number=1, source_bucket=BUCKET, source_key=key,
            source_range=f"bytes=5-{PART + 4}"))
        self.complete("second", upload, [oss.UploadPart(part_number=1, etag=part.etag)])
        self.assertEqual(self.get("second"), body[5:PART + 5])

    def initiate(self, key: str) -> str:
        return self.client().initiate_multipart_upload(
            oss.InitiateMultipartUploadRequest(bucket=BUCKET, key=key)).upload_id

    def complete(self, key: str, upload: str, parts: list[oss.UploadPart]) -> None:
        self.client().complete_multipart_upload(oss.CompleteMultipartUploadRequest(
            bucket=BUCKET, key=key, upload_id=upload,
            complete_multipart_upload=oss.CompleteMultipartUpload(parts=parts)))

    def test_aborted_upload_is_removed(self) -> None:
        upload = self.initiate("aborted")
        self.client().abort_multipart_upload(
            oss.AbortMultipartUploadRequest(bucket=BUCKET, key="aborted", upload_id=upload))
        request = oss.ListPartsRequest(bucket=BUCKET, key="aborted", upload_id=upload)
        self.assertRefused("NoSuchUpload", lambda: self.client().list_parts(request), status=404)

    def test_uploader_and_downloader(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
            with open(source, "wb") as file:
                file.write(os.urandom(5 * PART + 1))
            options = {"part_size": PART, "parallel_num": 3}
            self.client().uploader(**options).upload_file(
                oss.PutObjectRequest(bucket=BUCKET, key="managed"), filepath=source)
            self.client().downloader(**options).download_file(
                oss.GetObjectRequest(bucket=BUCKET, key="managed"), filepath=target)
            with open(source, "rb") as sent, open(target, "rb") as received:
                self.assertEqual(sent.read(), received.read())

    def test_presigned_urls_work_for_plain_http(self) -> None:
        key = "signed +%/文"
        put = self.presign(oss.PutObjectRequest(
            bucket=BUCKET, key=key, content_type="text/y", metadata={"q": "1"}))
        self.assertEqual(requests.put(put.url, data=b"abc", headers=put.signed_headers).status_code, 200)
        got = requests.get(self.presign(oss.GetObjectRequest(bucket=BUCKET, key=key)).url)
        self.assertEqual((got.content, got.headers["x-oss-meta-q"]), (b"abc", "1"))
        request = oss.GetObjectRequest(bucket=BUCKET, key=key, response_content_type="image/png")
        self.assertEqual(requests.get(self.presign(request).url).headers["Content-Type"], "image/png")
        head = self.presign(oss.HeadObjectRequest(bucket=BUCKET, key=key))
        self.assertEqual(requests.head(head.url).status_code, 200)

    def test_presigned_url_serves_only_the_signed_request(self) -> None:
        self.put("mine", b"abc")
        url = self.presign(oss.GetObjectRequest(bucket=BUCKET, key="mine")).url
        for refused in (requests.put(url, data=b"x"), requests.get(url.replace("mine", "yours")),
                        requests.get(url.replace(BUCKET, OTHER_BUCKET, 1))):
            self.assertEqual(refused.status_code, 403)
            self.assertIn("<Code>SignatureDoesNotMatch</Code>", refused.text)

    def test_bucket_in_the_host(self) -> None:
        client = self.client(
            endpoint=f"http://oss-{REGION}.localhost:{self.cloud.oss_port}", use_path_style=False)
        client.put_object(oss.PutObjectRequest(bucket=BUCKET, key="virtual/host +", body=b"abc"))
        self.assertEqual(self.get("virtual/host +"), b"abc")
        presigned = client.presign(oss.GetObjectRequest(bucket=BUCKET, key="virtual/host +"))
        self.assertTrue(presigned.url.startswith(f"http://{BUCKET}.oss-"))
        self.assertEqual(requests.get(presigned.url).content, b"abc")

    # Errors of the SDK when the server rejects a request.

    def getting(self, account: Account | None = None) -> Callable[[], Any]:
        request = oss.GetObjectRequest(bucket=BUCKET, key="x")
        return lambda: self.client(account).get_object(request)

    def test_wrong_secret_is_rejected(self) -> None:
        wrong = Account(self.account.id, "wrong", self.account.token)
        error = self.assertRefused("SignatureDoesNotMatch", self.getting(wrong))
        self.assertEqual(error.ec, "0002-00000040")
        self.assertEqual(error.error_fileds["OSSAccessKeyId"], wrong.id)
        head = oss.HeadObjectRequest(bucket=BUCKET, key="x")
        self.assertRefused("SignatureDoesNotMatch", lambda: self.client(wrong).head_object(head))

    def test_unknown_and_disabled_keys_are_rejected(self) -> None:
        for account in (UNKNOWN, DISABLED):
            with self.subTest(account.id):
                self.assertRefused("InvalidAccessKeyId", self.getting(account))

    def test_clock_skew_is_rejected(self) -> None:
        for seconds in (-16 * 60, 16 * 60):
            with self.subTest(seconds), SDKClock(off_by=seconds).installed():
                self.assertRefused("RequestTimeTooSkewed", self.getting())
        with SDKClock(off_by=14 * 60).installed():
            self.assertRefused("NoSuchKey", self.getting(), status=404)

    def test_expired_url_is_rejected(self) -> None:
        self.put("expiring", b"abc")
        request = oss.GetObjectRequest(bucket=BUCKET, key="expiring")
        with SDKClock(off_by=-120).installed():
            expired, current = self.presign(request, 60).url, self.presign(request, 180).url
        answer = requests.get(expired)
        self.assertEqual(answer.status_code, 403)
        self.assertIn("<Code>AccessDenied</Code>", answer.text)
        self.assertIn("Request has expired", answer.text)
        self.assertEqual(requests.get(current).content, b"abc")

    def test_anonymous_request_is_rejected(self) -> None:
        provider = oss.credentials.AnonymousCredentialsProvider()
        request = oss.GetObjectRequest(bucket=BUCKET, key="x")
        self.assertRefused(
            "AccessDenied", lambda: self.client(credentials_provider=provider).get_object(request))


class OSSV2V4WithToken(OSSV2V4):
    account = TEMPORARY

    def test_session_token_must_match(self) -> None:
        missing, wrong = Account(TEMPORARY.id, TEMPORARY.secret), Account(TEMPORARY.id, TEMPORARY.secret, "wrong")
        self.assertRefused("InvalidAccessKeyId", self.getting(missing))
        self.assertRefused("InvalidSecurityToken", self.getting(wrong))


class OSSV2V1(OSSV2V4):
    version = "v1"


class OSSV2V1WithToken(OSSV2TestCase):
    """This SDK sends the token of a V1 request in a header `security-token` that OSS does not know."""

    version = "v1"
    account = TEMPORARY

    def test_token_in_a_header_of_another_name_is_ignored(self) -> None:
        self.assertRefused("InvalidAccessKeyId", lambda: self.put("x", b"abc"))


class OSSV2AdditionalHeaders(OSSV2TestCase):
    def test_additional_headers_are_bound(self) -> None:
        client = self.client(additional_headers=["host", "user-agent"])
        client.put_object(oss.PutObjectRequest(bucket=BUCKET, key="bound", body=b"abc"))
        self.assertEqual(self.get("bound"), b"abc")
