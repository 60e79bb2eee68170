# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests storage-auth token-server as the container credentials endpoint of AWS's SDKs."""

import os
from typing import Any, ClassVar
from unittest import mock

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from caller_server import CALLERS
from local_cloud import BUCKET, PERMANENT
from s3_case import S3_REGION, S3TestCase
from test_token_server import TokenServer

ROLE = "arn:aws:iam::125000000000:role/localcloud"


class S3Tokens(S3TestCase):
    server: ClassVar[TokenServer]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = TokenServer(cls.cloud, "s3", "--role", ROLE)
        cls.addClassCleanup(cls.server.stop)

    def bucket(self, caller: str) -> Any:
        """Returns a boto3 client that gets its keys like in a container: only the URL of the server is configured."""
        address = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": self.server.url,
                   "AWS_CONTAINER_AUTHORIZATION_TOKEN": f"Bearer {CALLERS[caller]}"}
        with mock.patch.dict(os.environ, address):
            client = boto3.Session().client(
                "s3", endpoint_url=self.cloud.s3, region_name=S3_REGION,
                config=Config(signature_version="s3v4", retries={"max_attempts": 1}))
            client.list_objects_v2(Bucket=BUCKET, Prefix=f"u/{caller}/")  # Fetches the keys while the variables exist.
        return client

    def assert_refused(self, call: Any) -> None:
        with self.assertRaises(ClientError) as caught:
            call()
        self.assertEqual(caught.exception.response["Error"]["Code"], "AccessDenied")

    def test_key_is_accepted_only_inside_its_scope(self) -> None:
        mia, noah = self.bucket("mia"), self.bucket("noah")
        mia.put_object(Bucket=BUCKET, Key="u/mia/cat.jpg", Body=b"a cat")
        self.assertEqual(mia.get_object(Bucket=BUCKET, Key="u/mia/cat.jpg")["Body"].read(), b"a cat")
        listed = mia.list_objects_v2(Bucket=BUCKET, Prefix="u/mia/")["Contents"]
        self.assertEqual([entry["Key"] for entry in listed], ["u/mia/cat.jpg"])
        self.assert_refused(lambda: noah.get_object(Bucket=BUCKET, Key="u/mia/cat.jpg"))
        self.assert_refused(lambda: noah.put_object(Bucket=BUCKET, Key="u/mia/dog.jpg", Body=b"a dog"))
        self.assert_refused(lambda: noah.list_objects_v2(Bucket=BUCKET))
        self.assert_refused(lambda: mia.delete_object(Bucket=BUCKET, Key="u/mia/cat.jpg"))
        self.assert_refused(lambda: noah.copy_object(
            Bucket=BUCKET, Key="u/noah/cat.jpg", CopySource={"Bucket": BUCKET, "Key": "u/mia/cat.jpg"}))

    def test_unknown_callers_are_rejected(self) -> None:
        status, answer = self.server.get("token-of-nobody-0123456789")
        self.assertEqual((status, answer["code"]), (401, "Unauthorized"))
        self.assertNotIn("AccessKeyId", answer)
        self.assertNotIn(PERMANENT.secret, self.server.log)
