# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""A client of a signing server as in Sources/Core/StorageAuth/StorageAuth.docc/RemoteSigning.md, and SDK signers with it.

The SDKs create the strings to sign; their keys have no secret.
"""

import hashlib
import json
import urllib.error
import urllib.request
from typing import Any
from unittest import mock

import alibabacloud_oss_v2 as oss
import oss2
from alibabacloud_oss_v2.signer.v1 import SignerV1
from alibabacloud_oss_v2.signer.v4 import SignerV4
from caller_server import CALLERS
from qcloud_cos import cos_auth

NO_SECRET = "there is none"


class SigningRefused(Exception):
    """The error of a server that did not sign."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


class SigningServer:
    """A client of `POST /sign` and `GET /sign/identity` for one caller."""

    def __init__(self, url: str, caller: str | None) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {CALLERS.get(caller, caller)}"} if caller else {}
        self.refusals: list[tuple[int, str | None]] = []

    def _ask(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        headers = self._headers | ({"Content-Type": "application/json"} if body is not None else {})
        try:
            request = urllib.request.Request(self._url + path, data=body, headers=headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            self.refusals.append((error.code, answer.get("code")))
            raise SigningRefused(error.code, answer.get("code"), str(answer)) from None

    def identity(self, provider: str) -> tuple[str, str | None]:
        """Returns the access key ID, and the session token of a temporary key."""
        answer = self._ask(f"/identity?provider={provider}")
        return answer["accessKeyId"], answer.get("securityToken")

    def post(self, order: Any) -> dict[str, Any]:
        return self._ask("", order if isinstance(order, bytes) else json.dumps(order).encode())

    def sign(self, provider: str, version: str, text: str | bytes, canonical_request: str | bytes | None = None) -> str:
        """Returns only the signature."""
        def plain(value: str | bytes) -> str:
            return value.decode() if isinstance(value, bytes) else value

        first = plain(text if canonical_request is None else canonical_request).split("\n", 1)[0]
        order = {"provider": provider, "version": version, "method": first.upper(), "stringToSign": plain(text)}
        if canonical_request is not None:
            order["canonicalRequest"] = plain(canonical_request)
        answer = self.post(order)
        if version == "v1":
            return answer["authorization"].removeprefix("OSS ").rsplit(":", 1)[1]
        return answer["signature"]


class RemoteAuthV1(oss2.ProviderAuth):
    """oss2's V1 with remote signatures."""

    def __init__(self, server: SigningServer) -> None:
        key_id, token = server.identity("oss")
        super().__init__(oss2.credentials.StaticCredentialsProvider(key_id, NO_SECRET, token))
        self._server = server

    def _ProviderAuth__make_signature(self, req: Any, bucket_name: str, key: str, credentials: Any) -> str:
        return self._server.sign("oss", "v1", self._ProviderAuth__get_bytes_to_sign(req, bucket_name, key))


class RemoteAuthV4(oss2.ProviderAuthV4):
    """oss2's V4 with remote signatures."""

    def __init__(self, server: SigningServer) -> None:
        key_id, token = server.identity("oss")
        super().__init__(oss2.credentials.StaticCredentialsProvider(key_id, NO_SECRET, token))
        self._server = server

    def _ProviderAuthV4__make_signature(
        self, req: Any, bucket_name: str, key: str, additional: Any, credentials: Any, date_time: str
    ) -> str:
        canonical = self._ProviderAuthV4__get_canonical_request_bytes(req, bucket_name, key, additional)
        text = self._ProviderAuthV4__get_string_to_sign_bytes(req, canonical, date_time)
        return self._server.sign("oss", "v4", text, canonical)


class RemoteSignerV1(SignerV1):
    """alibabacloud-oss-v2's V1 with remote signatures."""

    def __init__(self, server: SigningServer) -> None:
        self._server = server

    def _calc_signature(self, access_key_secrect: str, string_to_sign: str) -> str:
        return self._server.sign("oss", "v1", string_to_sign)


class RemoteSignerV4(SignerV4):
    """alibabacloud-oss-v2's V4 with remote signatures.

    The option `additional_headers` of the SDK's client does not reach its signer, so they are named here.
    """

    def __init__(self, server: SigningServer, *additional_headers: str) -> None:
        self._server = server
        self._additional_headers = set(additional_headers)
        self._canonical_request = ""

    def _common_additional_headers(self, request: Any, additional_headers: Any = None) -> Any:
        return super()._common_additional_headers(request, self._additional_headers)

    def _calc_canonical_request(self, *arguments: Any, **options: Any) -> str:
        self._canonical_request = super()._calc_canonical_request(*arguments, **options)
        return self._canonical_request

    def _calc_signature(
        self, access_key_secrect: str, date: str, region: str, product: str, string_to_sign: str
    ) -> str:
        return self._server.sign("oss", "v4", string_to_sign, self._canonical_request)


def oss_v2_credentials(server: SigningServer) -> Any:
    """Returns the identity of the server as credentials of alibabacloud-oss-v2."""
    key_id, token = server.identity("oss")
    return oss.credentials.StaticCredentialsProvider(key_id, NO_SECRET, token)


def cos_auth_class(server: SigningServer) -> type[cos_auth.CosS3Auth]:
    """Returns the COS SDK's signer with remote signatures.

    It does not separate the string to sign from the signature, so its two hash modules are replaced: the hashed text is
    the canonical request, and the last authenticated text is the string to sign.
    """

    class Texts:
        def __init__(self) -> None:
            self.canonical_request = b""

        def sha1(self) -> Any:
            texts, digest = self, hashlib.sha1()
            recorder = mock.Mock()

            def update(text: bytes) -> None:
                texts.canonical_request = text
                digest.update(text)

            recorder.update, recorder.hexdigest = update, digest.hexdigest
            return recorder

        def new(self, key: bytes, text: bytes, kind: Any) -> Any:
            is_window = b"\n" not in text
            signature = "" if is_window else server.sign("cos", "v5", text, self.canonical_request)
            return mock.Mock(hexdigest=lambda: signature)

    class RemoteCosAuth(cos_auth.CosS3Auth):
        def __init__(self, conf: Any, key: Any = None, params: Any = {}, expire: int = 600, sign_host: Any = None):
            super().__init__(conf, key, params, expire, sign_host)

        def __call__(self, request: Any) -> Any:
            texts = Texts()
            with mock.patch.object(cos_auth, "hashlib", texts), mock.patch.object(cos_auth, "hmac", texts):
                return super().__call__(request)

    return RemoteCosAuth
