# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A base class of tests with alibabacloud-oss-v2."""

import datetime
from collections.abc import Callable
from typing import Any, ClassVar

import alibabacloud_oss_v2 as oss
from local_cloud import BUCKET, PERMANENT, REGION, Account, CloudTestCase


class OSSV2TestCase(CloudTestCase):
    version: ClassVar[str] = "v4"
    account: ClassVar[Account] = PERMANENT

    def client(self, account: Account | None = None, **options: Any) -> oss.Client:
        account = account or self.account
        settings = {
            "region": REGION, "endpoint": self.cloud.oss, "use_path_style": True, "retry_max_attempts": 1,
            "signature_version": self.version, "credentials_provider": oss.credentials.StaticCredentialsProvider(
                account.id, account.secret, account.token)}
        return oss.Client(oss.config.Config(**(settings | options)))

    def put(self, key: str, body: bytes, **options: Any) -> oss.PutObjectResult:
        return self.client().put_object(oss.PutObjectRequest(bucket=BUCKET, key=key, body=body, **options))

    def get(self, key: str, **options: Any) -> bytes:
        return self.client().get_object(oss.GetObjectRequest(bucket=BUCKET, key=key, **options)).body.read()

    def presign(self, request: Any, seconds: int = 60) -> Any:
        return self.client().presign(request, expires=datetime.timedelta(seconds=seconds))

    def assertRefused(self, code: str, call: Callable[[], Any], status: int = 403) -> oss.exceptions.ServiceError:
        with self.assertRaises(oss.exceptions.OperationError) as caught:
            call()
        error = caught.exception.unwrap()
        self.assertIsInstance(error, oss.exceptions.ServiceError, error)
        self.assertEqual((error.status_code, error.code), (status, code), error)
        self.assertTrue(error.request_id)
        return error
