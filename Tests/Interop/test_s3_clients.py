# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the same operations with many clients of S3, and the objects that each has stored with one of them."""

import functools
import hashlib
import os
from collections.abc import Callable

from local_cloud import BUCKET, PERMANENT, TEMPORARY, UNKNOWN, Account
from s3_case import S3_REGION
from s3_clients import PART, Boto3, Minio, Obstore, PyArrow, S3Client, S3FS, SmartOpen
from s3_programs import Rclone, S3cmd, rclone_program
from tool_case import ToolTestCase

# Keys that every client can name: pyarrow has no folders without a name, rclone and s3cmd no files named `..`.
NAMES = ["a b+c%2F/文.txt", "a=b&c?d#e", "~!*'();:@,[]", "😀/%41"]
LARGE = 2 * PART + 1000


def told(error: BaseException | None) -> str:
    """Returns the message of an error, with those of the errors that led to it."""
    return "" if error is None else f"{error}\n{told(error.__cause__ or error.__context__)}"


class Clients(ToolTestCase):
    def assertSame(self, received: dict[str, bytes], bodies: dict[str, bytes]) -> None:
        """Compares digests, because unittest needs minutes to show how large bodies differ."""
        digests = [{key: (len(body), hashlib.sha256(body).hexdigest()) for key, body in side.items()}
                   for side in (received, bodies)]
        self.assertEqual(*digests)

    def check(self, open_client: Callable[[Account], S3Client], endpoint: str | None = None,
              region: str = S3_REGION) -> None:
        """Tests a client at an endpoint, which is that of S3 by default."""
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account.id):
                self.check_objects(open_client(account), endpoint, region)
        for refused, code in {Account(PERMANENT.id, "wrong"): "SignatureDoesNotMatch",
                              Account(TEMPORARY.id, TEMPORARY.secret, "wrong"): "InvalidToken",
                              UNKNOWN: "InvalidAccessKeyId"}.items():
            with self.subTest(refused.argument):
                with self.assertRaises(Exception) as caught:
                    # A request with GET, because the response to a HEAD has no document with the code.
                    open_client(refused).names("any/")
                # pyarrow writes codes as SIGNATURE_DOES_NOT_MATCH.
                self.assertIn(code.lower(), told(caught.exception).replace("_", "").lower())

    def check_objects(self, client: S3Client, endpoint: str | None, region: str) -> None:
        root = self._testMethodName
        bodies = {f"{root}/{name}": os.urandom(100) for name in NAMES}
        bodies |= {f"{root}/empty": b"", f"{root}/large": os.urandom(LARGE), f"{root}/small": b"0123456789"}
        client.put_all(bodies)

        witness = self.client(endpoint=endpoint, region=region)

        def stored() -> dict[str, bytes]:
            entries = witness.list_objects_v2(Bucket=BUCKET, Prefix=root).get("Contents", [])
            return {entry["Key"]: witness.get_object(Bucket=BUCKET, Key=entry["Key"])["Body"].read()
                    for entry in entries}

        self.assertSame(stored(), bodies)
        self.assertRegex(witness.head_object(Bucket=BUCKET, Key=f"{root}/large")["ETag"], '-[23]"$')
        self.assertSame(client.get_all(root, list(bodies)), bodies)
        self.assertEqual(client.read(f"{root}/small", 3, 7), b"3456")
        names = [f"{root}/{name.split('/')[0]}/" if "/" in name else f"{root}/{name}" for name in NAMES]
        self.assertEqual(sorted(client.names(f"{root}/")),
                         sorted([*names, f"{root}/empty", f"{root}/large", f"{root}/small"]))
        client.copy(f"{root}/{NAMES[0]}", f"{root}/copied +%2B/é")
        bodies[f"{root}/copied +%2B/é"] = bodies[f"{root}/{NAMES[0]}"]
        self.assertSame(stored(), bodies)
        client.delete_all(root, list(bodies))
        self.assertSame(stored(), {})

    def test_boto3_defaults(self) -> None:
        self.check(functools.partial(Boto3, self.cloud.s3, S3_REGION))

    def test_smart_open(self) -> None:
        self.check(functools.partial(SmartOpen, self.cloud.s3, S3_REGION))

    def test_pyarrow(self) -> None:
        self.check(functools.partial(PyArrow, self.cloud.s3, S3_REGION))

    def test_obstore(self) -> None:
        self.check(functools.partial(Obstore, self.cloud.s3, S3_REGION))

    def test_minio(self) -> None:
        self.check(functools.partial(Minio, self.cloud.s3, S3_REGION))

    def test_s3fs(self) -> None:
        self.check(functools.partial(S3FS, self.cloud.s3, S3_REGION))

    def test_s3cmd(self) -> None:
        self.check(lambda account: S3cmd(self, account, self.cloud.s3, S3_REGION))

    def test_clients_of_oss_and_cos(self) -> None:
        """Tests the clients that send no bodies in chunks, and a Content-MD5 with a deletion."""
        for client in (Obstore, Minio):
            for endpoint, region in ((self.cloud.oss, "cn-hangzhou"), (self.cloud.cos, "ap-guangzhou")):
                with self.subTest(client=client.__name__, region=region):
                    self.check(functools.partial(client, endpoint, region), endpoint, region)

    def check_rclone(self, provider: str, host: str, proxy: str, region: str) -> None:
        """Tests rclone with the service's own host, which the proxy serves, or without a proxy."""
        program = rclone_program()
        self.check(lambda account: Rclone(self, account, program, provider, host, proxy), proxy or host, region)

    def test_rclone_other(self) -> None:
        self.check_rclone("Other", self.cloud.s3, "", S3_REGION)

    def test_rclone_aws(self) -> None:
        self.check_rclone("AWS", f"http://s3.{S3_REGION}.amazonaws.com", self.cloud.s3, S3_REGION)

    def test_rclone_alibaba(self) -> None:
        self.check_rclone("Alibaba", "http://oss-cn-hangzhou.aliyuncs.com", self.cloud.oss, "cn-hangzhou")

    def test_rclone_tencent(self) -> None:
        self.check_rclone("TencentCOS", "http://cos.ap-guangzhou.myqcloud.com", self.cloud.cos, "ap-guangzhou")
