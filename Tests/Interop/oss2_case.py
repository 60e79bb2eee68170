# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A base class of tests with oss2."""

from collections.abc import Callable
from typing import Any, ClassVar

import oss2
from local_cloud import BUCKET, PERMANENT, REGION, Account, CloudTestCase


class OSS2TestCase(CloudTestCase):
    version: ClassVar[str] = "v4"
    account: ClassVar[Account] = PERMANENT

    def bucket(self, account: Account | None = None, name: str = BUCKET, endpoint: str | None = None) -> oss2.Bucket:
        return oss2.Bucket(self.auth(account), endpoint or self.cloud.oss, name, **self.options)

    def auth(self, account: Account | None = None) -> Any:
        account = account or self.account
        if account.token is not None:
            return oss2.StsAuth(account.id, account.secret, account.token, self.version)
        return oss2.make_auth(account.id, account.secret, self.version)

    @property
    def options(self) -> dict[str, str]:
        return {"region": REGION} if self.version == "v4" else {}

    def assertRefused(
        self, code: str, call: Callable[..., Any], *arguments: Any, status: int = 403
    ) -> oss2.exceptions.OssError:
        with self.assertRaises(oss2.exceptions.OssError) as caught:
            call(*arguments)
        self.assertEqual((caught.exception.status, caught.exception.code), (status, code), caught.exception)
        self.assertTrue(caught.exception.request_id)
        return caught.exception
