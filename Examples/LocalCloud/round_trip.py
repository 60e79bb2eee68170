# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Stores an object in OSS, COS and S3 with the vendors' SDKs, and reads it back."""

import os

import boto3
import oss2
from botocore.config import Config
from qcloud_cos import CosConfig, CosS3Client

BUCKET, ID, SECRET = "photos-1250000000", "test-id", "test-secret"
# The names and the ports of compose.yaml.
OSS, COS, S3 = (os.environ.get(name, host) for name, host in (
    ("OSS", "oss.test:9000"), ("COS", "cos.test:9001"), ("S3", "s3.test:9002")))


def oss() -> bytes:
    bucket = oss2.Bucket(oss2.AuthV4(ID, SECRET), f"http://{OSS}", BUCKET, region="cn-hangzhou", is_path_style=True)
    bucket.put_object("greeting", b"hello")
    return bucket.get_object("greeting").read()


def cos() -> bytes:
    client = CosS3Client(CosConfig(SecretId=ID, SecretKey=SECRET, Region="ap-guangzhou", Endpoint=COS, Scheme="http"))
    client.put_object(Bucket=BUCKET, Key="greeting", Body=b"hello")
    return client.get_object(Bucket=BUCKET, Key="greeting")["Body"].get_raw_stream().read()


def s3() -> bytes:
    client = boto3.client("s3", endpoint_url=f"http://{S3}", region_name="eu-central-1", aws_access_key_id=ID,
                          aws_secret_access_key=SECRET, config=Config(s3={"addressing_style": "path"}))
    client.put_object(Bucket=BUCKET, Key="greeting", Body=b"hello")
    return client.get_object(Bucket=BUCKET, Key="greeting")["Body"].read()


for service in (oss, cos, s3):
    assert service() == b"hello", service.__name__
    print(f"{service.__name__}: stored and read")
