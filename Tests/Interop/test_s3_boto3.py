# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests boto3 against LocalCloud: with and without a session token, with the default checksums and without."""

import base64
import hashlib
import io
import os
from typing import Any
from unittest import mock

import requests
import urllib3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError
from local_cloud import BUCKET, DISABLED, ODD_KEYS, OTHER_BUCKET, PERMANENT, TEMPORARY, UNKNOWN, Account
from s3_case import S3TestCase, clock_off_by

PART = 5 << 20


class Boto3(S3TestCase):
    # Object operations.

    def test_put_get_head_delete(self) -> None:
        s3 = self.client()
        body = os.urandom(70_000)
        put = s3.put_object(Bucket=BUCKET, Key="dir/note", Body=body, ContentType="text/x-note; charset=utf-8",
                            Metadata={"Author": "a, b  c"}, CacheControl="no-cache",
                            ContentMD5=base64.b64encode(hashlib.md5(body).digest()).decode())
        self.assertEqual(put["ETag"], f'"{hashlib.md5(body).hexdigest()}"')
        head = s3.head_object(Bucket=BUCKET, Key="dir/note")
        self.assertEqual((head["ContentType"], head["Metadata"]["author"], head["CacheControl"]),
                         ("text/x-note; charset=utf-8", "a, b  c", "no-cache"))
        self.assertEqual(head["ContentLength"], len(body))
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="dir/note")["Body"].read(), body)
        s3.delete_object(Bucket=BUCKET, Key="dir/note")
        self.assertRefused("404", s3.head_object, 404, Bucket=BUCKET, Key="dir/note")
        self.assertRefused("NoSuchKey", s3.get_object, 404, Bucket=BUCKET, Key="dir/note")

    def test_ranges_and_conditions(self) -> None:
        s3 = self.client()
        etag = s3.put_object(Bucket=BUCKET, Key="range", Body=b"0123456789")["ETag"]
        for bounds, expected in {"2-4": b"234", "7-": b"789", "-3": b"789", "0-0": b"0"}.items():
            got = s3.get_object(Bucket=BUCKET, Key="range", Range=f"bytes={bounds}")
            self.assertEqual((got["ResponseMetadata"]["HTTPStatusCode"], got["Body"].read()), (206, expected))
        self.assertRefused("InvalidRange", s3.get_object, 416, Bucket=BUCKET, Key="range", Range="bytes=10-")
        self.assertRefused("304", s3.get_object, 304, Bucket=BUCKET, Key="range", IfNoneMatch=etag)
        self.assertRefused("PreconditionFailed", s3.get_object, 412, Bucket=BUCKET, Key="range", IfMatch='"0"')

    def test_conditional_writes(self) -> None:
        s3 = self.client()
        etag = s3.put_object(Bucket=BUCKET, Key="once", Body=b"1", IfNoneMatch="*")["ETag"]
        self.assertRefused("PreconditionFailed", s3.put_object, 412, Bucket=BUCKET, Key="once", Body=b"2",
                           IfNoneMatch="*")
        self.assertRefused("PreconditionFailed", s3.put_object, 412, Bucket=BUCKET, Key="once", Body=b"2",
                           IfMatch='"0"')
        self.assertRefused("NoSuchKey", s3.put_object, 404, Bucket=BUCKET, Key="never", Body=b"2", IfMatch=etag)
        newer = s3.put_object(Bucket=BUCKET, Key="once", Body=b"2", IfMatch=etag)["ETag"]
        self.assertRefused("PreconditionFailed", s3.delete_object, 412, Bucket=BUCKET, Key="once", IfMatch=etag)
        s3.delete_object(Bucket=BUCKET, Key="once", IfMatch=newer)

    def test_checksums_of_every_algorithm(self) -> None:
        s3 = self.client()
        known = {"CRC32": "NhCmhg==", "CRC32C": "mnG7TA==", "CRC64NVME": "M3eFcAZSQlc=",
                 "SHA1": "qvTGHdzF6KLavt4PO0gs2a6pQ00=", "SHA256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="}
        for algorithm, value in known.items():
            with self.subTest(algorithm):
                put = s3.put_object(Bucket=BUCKET, Key="sum", Body=b"hello", ChecksumAlgorithm=algorithm)
                self.assertEqual(put[f"Checksum{algorithm}"], value)
                got = s3.get_object(Bucket=BUCKET, Key="sum", ChecksumMode="ENABLED")
                self.assertEqual((got["Body"].read(), got[f"Checksum{algorithm}"]), (b"hello", value))
                self.assertRefused("BadDigest", s3.put_object, 400, Bucket=BUCKET, Key="sum", Body=b"hallo",
                                   **{f"Checksum{algorithm}": value})

    def test_trailers(self) -> None:
        """Covers chunked bodies with a trailer, which botocore only sends over https by default."""
        s3 = self.client()

        def trail(params: dict[str, Any], **_: Any) -> None:
            algorithm = params.get("context", {}).get("checksum", {}).get("request_algorithm")
            if isinstance(algorithm, dict):
                algorithm["in"] = "trailer"

        s3.meta.events.register("before-call.s3.PutObject", lambda params, context, **_: trail({"context": context}))
        seen: list[str] = []
        s3.meta.events.register("before-send.s3.PutObject", lambda request, **_: seen.append(
            str(request.headers.get("X-Amz-Content-SHA256"))))
        for algorithm in ("CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"):
            body = os.urandom(3_000_000)
            s3.put_object(Bucket=BUCKET, Key="trailed", Body=io.BytesIO(body), ChecksumAlgorithm=algorithm)
            got = s3.get_object(Bucket=BUCKET, Key="trailed")
            self.assertEqual(got["Body"].read(), body)
            self.assertNotIn("ContentEncoding", got)
        self.assertTrue(all("STREAMING-UNSIGNED-PAYLOAD-TRAILER" in value for value in seen), seen)
        self.assertEqual(len(seen), 5)

    def test_odd_keys(self) -> None:
        s3 = self.client()
        for index, key in enumerate(ODD_KEYS):
            with self.subTest(key):
                s3.put_object(Bucket=BUCKET, Key=f"odd/{key}", Body=f"{index}".encode())
                self.assertEqual(s3.get_object(Bucket=BUCKET, Key=f"odd/{key}")["Body"].read(), f"{index}".encode())
        keys = sorted((f"odd/{key}" for key in ODD_KEYS), key=lambda key: key.encode())
        for operation in (s3.list_objects, s3.list_objects_v2):
            self.assertEqual([entry["Key"] for entry in operation(Bucket=BUCKET, Prefix="odd/")["Contents"]], keys)
        deleted = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys]})
        self.assertEqual([entry["Key"] for entry in deleted["Deleted"]], keys)
        self.assertEqual(s3.list_objects_v2(Bucket=BUCKET, Prefix="odd/")["KeyCount"], 0)

    def test_listing_pages_in_both_versions(self) -> None:
        s3 = self.client()
        keys = [f"l/{folder} +/{name}" for folder in range(5) for name in range(4)]
        for key in keys:
            s3.put_object(Bucket=BUCKET, Key=key, Body=b"")
        for name in ("list_objects", "list_objects_v2"):
            with self.subTest(name):
                pager = s3.get_paginator(name)
                pages = list(pager.paginate(Bucket=BUCKET, Prefix="l/", PaginationConfig={"PageSize": 3}))
                self.assertEqual([entry["Key"] for page in pages for entry in page["Contents"]], keys)
                self.assertEqual(len(pages), 7)
                pages = list(pager.paginate(Bucket=BUCKET, Prefix="l/", Delimiter="/",
                                            PaginationConfig={"PageSize": 2}))
                found = [entry["Prefix"] for page in pages for entry in page["CommonPrefixes"]]
                self.assertEqual(found, [f"l/{folder} +/" for folder in range(5)])
        after = s3.list_objects_v2(Bucket=BUCKET, Prefix="l/", StartAfter=keys[17], FetchOwner=True)["Contents"]
        self.assertEqual([entry["Key"] for entry in after], keys[18:])
        self.assertTrue(all(entry["Owner"]["ID"] for entry in after))

    def test_copy_keeps_or_replaces_metadata(self) -> None:
        s3 = self.client()
        source = {"Bucket": BUCKET, "Key": "copy +é%/source"}
        etag = s3.put_object(**source, Body=b"copied", Metadata={"kept": "yes"})["ETag"]
        s3.copy_object(Bucket=OTHER_BUCKET, Key="target", CopySource=source, CopySourceIfMatch=etag)
        got = s3.get_object(Bucket=OTHER_BUCKET, Key="target")
        self.assertEqual((got["Body"].read(), got["Metadata"]), (b"copied", {"kept": "yes"}))
        s3.copy_object(Bucket=OTHER_BUCKET, Key="target", CopySource={"Bucket": OTHER_BUCKET, "Key": "target"},
                       MetadataDirective="REPLACE", Metadata={"new": "1"})
        self.assertEqual(s3.head_object(Bucket=OTHER_BUCKET, Key="target")["Metadata"], {"new": "1"})
        self.assertRefused("PreconditionFailed", s3.copy_object, 412, Bucket=OTHER_BUCKET, Key="target",
                           CopySource=source, CopySourceIfNoneMatch=etag)
        self.assertRefused("InvalidRequest", s3.copy_object, 400, **source, CopySource=source)

    def test_multipart_by_hand(self) -> None:
        s3 = self.client()
        where = {"Bucket": BUCKET, "Key": "multi part+"}
        body = os.urandom(2 * PART + 7)
        upload = s3.create_multipart_upload(**where, Metadata={"a": "1"}, ChecksumAlgorithm="CRC32")["UploadId"]
        parts = []
        for number in (1, 2, 3):
            piece = body[(number - 1) * PART:number * PART]
            answer = s3.upload_part(**where, UploadId=upload, PartNumber=number, Body=piece, ChecksumAlgorithm="CRC32")
            parts.append({"PartNumber": number, "ETag": answer["ETag"], "ChecksumCRC32": answer["ChecksumCRC32"]})
        listed = s3.list_parts(**where, UploadId=upload, MaxParts=2)
        self.assertEqual(([part["Size"] for part in listed["Parts"]], listed["IsTruncated"]), ([PART, PART], True))
        uploads = s3.list_multipart_uploads(Bucket=BUCKET, Prefix=where["Key"])["Uploads"]
        self.assertEqual([found["UploadId"] for found in uploads], [upload])
        self.assertRefused("InvalidPart", s3.complete_multipart_upload, 400, **where, UploadId=upload,
                           MultipartUpload={"Parts": [parts[0] | {"ETag": '"0"'}]})
        done = s3.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})
        self.assertTrue(done["ETag"].endswith('-3"'))
        self.assertTrue(done["ChecksumCRC32"].endswith("-3"))
        got = s3.get_object(**where)
        self.assertEqual((got["Body"].read(), got["Metadata"]), (body, {"a": "1"}))
        upload = s3.create_multipart_upload(Bucket=BUCKET, Key="second")["UploadId"]
        part = s3.upload_part_copy(Bucket=BUCKET, Key="second", UploadId=upload, PartNumber=1, CopySource=where,
                                   CopySourceRange=f"bytes=5-{PART + 4}")["CopyPartResult"]
        s3.complete_multipart_upload(Bucket=BUCKET, Key="second", UploadId=upload, MultipartUpload={"Parts": [
            {"PartNumber": 1} | {name: part[name] for name in part if name == "ETag" or name.startswith("Checksum")}]})
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="second")["Body"].read(), body[5:PART + 5])
        upload = s3.create_multipart_upload(**where)["UploadId"]
        s3.abort_multipart_upload(**where, UploadId=upload)
        self.assertRefused("NoSuchUpload", s3.list_parts, 404, **where, UploadId=upload)

    def test_transfers(self) -> None:
        s3 = self.client()
        body = os.urandom(3 * PART + 1)
        config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=3)
        s3.upload_fileobj(io.BytesIO(body), BUCKET, "moved", Config=config)
        s3.copy({"Bucket": BUCKET, "Key": "moved"}, OTHER_BUCKET, "moved", Config=config)
        received = io.BytesIO()
        s3.download_fileobj(OTHER_BUCKET, "moved", received, Config=config)
        self.assertEqual(received.getvalue(), body)

    def test_presigned_urls_work_for_plain_http(self) -> None:
        s3 = self.client()
        where = {"Bucket": BUCKET, "Key": "signed +%/文"}
        headers = {"Content-Type": "text/y", "x-amz-meta-q": "1"}
        url = s3.generate_presigned_url("put_object", {**where, "ContentType": "text/y", "Metadata": {"q": "1"}}, 60)
        self.assertEqual(requests.put(url, data=b"abc", headers=headers).status_code, 200)
        url = s3.generate_presigned_url("get_object", {**where, "ResponseContentType": "image/png"}, 60)
        got = requests.get(url)
        self.assertEqual((got.content, got.headers["Content-Type"], got.headers["x-amz-meta-q"]),
                         (b"abc", "image/png", "1"))
        for refused in (requests.put(url, data=b"x"), requests.get(url.replace("signed", "other")),
                        requests.get(url.replace(BUCKET, OTHER_BUCKET, 1)),
                        requests.get(url.replace("image", "text")),
                        requests.get(url, headers={"x-amz-request-payer": "requester"})):
            self.assertEqual(refused.status_code, 403, refused.text)
        self.assertEqual(requests.delete(s3.generate_presigned_url("delete_object", where, 60)).status_code, 204)
        with clock_off_by(-120):
            expired = s3.generate_presigned_url("get_object", where, 60)
        answer = requests.get(expired)
        self.assertEqual(answer.status_code, 403)
        self.assertIn("<Message>Request has expired</Message>", answer.text)

    def test_post_uploads(self) -> None:
        s3 = self.client()
        conditions = [{"acl": "private"}, ["content-length-range", 1, 100], {"success_action_status": "201"}]
        fields = {"acl": "private", "success_action_status": "201"}
        form = s3.generate_presigned_post(BUCKET, "form/${filename}", Fields=fields, Conditions=conditions)

        def post(name: str = "cat ü.png", body: bytes = b"abc", **more: str) -> requests.Response:
            return requests.post(form["url"], data=form["fields"] | more, files={"file": (name, body)})

        answer = post()
        self.assertEqual(answer.status_code, 201, answer.text)
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="form/cat ü.png")["Body"].read(), b"abc")
        for code, refused in {"EntityTooLarge": post(body=b"x" * 101), "AccessDenied": post(key="elsewhere"),
                              "SignatureDoesNotMatch": post(**{"x-amz-signature": "0" * 64})}.items():
            self.assertIn(f"<Code>{code}</Code>", refused.text)
        self.assertIn("Extra input fields", post(**{"x-amz-meta-a": "1"}).text)

    def test_bucket_in_the_host(self) -> None:
        port = self.cloud.s3.rsplit(":", 1)[1]
        s3 = self.client(endpoint=f"http://s3.{type(self).__name__.lower()}.localhost:{port}", style="virtual")
        s3.put_object(Bucket=BUCKET, Key="virtual/host +", Body=b"abc")
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="virtual/host +")["Body"].read(), b"abc")
        self.assertTrue(s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "x"})
                        .startswith(f"http://{BUCKET}.s3."))
        self.assertEqual(self.client().get_object(Bucket=BUCKET, Key="virtual/host +")["Body"].read(), b"abc")

    def test_created_bucket_is_public_and_deleted(self) -> None:
        s3 = self.client()
        name = f"made.{type(self).__name__.lower()}"
        s3.create_bucket(Bucket=name, ACL="public-read")
        self.assertIn(name, [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]])
        self.assertEqual(len(s3.get_bucket_acl(Bucket=name)["Grants"]), 2)
        self.assertEqual(s3.get_bucket_location(Bucket=name)["LocationConstraint"], None)
        self.assertNotIn("Status", s3.get_bucket_versioning(Bucket=name))
        s3.put_object(Bucket=name, Key="open", Body=b"abc", ACL="public-read")
        s3.put_object_acl(Bucket=name, Key="open", ACL="public-read")
        self.assertEqual(requests.get(f"{self.cloud.s3}/{name}/open").content, b"abc")
        self.assertEqual(requests.get(f"{self.cloud.s3}/{name}").status_code, 200)
        self.assertRefused("BucketNotEmpty", s3.delete_bucket, 409, Bucket=name)
        s3.delete_object(Bucket=name, Key="open")
        s3.delete_bucket(Bucket=name)
        self.assertRefused("NoSuchBucket", s3.list_objects_v2, 404, Bucket=name)
        self.assertRefused("IllegalLocationConstraintException", s3.create_bucket, 400, Bucket="elsewhere",
                           CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})

    def test_tags(self) -> None:
        s3 = self.client()
        where = {"Bucket": BUCKET, "Key": "tagged +é"}
        tags = [{"Key": "a b", "Value": "1/+="}, {"Key": "é", "Value": ""}]
        s3.put_object(**where, Body=b"abc", Tagging="first=1&second=a%20b")
        self.assertEqual(s3.get_object_tagging(**where)["TagSet"],
                         [{"Key": "first", "Value": "1"}, {"Key": "second", "Value": "a b"}])
        self.assertEqual(s3.get_object(**where)["TagCount"], 2)
        s3.put_object_tagging(**where, Tagging={"TagSet": tags})
        self.assertEqual(s3.get_object_tagging(**where)["TagSet"], tags)
        s3.copy_object(Bucket=BUCKET, Key="tagged copy", CopySource=where)
        self.assertEqual(s3.get_object_tagging(Bucket=BUCKET, Key="tagged copy")["TagSet"], tags)
        self.assertRefused("InvalidTag", s3.put_object_tagging, 400, **where, Tagging={"TagSet": tags[:1] * 2})
        s3.delete_object_tagging(**where)
        self.assertEqual(s3.get_object_tagging(**where)["TagSet"], [])
        got = s3.get_object(**where)
        self.assertEqual((got["Body"].read(), got.get("TagCount")), (b"abc", None))
        self.assertRefused("NoSuchKey", s3.get_object_tagging, 404, Bucket=BUCKET, Key="untagged")

    def test_attributes(self) -> None:
        s3 = self.client()
        names = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
        etag = s3.put_object(Bucket=BUCKET, Key="told", Body=b"hello", ChecksumAlgorithm="SHA256")["ETag"]
        told = s3.get_object_attributes(Bucket=BUCKET, Key="told", ObjectAttributes=names)
        self.assertEqual((told["ETag"], told["ObjectSize"], told["StorageClass"]), (etag.strip('"'), 5, "STANDARD"))
        self.assertEqual(told["Checksum"], {"ChecksumSHA256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
                                            "ChecksumType": "FULL_OBJECT"})
        self.assertEqual(told["LastModified"], s3.head_object(Bucket=BUCKET, Key="told")["LastModified"])
        self.assertNotIn("ObjectParts", told)
        config = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
        s3.upload_fileobj(io.BytesIO(bytes(2 * PART + 1)), BUCKET, "told in parts", Config=config)
        told = s3.get_object_attributes(Bucket=BUCKET, Key="told in parts", ObjectAttributes=names)
        self.assertEqual((told["ObjectParts"]["TotalPartsCount"], told["ObjectSize"]), (3, 2 * PART + 1))
        self.assertRefused("NoSuchKey", s3.get_object_attributes, 404, Bucket=BUCKET, Key="untold",
                           ObjectAttributes=names)

    def test_versions_are_kept_listed_and_deleted(self) -> None:
        s3 = self.client()
        name = f"versions.{type(self).__name__.lower()}"
        s3.create_bucket(Bucket=name)
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        ids = [s3.put_object(Bucket=name, Key="a", Body=body)["VersionId"] for body in (b"1", b"2")]
        marker = s3.delete_object(Bucket=name, Key="a")
        self.assertTrue(marker["DeleteMarker"])
        listed = s3.list_object_versions(Bucket=name)
        self.assertEqual([version["VersionId"] for version in listed["Versions"]], ids[::-1])
        self.assertEqual(listed["DeleteMarkers"][0]["VersionId"], marker["VersionId"])
        self.assertEqual(s3.get_object(Bucket=name, Key="a", VersionId=ids[0])["Body"].read(), b"1")
        version = {"Bucket": name, "Key": "a", "VersionId": "3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY"}
        self.assertRefused("NoSuchVersion", s3.get_object, 404, **version)
        self.assertRefused("BucketNotEmpty", s3.delete_bucket, 409, Bucket=name)
        objects = [{"Key": "a", "VersionId": each} for each in ids + [marker["VersionId"]]]
        self.assertEqual(len(s3.delete_objects(Bucket=name, Delete={"Objects": objects})["Deleted"]), 3)
        s3.delete_bucket(Bucket=name)

    def test_documents_of_a_bucket_are_stored(self) -> None:
        s3 = self.client()
        rule = {"AllowedMethods": ["GET"], "AllowedOrigins": ["https://example.com"]}
        self.assertRefused("NoSuchCORSConfiguration", s3.get_bucket_cors, 404, Bucket=BUCKET)
        s3.put_bucket_cors(Bucket=BUCKET, CORSConfiguration={"CORSRules": [rule]})
        self.assertEqual(s3.get_bucket_cors(Bucket=BUCKET)["CORSRules"], [rule])
        s3.delete_bucket_cors(Bucket=BUCKET)
        tags = [{"Key": "a", "Value": "1"}]
        s3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": tags})
        self.assertEqual(s3.get_bucket_tagging(Bucket=BUCKET)["TagSet"], tags)
        s3.delete_bucket_tagging(Bucket=BUCKET)
        self.assertRefused("NoSuchTagSet", s3.get_bucket_tagging, 404, Bucket=BUCKET)

    def test_region_of_another_regions_host_is_learnt(self) -> None:
        """Resolves AWS's hosts to the server: botocore sends a request to the wrong region and follows the redirect."""
        port = int(self.cloud.s3.rsplit(":", 1)[1])
        connect, asked = urllib3.util.connection.create_connection, []

        def connect_here(address: tuple[str, int], *arguments: Any, **options: Any) -> Any:
            asked.append(address[0])
            return connect(("127.0.0.1", port), *arguments, **options)

        with mock.patch("urllib3.util.connection.create_connection", connect_here):
            for style, host in (("virtual", f"{BUCKET}.s3.eu-west-1.amazonaws.com"),
                                ("path", "s3.eu-west-1.amazonaws.com")):
                with self.subTest(style):
                    asked.clear()
                    s3 = self.client(region="eu-west-1", style=style, plain=True)
                    s3.put_object(Bucket=BUCKET, Key="far away", Body=b"abc")
                    self.assertEqual(s3.get_object(Bucket=BUCKET, Key="far away")["Body"].read(), b"abc")
                    self.assertEqual(asked[0], host)
                    self.assertEqual(asked[-1], host.replace("eu-west-1", "us-east-1"))
                    self.assertEqual(s3.head_bucket(Bucket=BUCKET)["BucketRegion"], "us-east-1")

    # Errors of the SDK when the server rejects a request.

    def test_wrong_secret_is_rejected(self) -> None:
        s3 = self.client(Account(self.account.id, "wrong", self.account.token))
        error = self.assertRefused("SignatureDoesNotMatch", s3.get_object, Bucket=BUCKET, Key="x")
        self.assertEqual(error["AWSAccessKeyId"], self.account.id)
        self.assertTrue(error["StringToSign"].startswith("AWS4-HMAC-SHA256\n"))
        self.assertNotIn(self.account.token or "no token", error["CanonicalRequest"])
        self.assertRefused("SignatureDoesNotMatch", s3.put_object, Bucket=BUCKET, Key="x", Body=b"abc")

    def test_unknown_and_disabled_keys_are_rejected(self) -> None:
        for account in (UNKNOWN, DISABLED):
            with self.subTest(account.id):
                s3 = self.client(account)
                self.assertRefused("InvalidAccessKeyId", s3.get_object, Bucket=BUCKET, Key="x")

    def test_session_token_must_match(self) -> None:
        missing, wrong = Account(TEMPORARY.id, TEMPORARY.secret), Account(TEMPORARY.id, TEMPORARY.secret, "wrong")
        self.assertRefused("InvalidAccessKeyId", self.client(missing).get_object, Bucket=BUCKET, Key="x")
        self.assertRefused("InvalidToken", self.client(wrong).get_object, 400, Bucket=BUCKET, Key="x")
        useless = Account(PERMANENT.id, PERMANENT.secret, "useless")
        self.assertRefused("InvalidToken", self.client(useless).get_object, 400, Bucket=BUCKET, Key="x")

    def test_clock_skew_is_rejected(self) -> None:
        s3 = self.client()
        for seconds in (-16 * 60, 16 * 60):
            with self.subTest(seconds), clock_off_by(seconds):
                error = self.assertRefused("RequestTimeTooSkewed", s3.get_object, Bucket=BUCKET, Key="x")
                self.assertEqual(error["MaxAllowedSkewMilliseconds"], "900000")
        with clock_off_by(-14 * 60):
            self.assertRefused("NoSuchKey", s3.get_object, 404, Bucket=BUCKET, Key="x")

    def test_wrong_region_is_rejected_and_learnt(self) -> None:
        s3 = self.client(region="eu-central-1")
        error = self.assertRefused("AuthorizationHeaderMalformed", s3.list_buckets, 400)
        self.assertEqual(error["Region"], "us-east-1")
        # botocore learns the region of a bucket from the error response and signs again.
        s3.put_object(Bucket=BUCKET, Key="redirected", Body=b"abc")
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="redirected")["Body"].read(), b"abc")


