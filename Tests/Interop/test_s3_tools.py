# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the AWS command line against LocalCloud."""

import os

from local_cloud import BUCKET, OTHER_BUCKET, PERMANENT, TEMPORARY, Account
from s3_case import S3_REGION
from tool_case import ToolTestCase

LARGE = 20 << 20


class AWSCommandLine(ToolTestCase):
    def aws(self, *arguments: str, account: Account = PERMANENT, status: int = 0) -> str:
        return self.run_tool(
            self.beside_python("aws"), "--endpoint-url", self.cloud.s3, "--region", S3_REGION, *arguments,
            environment=account.environment, status=status)

    def test_files_are_uploaded_and_downloaded(self) -> None:
        for account in (PERMANENT, TEMPORARY):
            with self.subTest(account.id):
                for size in (0, 1000, LARGE):
                    body = os.urandom(size)
                    path = self.file("sent +é", body)
                    where = f"s3://{BUCKET}/aws/dir +é/{size}"
                    self.aws("s3", "cp", "--quiet", path, where, account=account)
                    self.aws("s3", "cp", "--quiet", where, f"s3://{OTHER_BUCKET}/aws/{size}", account=account)
                    back = self.folder / "back"
                    self.aws("s3", "cp", "--quiet", f"s3://{OTHER_BUCKET}/aws/{size}", str(back), account=account)
                    self.assertEqual(back.read_bytes(), body)
                listed = self.aws("s3", "ls", "--recursive", f"s3://{BUCKET}/aws/", account=account)
                self.assertEqual(len(listed.splitlines()), 3)
                self.aws("s3", "rm", "--quiet", "--recursive", f"s3://{BUCKET}/aws/", account=account)
                self.assertEqual(self.aws("s3", "ls", f"s3://{BUCKET}/aws/", account=account, status=1), "")

    def test_sync_and_buckets(self) -> None:
        for name in ("a", "b/c", "b/d e"):
            self.file(f"tree/{name}", name.encode())
        self.aws("s3", "mb", "s3://aws-made")
        self.aws("s3", "sync", "--quiet", str(self.folder / "tree"), "s3://aws-made/tree")
        self.aws("s3", "sync", "--quiet", "s3://aws-made/tree", str(self.folder / "copy"))
        self.assertEqual((self.folder / "copy" / "b" / "d e").read_bytes(), b"b/d e")
        self.aws("s3", "rb", "--force", "s3://aws-made")
        self.assertNotIn("aws-made", self.aws("s3", "ls"))

    def test_errors_are_reported(self) -> None:
        self.assertIn("SignatureDoesNotMatch",
                      self.aws("s3", "ls", f"s3://{BUCKET}", account=Account(PERMANENT.id, "wrong"), status=1))
        self.assertIn("InvalidAccessKeyId", self.aws("s3", "ls", account=Account("nobody", "wrong"), status=1))
