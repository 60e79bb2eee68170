# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A base class of tests with boto3."""

import contextlib
import datetime
import os
from collections.abc import Callable, Iterator
from typing import Any, ClassVar
from unittest import mock

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from local_cloud import PERMANENT, Account, CloudTestCase

S3_REGION = "us-east-1"


def plain_environment() -> dict[str, str]:
    """Returns the environment without the keys, profiles and settings of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return kept | {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull,
                   "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


@contextlib.contextmanager
def clock_off_by(seconds: float) -> Iterator[None]:
    """Adds an offset to the clock of botocore's signers; the server keeps its own."""

    def now(remove_tzinfo: bool = True) -> datetime.datetime:
        instant = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        return instant.replace(tzinfo=None) if remove_tzinfo else instant

    # With awscrt, botocore uses the signers of the other module.
    with contextlib.ExitStack() as stack:
        for module in ("botocore.auth", "botocore.signers", "botocore.crt.auth"):
            stack.enter_context(mock.patch(f"{module}.get_current_datetime", now))
        yield


class S3TestCase(CloudTestCase):
    account: ClassVar[Account] = PERMANENT
    checksums: ClassVar[str] = "when_supported"

    @classmethod
    def setUpClass(cls) -> None:
        environment = mock.patch.dict(os.environ, plain_environment(), clear=True)
        environment.start()
        cls.addClassCleanup(environment.stop)
        super().setUpClass()

    def client(self, account: Account | None = None, region: str = S3_REGION, endpoint: str | None = None,
               service: str = "s3", style: str = "auto", plain: bool = False) -> Any:
        """Returns a client of the server, or with `plain` one of the vendor's hosts without encryption."""
        account = account or self.account
        config = Config(
            signature_version="s3v4" if service == "s3" else None, retries={"max_attempts": 1},
            request_checksum_calculation=self.checksums, response_checksum_validation=self.checksums,
            s3={"addressing_style": style})
        return boto3.client(
            service, endpoint_url=None if plain else endpoint or self.cloud.s3, use_ssl=not plain,
            region_name=region, aws_access_key_id=account.id,
            aws_secret_access_key=account.secret, aws_session_token=account.token, config=config)

    def assertRefused(self, code: str, call: Callable[..., Any], status: int = 403, **arguments: Any) -> dict[str, Any]:
        with self.assertRaises(ClientError) as caught:
            call(**arguments)
        response = caught.exception.response
        self.assertEqual((response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]), (status, code),
                         response)
        self.assertTrue(response["ResponseMetadata"]["RequestId"])
        self.assertTrue(response["ResponseMetadata"]["HostId"])
        return response["Error"]
