# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Base classes of tests with the COS SDK."""

from collections.abc import Callable
from typing import Any, ClassVar

from local_cloud import BUCKET, PERMANENT, Account, CloudTestCase
from qcloud_cos import CosConfig, CosS3Client, CosServiceError

REGION = "ap-guangzhou"


class COSTestCase(CloudTestCase):
    account: ClassVar[Account] = PERMANENT

    def client(self, account: Account | None = None, **options: Any) -> CosS3Client:
        """Returns a client with the bucket in the host, as on the real service; the host resolves to this machine."""
        account = account or self.account
        settings = {"Endpoint": self.endpoint, "Scheme": "http", "SecretId": account.id, "SecretKey": account.secret,
                    "Token": account.token, "ServiceDomain": f"service.cos.localhost:{self.cloud.cos_port}"}
        return CosS3Client(CosConfig(**(settings | self.addressing | options)), retry=0)

    @property
    def endpoint(self) -> str:
        return f"cos.{REGION}.localhost:{self.cloud.cos_port}"

    @property
    def addressing(self) -> dict[str, Any]:
        """The address of the server, if it differs from the endpoint."""
        return {}

    def put(self, key: str, body: bytes, **options: Any) -> dict[str, Any]:
        return self.client().put_object(Bucket=BUCKET, Key=key, Body=body, **options)

    def get(self, key: str, **options: Any) -> bytes:
        return self.client().get_object(Bucket=BUCKET, Key=key, **options)["Body"].get_raw_stream().read()

    def presign(self, method: str, key: str, seconds: int = 60, **options: Any) -> str:
        options["Headers"] = dict(options.get("Headers", {}))  # The SDK adds an Authorization to the dictionary.
        if self.account.token is not None:  # The SDK requires its user to add the token.
            options["Params"] = options.get("Params", {}) | {"x-cos-security-token": self.account.token}
        if self.strict:  # The SDK signs the host of the URL without its port.
            options["Headers"]["Host"] = f"{BUCKET}.{self.endpoint}"
        return self.client(IP=None, Endpoint=self.endpoint).get_presigned_url(
            Bucket=BUCKET, Key=key, Method=method, Expired=seconds, **options)

    def keys(self, **options: Any) -> list[str]:
        keys: list[str] = []
        marker = ""
        while True:
            page = self.client().list_objects(Bucket=BUCKET, Marker=marker, **options)
            keys += [found["Key"] for found in page.get("Contents", [])]
            if page["IsTruncated"] == "false":
                return keys
            marker = page["NextMarker"]

    def assertRefused(self, code: str, call: Callable[[], Any], status: int = 403) -> CosServiceError:
        with self.assertRaises(CosServiceError) as caught:
            call()
        error = caught.exception
        self.assertEqual((error.get_status_code(), error.get_error_code()), (status, code), error)
        self.assertNotIn(error.get_request_id(), ("", "Unknown"))
        return error


class COSStrictTestCase(COSTestCase):
    """Tests in strict mode: host, content length, token and all parameters must be signed, as by the SDK by default.

    Strict mode also requires the port of the host to be signed, which the SDK omits; the host has no port here.
    """

    strict = True

    @property
    def addressing(self) -> dict[str, Any]:
        return {"Endpoint": f"cos.{REGION}.myqcloud.com", "IP": "127.0.0.1", "Port": self.cloud.cos_port}
