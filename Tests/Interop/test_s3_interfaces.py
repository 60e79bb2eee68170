# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""boto3 against the S3-compatible interfaces of OSS and COS, with its defaults, and with Signature Version 2."""

import os
import urllib.parse
from typing import Any

import boto3
import requests
from botocore.config import Config
from botocore.exceptions import ClientError
from local_cloud import BUCKET, PERMANENT, TEMPORARY, Account
from s3_case import S3TestCase


def plain_client(endpoint: str, region: str, account: Account = PERMANENT) -> Any:
    """Returns a client without settings but its endpoint, region and keys."""
    return boto3.client("s3", endpoint_url=endpoint, region_name=region, aws_access_key_id=account.id,
                        aws_secret_access_key=account.secret, aws_session_token=account.token)


def fields_of(url: str) -> dict[str, list[str]]:
    return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)


class Interfaces(S3TestCase):
    checksums = "when_required"

    def clients(self) -> list[Any]:
        return [self.client(endpoint=endpoint, region=region)
                for endpoint, region in ((self.cloud.oss, "cn-hangzhou"), (self.cloud.cos, "us-east-1"))]

    def test_objects(self) -> None:
        for s3 in self.clients():
            s3.put_object(Bucket=BUCKET, Key="dir/a +", Body=b"abc", Metadata={"a": "1"}, StorageClass="STANDARD_IA")
            got = s3.get_object(Bucket=BUCKET, Key="dir/a +")
            self.assertEqual((got["Body"].read(), got["Metadata"], got["StorageClass"]),
                             (b"abc", {"a": "1"}, "STANDARD_IA"))
            s3.copy_object(Bucket=BUCKET, Key="copy", CopySource={"Bucket": BUCKET, "Key": "dir/a +"})
            listed = s3.list_objects_v2(Bucket=BUCKET)["Contents"]
            self.assertEqual([found["Key"] for found in listed], ["copy", "dir/a +"])
            self.assertIn(BUCKET, [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]])
            url = s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "copy"})
            self.assertEqual(requests.get(url, timeout=10).content, b"abc")
            s3.delete_object(Bucket=BUCKET, Key="copy")

    def test_parts(self) -> None:
        for s3 in self.clients():
            where = {"Bucket": BUCKET, "Key": "big"}
            upload = s3.create_multipart_upload(**where)["UploadId"]
            pieces = [os.urandom(1 << 20), b"end"]
            parts = [{"PartNumber": number, "ETag": s3.upload_part(
                **where, UploadId=upload, PartNumber=number, Body=piece)["ETag"]}
                for number, piece in enumerate(pieces, 1)]
            s3.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})
            self.assertEqual(s3.get_object(**where)["Body"].read(), b"".join(pieces))
            s3.delete_object(**where)

    def test_deletion_of_several_objects_needs_a_digest(self) -> None:
        for s3 in self.clients():
            self.assertRefused("InvalidRequest", s3.delete_objects, 400, Bucket=BUCKET,
                               Delete={"Objects": [{"Key": "none"}]})


class Defaults(S3TestCase):
    """What boto3 presigns with its defaults, in the region that `serve` has by default."""

    region = "eu-central-1"
    serve_options = ("--s3-region", region)

    def test_presigned_urls(self) -> None:
        where = {"Bucket": BUCKET, "Key": "plain +%2F/文"}
        for endpoint, region in ((self.cloud.s3, self.region), (self.cloud.oss, "cn-hangzhou"),
                                 (self.cloud.cos, "ap-guangzhou")):
            for account in (PERMANENT, TEMPORARY):
                with self.subTest(endpoint=endpoint, account=account.id):
                    s3 = plain_client(endpoint, region, account)
                    body = os.urandom(1000)
                    put = requests.put(s3.generate_presigned_url("put_object", where), data=body, timeout=10)
                    self.assertEqual((put.status_code, put.text), (200, ""))
                    url = s3.generate_presigned_url("get_object", where)
                    self.assertIn("X-Amz-Signature", fields_of(url))
                    self.assertEqual(requests.get(url, timeout=10).content, body)
                    part = requests.get(url, headers={"Range": "bytes=10-19"}, timeout=10)
                    self.assertEqual((part.status_code, part.content), (206, body[10:20]))
                    s3 = plain_client(endpoint, region, Account(account.id, "wrong", account.token))
                    forged = s3.generate_presigned_url("get_object", where)
                    for refused in (requests.get(forged, timeout=10), requests.delete(url, timeout=10),
                                    requests.get(url.replace("plain", "other"), timeout=10)):
                        self.assertEqual(refused.status_code, 403)
                        self.assertIn("<Code>SignatureDoesNotMatch</Code>", refused.text)

    def test_forms(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            for secret, code in {account.secret: None, "wrong": "SignatureDoesNotMatch"}.items():
                with self.subTest(account=account.id, secret=secret):
                    s3 = plain_client(self.cloud.s3, self.region, Account(account.id, secret, account.token))
                    form = s3.generate_presigned_post(BUCKET, "plain form/${filename}")
                    body = os.urandom(1000)
                    answer = requests.post(form["url"], data=form["fields"], files={"file": ("+ é", body)}, timeout=10)
                    if code is None:
                        self.assertEqual((answer.status_code, answer.text), (204, ""))
                        got = s3.get_object(Bucket=BUCKET, Key="plain form/+ é")
                        self.assertEqual(got["Body"].read(), body)
                    else:
                        self.assertEqual(answer.status_code, 403)
                        self.assertIn(f"<Code>{code}</Code>", answer.text)


class Version2(S3TestCase):
    def test_url_names_what_to_set(self) -> None:
        url = plain_client(self.cloud.s3, "us-east-1").generate_presigned_url(
            "get_object", {"Bucket": BUCKET, "Key": "a"})
        self.assertIn("AWSAccessKeyId", fields_of(url))
        answer = requests.get(url, timeout=10)
        self.assertEqual(answer.status_code, 400)
        self.assertIn("signature_version", answer.text)

    def test_form_names_what_to_set(self) -> None:
        form = plain_client(self.cloud.s3, "us-east-1").generate_presigned_post(BUCKET, "a")
        self.assertIn("AWSAccessKeyId", form["fields"])
        answer = requests.post(form["url"], data=form["fields"], files={"file": b"abc"}, timeout=10)
        self.assertEqual(answer.status_code, 400)
        self.assertIn("signature_version", answer.text)

    def test_header_names_what_to_set(self) -> None:
        s3 = boto3.client("s3", endpoint_url=self.cloud.s3, region_name="us-east-1", aws_access_key_id=PERMANENT.id,
                          aws_secret_access_key=PERMANENT.secret, config=Config(signature_version="s3"))
        with self.assertRaises(ClientError) as caught:
            s3.list_buckets()
        self.assertIn("s3v4", caught.exception.response["Error"]["Message"])
