# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that the vendors' token-service SDKs get temporary keys from LocalCloud, which the storage SDKs can use.

The SDKs sign differently: RPC (HMAC-SHA1) of Alibaba, TC3-HMAC-SHA256 and both older schemes of Tencent, and the
scheme of the COS token SDK.
"""

import json
from collections.abc import Callable
from unittest import mock
from urllib.parse import quote

import oss2
import requests
from aliyunsdkcore.acs_exception.exceptions import ServerException
from aliyunsdkcore.client import AcsClient
from aliyunsdksts.request.v20150401.AssumeRoleRequest import AssumeRoleRequest as AlibabaAssumeRole
from cos_case import COSTestCase
from local_cloud import BUCKET, PERMANENT, UNKNOWN, Account, CloudTestCase
from qcloud_cos import CosServiceError
from sts.sts import Sts
from tencentcloud.common.credential import Credential
from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException
from tencentcloud.common.profile.client_profile import ClientProfile
from tencentcloud.common.profile.http_profile import HttpProfile
from tencentcloud.sts.v20180813.models import AssumeRoleRequest, GetFederationTokenRequest
from tencentcloud.sts.v20180813.sts_client import StsClient


WRONG = Account(PERMANENT.id, "another-secret")
COS_POLICY = quote(json.dumps(
    {"version": "2.0", "statement": [{"effect": "allow", "action": ["name/cos:*"], "resource": ["*"]}]}))


class AlibabaSTS(CloudTestCase):
    def assume(self, account: Account, **options: int) -> dict[str, str]:
        client = AcsClient(account.id, account.secret, "cn-hangzhou", port=self.cloud.services_port)
        request = AlibabaAssumeRole()
        request.set_endpoint("127.0.0.1")
        request.set_protocol_type("http")
        request.set_accept_format("json")
        request.set_RoleArn("acs:ram::1250000000:role/localcloud")
        request.set_RoleSessionName("alice")
        request.set_DurationSeconds(options.get("seconds", 900))
        return json.loads(client.do_action_with_exception(request))["Credentials"]

    def bucket(self, key: dict[str, str], token: str | None = None) -> oss2.Bucket:
        auth = oss2.StsAuth(key["AccessKeyId"], key["AccessKeySecret"], token or key["SecurityToken"],
                            auth_version=oss2.AUTH_VERSION_4)
        return oss2.Bucket(auth, self.cloud.oss, BUCKET, region="cn-hangzhou", is_path_style=True)

    def test_key_of_an_assumed_role_is_accepted(self) -> None:
        bucket = self.bucket(self.assume(PERMANENT))
        bucket.put_object("sts/alibaba", b"by a role")
        self.assertEqual(bucket.get_object("sts/alibaba").read(), b"by a role")

    def test_token_of_another_key_is_rejected(self) -> None:
        first, second = self.assume(PERMANENT), self.assume(PERMANENT)
        with self.assertRaises(oss2.exceptions.ServerError) as caught:
            self.bucket(first, second["SecurityToken"]).get_object("sts/alibaba")
        self.assertEqual(caught.exception.status, 403)

    def test_wrong_secret_unknown_key_and_short_lifetime_are_rejected(self) -> None:
        # The SDK reports InvalidAccessKeySecret if the service rejects the signature of the same string that it signed.
        for account, seconds, code in [(WRONG, 900, "InvalidAccessKeySecret"), (UNKNOWN, 900, "InvalidAccessKeyId.NotFound"),
                                       (PERMANENT, 899, "InvalidParameter.DurationSeconds")]:
            with self.subTest(code), self.assertRaises(ServerException) as caught:
                self.assume(account, seconds=seconds)
            self.assertEqual(caught.exception.error_code, code)


class TencentSTS(COSTestCase):
    METHODS = ["TC3-HMAC-SHA256", "HmacSHA1", "HmacSHA256"]

    def sts(self, account: Account, method: str) -> StsClient:
        http = HttpProfile(protocol="http", endpoint=f"127.0.0.1:{self.cloud.services_port}")
        profile = ClientProfile(signMethod=method, httpProfile=http)
        return StsClient(Credential(account.id, account.secret), "ap-guangzhou", profile)

    def federation(self, account: Account, method: str) -> Account:
        request = GetFederationTokenRequest()
        request.Name, request.Policy = "alice", COS_POLICY
        key = self.sts(account, method).GetFederationToken(request).Credentials
        return Account(key.TmpSecretId, key.TmpSecretKey, key.Token)

    def role(self, account: Account, method: str) -> Account:
        request = AssumeRoleRequest()
        request.RoleArn = "qcs::cam::uin/1250000000:roleName/localcloud"
        request.RoleSessionName, request.DurationSeconds = "alice", 1800
        key = self.sts(account, method).AssumeRole(request).Credentials
        return Account(key.TmpSecretId, key.TmpSecretKey, key.Token)

    def cos_sdk(self, account: Account) -> Account:
        """Returns a key of the token SDK of COS, which uses https unless its URL is changed."""
        post: Callable[..., requests.Response] = requests.post
        options = {"duration_seconds": 1800, "secret_id": account.id, "secret_key": account.secret,
                   "domain": f"127.0.0.1:{self.cloud.services_port}", "url": self.cloud.services + "/", "bucket": BUCKET,
                   "region": "ap-guangzhou", "allow_prefix": ["a/b c/*", "sts/*"],
                   "allow_actions": ["name/cos:PutObject", "name/cos:GetObject"]}
        with mock.patch("requests.post", lambda url, *rest, **named: post(url.replace("https://", "http://"), *rest, **named)):
            key = Sts(options).get_credential()["credentials"]
        return Account(key["tmpSecretId"], key["tmpSecretKey"], key["sessionToken"])

    def assertWorks(self, account: Account) -> None:
        client = self.client(account)
        client.put_object(Bucket=BUCKET, Key="sts/tencent", Body=b"for a while")
        answer = client.get_object(Bucket=BUCKET, Key="sts/tencent")
        self.assertEqual(answer["Body"].get_raw_stream().read(), b"for a while")
        with self.assertRaises(CosServiceError):
            self.client(Account(account.id, account.secret)).get_object(Bucket=BUCKET, Key="sts/tencent")

    def test_keys_of_every_signature_scheme_are_accepted_only_with_their_token(self) -> None:
        for method in self.METHODS:
            with self.subTest(method):
                self.assertWorks(self.federation(PERMANENT, method))
                self.assertWorks(self.role(PERMANENT, method))

    def test_key_of_the_cos_token_sdk_is_accepted(self) -> None:
        self.assertWorks(self.cos_sdk(PERMANENT))

    def test_wrong_secret_and_unknown_key_are_rejected(self) -> None:
        for method in self.METHODS:
            for account, code in [(WRONG, "AuthFailure.SignatureFailure"), (UNKNOWN, "AuthFailure.SecretIdNotFound")]:
                with self.subTest(method, code=code), self.assertRaises(TencentCloudSDKException) as caught:
                    self.federation(account, method)
                self.assertEqual(caught.exception.code, code)
        with self.assertRaises(Exception) as caught:
            self.cos_sdk(WRONG)
        self.assertIn("AuthFailure", str(caught.exception))
