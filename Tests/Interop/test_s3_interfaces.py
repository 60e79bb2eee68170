# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""boto3 against the S3-compatible interfaces of OSS and COS, and with Signature Version 2."""

import os
import urllib.parse
from typing import Any

import boto3
import requests
from botocore.config import Config
from botocore.exceptions import ClientError
from local_cloud import BUCKET, PERMANENT
from s3_case import S3TestCase


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


class Version2(S3TestCase):
    def plain_client(self, region: str) -> Any:
        return boto3.client("s3", endpoint_url=self.cloud.s3, region_name=region, aws_access_key_id=PERMANENT.id,
                            aws_secret_access_key=PERMANENT.secret, config=Config(retries={"max_attempts": 1}))

    def test_url_names_what_to_set(self) -> None:
        url = self.plain_client("us-east-1").generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "a"})
        self.assertIn("AWSAccessKeyId", urllib.parse.parse_qs(urllib.parse.urlsplit(url).query))
        answer = requests.get(url, timeout=10)
        self.assertEqual(answer.status_code, 400)
        self.assertIn("signature_version", answer.text)
        newer = self.plain_client("eu-central-1").generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "a"})
        self.assertIn("X-Amz-Signature", urllib.parse.parse_qs(urllib.parse.urlsplit(newer).query))

    def test_header_names_what_to_set(self) -> None:
        s3 = boto3.client("s3", endpoint_url=self.cloud.s3, region_name="us-east-1", aws_access_key_id=PERMANENT.id,
                          aws_secret_access_key=PERMANENT.secret, config=Config(signature_version="s3"))
        with self.assertRaises(ClientError) as caught:
            s3.list_buckets()
        self.assertIn("s3v4", caught.exception.response["Error"]["Message"])
