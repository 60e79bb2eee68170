# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests cos-python-sdk-v5 against LocalCloud, in compatible and in strict mode, with and without a session token."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from typing import Any

import requests
from clock import SDKClock
from cos_case import REGION, COSStrictTestCase, COSTestCase
from local_cloud import BUCKET, DISABLED, ODD_KEYS, OTHER_BUCKET, TEMPORARY, UNKNOWN, Account

PART = 1024 * 1024


class COS(COSTestCase):
    # Object operations.

    def test_put_get_head_delete(self) -> None:
        body = os.urandom(70_000)
        put = self.put("dir/note", body, EnableMD5=True, ContentType="text/x-note", CacheControl="no-cache",
                       Metadata={"x-cos-meta-author": "a, b  c"})
        self.assertEqual(put["ETag"], f'"{hashlib.md5(body).hexdigest()}"')
        head = self.client().head_object(Bucket=BUCKET, Key="dir/note")
        self.assertEqual((head["Content-Type"], int(head["Content-Length"])), ("text/x-note", len(body)))
        self.assertEqual((head["x-cos-meta-author"], head["Cache-Control"]), ("a, b  c", "no-cache"))
        self.assertEqual(head["x-cos-hash-crc64ecma"], put["x-cos-hash-crc64ecma"])
        self.assertEqual(self.get("dir/note"), body)
        self.client().delete_object(Bucket=BUCKET, Key="dir/note")
        self.assertFalse(self.client().object_exists(Bucket=BUCKET, Key="dir/note"))
        self.assertRefused("NoSuchKey", lambda: self.get("dir/note"), status=404)

    def test_ranges_and_conditions(self) -> None:
        etag = self.put("range", b"0123456789")["ETag"]
        for header, expected in {"bytes=2-4": b"234", "bytes=7-": b"789", "bytes=-3": b"789"}.items():
            self.assertEqual(self.get("range", Range=header), expected)
        self.assertEqual(self.get("range", IfMatch=etag), b"0123456789")
        self.assertRefused("PreconditionFailed", lambda: self.get("range", IfMatch='"0"'), status=412)

    def test_odd_keys(self) -> None:
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                self.put(f"odd/{key}", f"{index}".encode())
                self.assertEqual(self.get(f"odd/{key}"), f"{index}".encode())
        listed = self.keys(Prefix="odd/")
        self.assertEqual(listed, sorted((f"odd/{key}" for key in ODD_KEYS), key=lambda key: key.encode()))
        answer = self.client().delete_objects(
            Bucket=BUCKET, Delete={"Object": [{"Key": key} for key in listed], "Quiet": "false"})
        self.assertEqual([deleted["Key"] for deleted in answer["Deleted"]], listed)
        self.assertEqual(self.keys(Prefix="odd/"), [])

    def test_keys_with_control_characters_are_deleted(self) -> None:
        keys = ["control/a\x01b", "control/c\x1fd"]
        for key in keys:
            self.put(key, b"")
        try:
            self.client().delete_objects(Bucket=BUCKET, Delete={"Object": [{"Key": key} for key in keys], "Quiet": "true"})
        finally:
            left = self.keys(Prefix="control/")
        self.assertEqual(left, [])

    def test_listing_pages(self) -> None:
        keys = [f"l/{folder} +/{name}" for folder in range(5) for name in range(4)]
        for key in keys:
            self.put(key, b"")
        self.assertEqual(self.keys(Prefix="l/", MaxKeys=3), keys)
        page = self.client().list_objects(Bucket=BUCKET, Prefix="l/", Delimiter="/")
        self.assertEqual([found["Prefix"] for found in page["CommonPrefixes"]], [f"l/{n} +/" for n in range(5)])
        self.client().head_bucket(Bucket=BUCKET)

    def test_copy_keeps_or_replaces_metadata(self) -> None:
        self.put("copy +é%/source", b"copied", Metadata={"x-cos-meta-kept": "yes"})
        source = {"Bucket": BUCKET, "Key": "copy +é%/source", "Region": REGION}
        client = self.client()
        client.copy_object(Bucket=OTHER_BUCKET, Key="target", CopySource=source)
        self.assertEqual(client.head_object(Bucket=OTHER_BUCKET, Key="target")["x-cos-meta-kept"], "yes")
        client.copy_object(Bucket=OTHER_BUCKET, Key="target", CopySource=source, CopyStatus="Replaced",
                           Metadata={"x-cos-meta-new": "1"})
        head = client.head_object(Bucket=OTHER_BUCKET, Key="target")
        self.assertEqual((head.get("x-cos-meta-kept"), head["x-cos-meta-new"]), (None, "1"))

    def test_multipart_with_a_copied_part(self) -> None:
        client, key, body = self.client(), "multi part+", os.urandom(2 * PART + 7)
        at = {"Bucket": BUCKET, "Key": key}
        upload = client.create_multipart_upload(**at)["UploadId"]
        parts = []
        for number in (1, 2, 3):
            piece = body[(number - 1) * PART:number * PART]
            answer = client.upload_part(**at, Body=piece, PartNumber=number, UploadId=upload, EnableMD5=True)
            parts.append({"PartNumber": number, "ETag": answer["ETag"]})
        listed = client.list_parts(**at, UploadId=upload)["Part"]
        self.assertEqual([int(part["Size"]) for part in listed], [PART, PART, 7])
        uploads = client.list_multipart_uploads(Bucket=BUCKET, Prefix=key)["Upload"]
        self.assertEqual([(found["Key"], found["UploadId"]) for found in uploads], [(key, upload)])
        client.complete_multipart_upload(**at, UploadId=upload, MultipartUpload={"Part": parts})
        self.assertEqual(self.get(key), body)
        at["Key"] = "second"
        upload = client.create_multipart_upload(**at)["UploadId"]
        part = client.upload_part_copy(
            **at, PartNumber=1, UploadId=upload, CopySource={"Bucket": BUCKET, "Key": key, "Region": REGION},
            CopySourceRange=f"bytes=5-{PART + 4}")
        client.complete_multipart_upload(
            **at, UploadId=upload, MultipartUpload={"Part": [{"PartNumber": 1, "ETag": part["ETag"]}]})
        self.assertEqual(self.get("second"), body[5:PART + 5])

    def test_aborted_upload_is_removed(self) -> None:
        client, at = self.client(), {"Bucket": BUCKET, "Key": "aborted"}
        upload = client.create_multipart_upload(**at)["UploadId"]
        client.abort_multipart_upload(**at, UploadId=upload)
        self.assertRefused("NoSuchUpload", lambda: client.list_parts(**at, UploadId=upload), status=404)

    def test_managed_upload_and_download(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
            with open(source, "wb") as file:
                file.write(os.urandom(3 * PART + 1))
            self.client().upload_file(Bucket=BUCKET, Key="managed +", LocalFilePath=source, MAXThread=3, EnableMD5=True)
            self.client().download_file(
                Bucket=BUCKET, Key="managed +", DestFilePath=target, PartSize=1, MAXThread=3, EnableCRC=True,
                DumpRecordDir=folder)
            with open(source, "rb") as sent, open(target, "rb") as received:
                self.assertEqual(sent.read(), received.read())

    def test_presigned_urls_work_for_plain_http(self) -> None:
        key, headers = "signed +%/文", {"Content-Type": "text/y", "x-cos-meta-q": "1"}
        url = self.presign("PUT", key, Headers=headers | {"Content-Length": "3"})
        self.assertEqual(requests.put(url, data=b"more", headers=headers).status_code, 403)
        self.assertEqual(requests.put(url, data=b"abc", headers=headers).status_code, 200)
        got = requests.get(self.presign("GET", key))
        self.assertEqual((got.content, got.headers["x-cos-meta-q"]), (b"abc", "1"))
        url = self.presign("GET", key, Params={"response-content-type": "image/png; a=b c"})
        self.assertEqual(requests.get(url).headers["Content-Type"], "image/png; a=b c")
        self.assertEqual(requests.head(self.presign("HEAD", key)).status_code, 200)
        url = self.presign("DELETE", key, Headers={"Content-Length": "0"})
        self.assertEqual(requests.delete(url).status_code, 204)
        self.assertEqual(requests.get(self.presign("GET", key)).status_code, 404)

    def test_presigned_url_serves_only_the_signed_request(self) -> None:
        self.put("mine", b"abc")
        url = self.presign("GET", "mine")
        for refused in (requests.put(url), requests.head(url), requests.get(url.replace("mine", "yours"))):
            self.assertEqual(refused.status_code, 403)
        self.assertIn("<Code>SignatureDoesNotMatch</Code>", refused.text)
        self.assertEqual(self.get("mine"), b"abc")

    # Errors of the SDK when the server rejects a request.

    def getting(self, account: Account | None = None) -> Callable[[], Any]:
        return lambda: self.client(account).get_object(Bucket=BUCKET, Key="x")

    def test_wrong_secret_is_rejected(self) -> None:
        wrong = Account(self.account.id, "wrong", self.account.token)
        error = self.assertRefused("SignatureDoesNotMatch", self.getting(wrong))
        self.assertIn("<StringToSign>sha1\n", error.get_origin_msg())
        self.assertIn("<FormatString>get\n/x\n", error.get_origin_msg())
        self.assertRefused("SignatureDoesNotMatch", lambda: self.client(wrong).list_objects(Bucket=BUCKET))

    def test_unknown_and_disabled_keys_are_rejected(self) -> None:
        for account in (UNKNOWN, DISABLED):
            with self.subTest(account.id):
                self.assertRefused("InvalidAccessKeyId", self.getting(account))

    def test_session_token_must_match(self) -> None:
        missing, wrong = Account(TEMPORARY.id, TEMPORARY.secret), Account(TEMPORARY.id, TEMPORARY.secret, "wrong")
        self.assertRefused("InvalidAccessKeyId", self.getting(missing))
        self.assertRefused("InvalidToken", self.getting(wrong))

    def test_clock_skew_is_rejected(self) -> None:
        with SDKClock(off_by=3600).installed():
            self.assertRefused("RequestTimeTooSkewed", self.getting())
        with SDKClock(off_by=-3 * 3600).installed():  # The SDK signs for 10,000 seconds.
            error = self.assertRefused("AccessDenied", self.getting())
        self.assertEqual(error.get_error_msg(), "Request has expired")
        with SDKClock(off_by=-3600).installed():
            self.assertRefused("NoSuchKey", self.getting(), status=404)

    def test_expired_url_is_rejected(self) -> None:
        self.put("expiring", b"abc")
        with SDKClock(off_by=-120).installed():
            expired, current = self.presign("GET", "expiring", 60), self.presign("GET", "expiring", 180)
        answer = requests.get(expired)
        self.assertEqual(answer.status_code, 403)
        self.assertIn("<Code>AccessDenied</Code>", answer.text)
        self.assertIn("<Message>Request has expired</Message>", answer.text)
        self.assertEqual(requests.get(current).content, b"abc")

    def test_anonymous_request_is_rejected(self) -> None:
        client = self.client(SecretId=None, SecretKey=None, Token=None, Anonymous=True)
        self.assertRefused("AccessDenied", lambda: client.get_object(Bucket=BUCKET, Key="x"))


class COSWithToken(COS):
    account = TEMPORARY


class COSStrict(COSStrictTestCase, COS):
    def test_host_without_its_port_is_rejected(self) -> None:
        client = self.client(IP=None, Endpoint=self.endpoint)
        self.assertRefused("SignatureDoesNotMatch", lambda: client.put_object(Bucket=BUCKET, Key="x", Body=b"abc"))

    def test_unsigned_host_is_rejected(self) -> None:
        client = self.client(IP=None, Endpoint=self.endpoint, SignHost=False)
        error = self.assertRefused("AccessDenied", lambda: client.put_object(Bucket=BUCKET, Key="x", Body=b"abc"))
        self.assertIn("not signed", error.get_error_msg())

    def test_unsigned_parameters_are_rejected(self) -> None:
        client = self.client(SignParams=False)
        self.assertRefused("AccessDenied", lambda: client.list_objects(Bucket=BUCKET, Prefix="a"))


class COSStrictWithToken(COSStrict):
    account = TEMPORARY


class COSOptions(COSTestCase):
    def test_host_and_parameters_need_not_be_signed(self) -> None:
        for options in ({"SignHost": False}, {"SignParams": False}, {"SignHost": False, "SignParams": False}):
            with self.subTest(**options):
                client = self.client(**options)
                client.put_object(Bucket=BUCKET, Key="unsigned/part", Body=b"abc")
                page = client.list_objects(Bucket=BUCKET, Prefix="unsigned/")
                self.assertEqual([found["Key"] for found in page["Contents"]], ["unsigned/part"])
                url = client.get_presigned_url(
                    Bucket=BUCKET, Key="unsigned/part", Method="GET", Params={"response-content-type": "image/png"})
                self.assertEqual(requests.get(url).headers["Content-Type"], "image/png")

    def test_signed_host_binds_the_bucket(self) -> None:
        self.put("mine", b"abc")
        self.client().put_object(Bucket=OTHER_BUCKET, Key="mine", Body=b"other")
        bound, loose = self.presign("GET", "mine"), self.presign("GET", "mine", SignHost=False)
        moved = requests.get(bound.replace(BUCKET, OTHER_BUCKET, 1))
        self.assertEqual(moved.status_code, 403)
        self.assertIn("<Code>SignatureDoesNotMatch</Code>", moved.text)
        self.assertEqual(requests.get(loose.replace(BUCKET, OTHER_BUCKET, 1)).content, b"other")

    def test_host_header_of_the_real_service(self) -> None:
        """Uses the SDK's own setting for another machine: the address of one, and the host name of the other."""
        client = self.client(Endpoint=f"cos.{REGION}.myqcloud.com", IP="127.0.0.1", Port=self.cloud.cos_port)
        client.put_object(Bucket=BUCKET, Key="by/address +", Body=b"abc")
        self.assertEqual(self.get("by/address +"), b"abc")
        page = client.list_objects(Bucket=BUCKET, Prefix="by/")
        self.assertEqual([found["Key"] for found in page["Contents"]], ["by/address +"])

    def test_buckets_are_listed_and_created(self) -> None:
        client = self.client()
        client.create_bucket(Bucket="made-1250000000", ACL="public-read")
        names = [found["Name"] for found in client.list_buckets()["Buckets"]["Bucket"]]
        self.assertEqual([name for name in names if name in (BUCKET, "made-1250000000")], ["made-1250000000", BUCKET])
        self.assertRefused("BucketAlreadyOwnedByYou", lambda: client.create_bucket(Bucket=BUCKET), status=409)
        client.put_object(Bucket="made-1250000000", Key="open", Body=b"abc")
        self.assertEqual(requests.get(f"{self.cloud.cos}/made-1250000000/open").content, b"abc")
        client.delete_object(Bucket="made-1250000000", Key="open")
        client.delete_bucket(Bucket="made-1250000000")
        self.assertRefused("NoSuchBucket", lambda: client.list_objects(Bucket="made-1250000000"), status=404)
