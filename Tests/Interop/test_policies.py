# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests keys for one folder with the vendors' SDKs: they are accepted there and rejected elsewhere.

The policies are those of the vendors' documentation; the token SDK of COS creates its own.
"""

import json
from collections.abc import Callable
from typing import Any
from unittest import mock
from urllib.parse import quote

import oss2
import requests
from aliyunsdkcore.acs_exception.exceptions import ServerException
from aliyunsdkcore.client import AcsClient
from aliyunsdksts.request.v20150401.AssumeRoleRequest import AssumeRoleRequest
from cos_case import COSTestCase
from local_cloud import BUCKET, OTHER_BUCKET, PERMANENT, Account
from oss2_case import OSS2TestCase
from sts.sts import Scope, Sts
from tencentcloud.common.credential import Credential
from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException
from tencentcloud.common.profile.client_profile import ClientProfile
from tencentcloud.common.profile.http_profile import HttpProfile
from tencentcloud.sts.v20180813.models import GetFederationTokenRequest
from tencentcloud.sts.v20180813.sts_client import StsClient

FOLDER = "uploads/alice/"
OUTSIDE = ["uploads/bob/a", "a", "uploads/alice", "uploads/alice2/a"]

RAM_POLICY = {
    "Version": "1",
    "Statement": [
        {"Effect": "Allow",
         "Action": ["oss:GetObject", "oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts", "oss:DeleteObject"],
         "Resource": [f"acs:oss:*:*:{BUCKET}/{FOLDER}*"]},
        {"Effect": "Allow", "Action": ["oss:ListObjects"], "Resource": [f"acs:oss:*:*:{BUCKET}"],
         "Condition": {"StringLike": {"oss:Prefix": f"{FOLDER}*"}}},
    ],
}

UPLOAD = ["name/cos:" + action for action in (
    "PutObject", "PostObject", "InitiateMultipartUpload", "ListMultipartUploads", "ListParts", "UploadPart",
    "CompleteMultipartUpload", "AbortMultipartUpload")]
MORE = ["name/cos:" + action for action in (
    "GetObject", "HeadObject", "DeleteObject", "DeleteMultipleObjects", "GetBucket")]

CAM_POLICY = {
    "version": "2.0",
    "statement": [{"effect": "allow", "action": UPLOAD + MORE,
                   "resource": [f"qcs::cos:ap-guangzhou:uid/1250000000:{BUCKET}/{FOLDER}*"]}],
}


class OSSWithin(OSS2TestCase):
    def assume(self, policy: Any) -> Account:
        client = AcsClient(PERMANENT.id, PERMANENT.secret, "cn-hangzhou", port=self.cloud.services_port)
        request = AssumeRoleRequest()
        request.set_endpoint("127.0.0.1")
        request.set_protocol_type("http")
        request.set_accept_format("json")
        request.set_RoleArn("acs:ram::1250000000:role/localcloud")
        request.set_RoleSessionName("alice")
        request.set_Policy(json.dumps(policy))
        key = json.loads(client.do_action_with_exception(request))["Credentials"]
        return Account(key["AccessKeyId"], key["AccessKeySecret"], key["SecurityToken"])

    @property
    def options(self) -> dict[str, Any]:
        return super().options | {"is_path_style": True}

    def test_access_inside_the_folder_is_allowed(self) -> None:
        bucket = self.bucket(self.assume(RAM_POLICY))
        bucket.put_object(FOLDER + "a", b"hers")
        self.assertEqual(bucket.get_object(FOLDER + "a").read(), b"hers")
        self.assertEqual(bucket.head_object(FOLDER + "a").content_length, 4)
        bucket.copy_object(BUCKET, FOLDER + "a", FOLDER + "b")
        upload = bucket.init_multipart_upload(FOLDER + "c").upload_id
        part = bucket.upload_part(FOLDER + "c", upload, 1, b"x" * 1000)
        self.assertEqual(len(bucket.list_parts(FOLDER + "c", upload).parts), 1)
        bucket.complete_multipart_upload(FOLDER + "c", upload, [oss2.models.PartInfo(1, part.etag)])
        keys = [found.key for found in oss2.ObjectIteratorV2(bucket, prefix=FOLDER)]
        self.assertEqual(keys, [FOLDER + name for name in "abc"])
        bucket.batch_delete_objects([FOLDER + "a", FOLDER + "b"])
        bucket.delete_object(FOLDER + "c")
        self.assertEqual(list(oss2.ObjectIterator(bucket, prefix=FOLDER)), [])

    def test_access_outside_the_folder_is_denied(self) -> None:
        owner, account = self.bucket(PERMANENT), self.assume(RAM_POLICY)
        bucket = self.bucket(account)
        for key in OUTSIDE + [FOLDER + "a"]:
            owner.put_object(key, b"kept")
        for key in OUTSIDE:
            self.assertRefused("AccessDenied", bucket.put_object, key, b"overwritten")
            self.assertRefused("AccessDenied", bucket.get_object, key)
            self.assertRefused("AccessDenied", bucket.delete_object, key)
            self.assertRefused("AccessDenied", bucket.copy_object, BUCKET, key, FOLDER + "stolen")
            self.assertRefused("AccessDenied", bucket.copy_object, BUCKET, FOLDER + "a", key)
            self.assertRefused("AccessDenied", bucket.init_multipart_upload, key)
            self.assertRefused("AccessDenied", bucket.batch_delete_objects, [FOLDER + "a", key])
            self.assertEqual(owner.get_object(key).read(), b"kept")
        self.assertEqual(owner.get_object(FOLDER + "a").read(), b"kept")
        for call in (bucket.list_objects, bucket.list_objects_v2, bucket.get_bucket_acl, bucket.delete_bucket):
            self.assertRefused("AccessDenied", call)
        self.assertRefused("AccessDenied", bucket.list_objects, "uploads/")
        self.assertRefused("AccessDenied", self.bucket(account, OTHER_BUCKET).put_object, FOLDER + "a", b"")
        error = self.assertRefused("AccessDenied", bucket.get_object, OUTSIDE[0])
        self.assertEqual(error.details["EC"], "0003-00000301")

    def test_invalid_policy_is_rejected(self) -> None:
        for policy in ({}, RAM_POLICY | {"Version": "2"}, CAM_POLICY):
            with self.assertRaises(ServerException) as caught:
                self.assume(policy)
            self.assertEqual(caught.exception.error_code, "InvalidParameter.PolicyGrammar")


class COSWithin(COSTestCase):
    def federation(self, policy: Any) -> Account:
        http = HttpProfile(protocol="http", endpoint=f"127.0.0.1:{self.cloud.services_port}")
        client = StsClient(Credential(PERMANENT.id, PERMANENT.secret), "ap-guangzhou", ClientProfile(httpProfile=http))
        request = GetFederationTokenRequest()
        request.Name, request.Policy = "alice", quote(json.dumps(policy))
        key = client.GetFederationToken(request).Credentials
        return Account(key.TmpSecretId, key.TmpSecretKey, key.Token)

    def token_sdk(self, options: dict[str, Any]) -> Account:
        """Returns a key of the token SDK of COS, which uses https unless its URL is changed."""
        post: Callable[..., requests.Response] = requests.post
        options = {"duration_seconds": 1800, "secret_id": PERMANENT.id, "secret_key": PERMANENT.secret,
                   "domain": f"127.0.0.1:{self.cloud.services_port}", "url": self.cloud.services + "/"} | options
        with mock.patch("requests.post", lambda url, *rest, **named: post(url.replace("https://", "http://"), *rest, **named)):
            key = Sts(options).get_credential()["credentials"]
        return Account(key["tmpSecretId"], key["tmpSecretKey"], key["sessionToken"])

    def ways(self) -> dict[str, Account]:
        named = {"bucket": BUCKET, "region": "ap-guangzhou", "allow_prefix": [FOLDER + "*"], "allow_actions": UPLOAD + MORE}
        scopes = [Scope(action, BUCKET, "ap-guangzhou", FOLDER + "*") for action in UPLOAD + MORE]
        return {"the documented policy": self.federation(CAM_POLICY), "allow_prefix": self.token_sdk(named),
                "scopes": self.token_sdk({"policy": Sts.get_policy(scopes), "region": "ap-guangzhou"})}

    def test_access_inside_the_folder_is_allowed(self) -> None:
        for name, account in self.ways().items():
            with self.subTest(name):
                client = self.client(account)
                client.put_object(Bucket=BUCKET, Key=FOLDER + "a", Body=b"hers")
                answer = client.get_object(Bucket=BUCKET, Key=FOLDER + "a")
                self.assertEqual(answer["Body"].get_raw_stream().read(), b"hers")
                self.assertEqual(client.head_object(Bucket=BUCKET, Key=FOLDER + "a")["Content-Length"], "4")
                upload = client.create_multipart_upload(Bucket=BUCKET, Key=FOLDER + "c")["UploadId"]
                part = client.upload_part(Bucket=BUCKET, Key=FOLDER + "c", Body=b"x" * 1000, PartNumber=1, UploadId=upload)
                client.list_multipart_uploads(Bucket=BUCKET, Prefix=FOLDER)
                client.complete_multipart_upload(
                    Bucket=BUCKET, Key=FOLDER + "c", UploadId=upload,
                    MultipartUpload={"Part": [{"PartNumber": 1, "ETag": part["ETag"]}]})
                found = client.list_objects(Bucket=BUCKET, Prefix=FOLDER)["Contents"]
                self.assertEqual([entry["Key"] for entry in found], [FOLDER + "a", FOLDER + "c"])
                client.delete_objects(Bucket=BUCKET, Delete={"Object": [{"Key": FOLDER + "a"}]})
                client.delete_object(Bucket=BUCKET, Key=FOLDER + "c")

    def test_access_outside_the_folder_is_denied(self) -> None:
        owner = self.client(PERMANENT)
        for key in OUTSIDE + [FOLDER + "a"]:
            owner.put_object(Bucket=BUCKET, Key=key, Body=b"kept")
        for name, account in self.ways().items():
            client = self.client(account)
            source = {"Bucket": BUCKET, "Region": "ap-guangzhou"}
            for key in OUTSIDE:
                with self.subTest(name, key=key):
                    here: dict[str, Any] = {"Bucket": BUCKET, "Key": key}
                    inside: dict[str, Any] = {"Bucket": BUCKET, "Key": FOLDER + "stolen"}
                    for call in (
                        lambda: client.put_object(**here, Body=b"overwritten"), lambda: client.get_object(**here),
                        lambda: client.delete_object(**here), lambda: client.create_multipart_upload(**here),
                        lambda: client.copy_object(**inside, CopySource=source | {"Key": key}),
                        lambda: client.copy_object(**here, CopySource=source | {"Key": FOLDER + "a"}),
                        lambda: client.delete_objects(
                            Bucket=BUCKET, Delete={"Object": [{"Key": FOLDER + "a"}, {"Key": key}]}),
                    ):
                        self.assertRefused("AccessDenied", call)
                    self.assertEqual(self.get(key), b"kept")
            self.assertEqual(self.get(FOLDER + "a"), b"kept")
            for call in (
                lambda: client.list_objects(Bucket=BUCKET), lambda: client.list_objects(Bucket=BUCKET, Prefix="uploads/"),
                lambda: client.list_multipart_uploads(Bucket=BUCKET), lambda: client.get_bucket_acl(Bucket=BUCKET),
                lambda: client.delete_bucket(Bucket=BUCKET),
                lambda: client.put_object(Bucket=OTHER_BUCKET, Key=FOLDER + "a", Body=b""),
            ):
                self.assertRefused("AccessDenied", call)

    def test_invalid_policy_is_rejected(self) -> None:
        for policy in ({}, CAM_POLICY | {"version": "1"}, RAM_POLICY):
            with self.assertRaises(TencentCloudSDKException) as caught:
                self.federation(policy)
            self.assertEqual(caught.exception.code, "InvalidParameter.StrategyFormatError")
