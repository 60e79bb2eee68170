# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests V4 signatures with `Date` instead of x-oss-date, like the vendor's Go SDK v1 and ossutil, on LocalCloud."""

import datetime
import http.client
import urllib.parse

from local_cloud import BUCKET, PERMANENT, REGION, TEMPORARY, Account, CloudTestCase
from v4_date_vectors import encoded, signed


class GoV1(CloudTestCase):
    account: Account = PERMANENT

    def send(
        self, method: str, key: str, body: bytes = b"", *, query: list[list[str]] | None = None,
        headers: list[list[str]] | None = None, secret: str | None = None,
        at: datetime.datetime | None = None, swapped: str | None = None
    ) -> tuple[int, bytes]:
        """Signs like oss/auth.go and sends the request; `swapped` is a Date that replaces the signed one."""
        query = query or []
        now = at or datetime.datetime.now(datetime.timezone.utc)
        date = now.strftime("%a, %d %b %Y %H:%M:%S GMT")
        sent = [["Date", date], ["X-Oss-Content-Sha256", "UNSIGNED-PAYLOAD"], *(headers or [])]
        if self.account.token is not None:
            sent.append(["X-Oss-Security-Token", self.account.token])
        scope = f"{now:%Y%m%d}/{REGION}/oss/aliyun_v4_request"
        _, _, signature = signed(
            secret or self.account.secret, method, encoded(f"/{BUCKET}/{key}", "/"), query, sent, [], date, scope)
        authorization = f"OSS4-HMAC-SHA256 Credential={self.account.id}/{scope},Signature={signature}"
        path = encoded(f"/{BUCKET}/{key}", "/")
        if query:
            path += "?" + "&".join(f"{encoded(name)}={encoded(value)}" if value else encoded(name)
                                   for name, value in query)
        fields = dict(sent) | {"Authorization": authorization}
        if swapped is not None:
            fields["Date"] = swapped
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.cloud.oss).netloc, timeout=30)
        try:
            connection.request(method, path, body=body if method == "PUT" else None, headers=fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def test_put_get_list_delete(self) -> None:
        key = f"go/{type(self).__name__}/a b+c%2F/文?.txt"
        headers = [["Content-Type", "text/x-note"], ["X-Oss-Meta-Author", "a, b  c"]]
        self.assertEqual(self.send("PUT", key, b"abc", headers=headers)[0], 200)
        self.assertEqual(self.send("GET", key), (200, b"abc"))
        status, listed = self.send("GET", "", query=[["list-type", "2"], ["prefix", key], ["encoding-type", "url"]])
        self.assertEqual(status, 200)
        self.assertEqual(listed.count(b"<Contents>"), 1)
        self.assertEqual(self.send("GET", key, query=[["acl", ""]])[0], 200)
        self.assertEqual(self.send("DELETE", key)[0], 204)
        self.assertEqual(self.send("GET", key)[0], 404)

    def test_wrong_dates_and_signatures_are_rejected(self) -> None:
        status, text = self.send("GET", "x", secret="wrong")
        self.assertEqual(status, 403)
        self.assertIn(b"SignatureDoesNotMatch", text)
        now = datetime.datetime.now(datetime.timezone.utc)
        for minutes in (-16, 16):
            self.assertIn(self.send("GET", "x", at=now + datetime.timedelta(minutes=minutes))[0], (400, 403))
        later = (now + datetime.timedelta(seconds=61)).strftime("%a, %d %b %Y %H:%M:%S GMT")
        self.assertIn(self.send("GET", "x", swapped=later)[0], (400, 403))
        for date in ("", "yesterday", "1795161600"):
            self.assertIn(self.send("GET", "x", swapped=date)[0], (400, 403))


class GoV1WithToken(GoV1):
    account = TEMPORARY