class Boto3WithToken(Boto3):
    account = TEMPORARY


class Boto3WithoutChecksums(Boto3):
    checksums = "when_required"


class TokenService(S3TestCase):
    """Tests keys of STS, of the container endpoint and of the instance metadata."""

    role = "arn:aws:iam::125000000000:role/localcloud"

    def assume(self, **more: Any) -> Account:
        sts = self.client(PERMANENT, endpoint=self.cloud.services, service="sts")
        answer = sts.assume_role(RoleArn=self.role, RoleSessionName="alice", **more)
        key = answer["Credentials"]
        self.assertTrue(answer["AssumedRoleUser"]["Arn"].endswith(":assumed-role/localcloud/alice"))
        return Account(key["AccessKeyId"], key["SecretAccessKey"], key["SessionToken"])

    def test_assumed_role(self) -> None:
        s3 = self.client(self.assume(DurationSeconds=900))
        s3.put_object(Bucket=BUCKET, Key="assumed", Body=b"abc")
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="assumed")["Body"].read(), b"abc")

    def test_session_policy(self) -> None:
        policy = """{"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::%s/alice/*"},
            {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::%s",
             "Condition": {"StringLike": {"s3:prefix": "alice/*"}}}]}""" % (BUCKET, BUCKET)
        s3 = self.client(self.assume(Policy=policy))
        s3.put_object(Bucket=BUCKET, Key="alice/a", Body=b"abc")
        self.assertEqual(s3.get_object(Bucket=BUCKET, Key="alice/a")["Body"].read(), b"abc")
        self.assertEqual(s3.list_objects_v2(Bucket=BUCKET, Prefix="alice/")["KeyCount"], 1)
        self.assertRefused("AccessDenied", s3.put_object, Bucket=BUCKET, Key="bob/a", Body=b"abc")
        self.assertRefused("AccessDenied", s3.list_objects_v2, Bucket=BUCKET)
        self.assertRefused("AccessDenied", s3.delete_object, Bucket=BUCKET, Key="alice/a")
        self.assertRefused("AccessDenied", s3.copy_object, Bucket=BUCKET, Key="alice/b",
                           CopySource={"Bucket": BUCKET, "Key": "bob/a"})

    def test_unauthorized_callers_are_rejected(self) -> None:
        for account, code in {Account(PERMANENT.id, "wrong"): "SignatureDoesNotMatch",
                              UNKNOWN: "InvalidClientTokenId"}.items():
            sts = self.client(account, endpoint=self.cloud.services, service="sts")
            with self.assertRaises(ClientError) as caught:
                sts.assume_role(RoleArn=self.role, RoleSessionName="alice")
            self.assertEqual(caught.exception.response["Error"]["Code"], code)

    def test_metadata(self) -> None:
        life = {"x-aws-ec2-metadata-token-ttl-seconds": "60"}
        token = requests.put(f"{self.cloud.services}/latest/api/token", headers=life).text
        root, headers = f"{self.cloud.services}/latest/meta-data/iam/security-credentials/", {
            "x-aws-ec2-metadata-token": token}
        name = requests.get(root, headers=headers).text
        for key in (requests.get(root + name, headers=headers).json(), requests.get(self.cloud.s3_app_server).json()):
            s3 = self.client(Account(key["AccessKeyId"], key["SecretAccessKey"], key["Token"]))
            self.assertEqual(s3.list_buckets()["ResponseMetadata"]["HTTPStatusCode"], 200)


class EndedToken(S3TestCase):
    serve_options = ("--requests-per-token", "0")

    def test_expired_token_is_rejected(self) -> None:
        key = requests.get(self.cloud.s3_app_server).json()
        s3 = self.client(Account(key["AccessKeyId"], key["SecretAccessKey"], key["Token"]))
        error = self.assertRefused("ExpiredToken", s3.get_object, 400, Bucket=BUCKET, Key="x")
        self.assertNotIn(key["Token"], str(error))
