#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Creates ../OSSAuthTests/Vectors/oss-v4-date.json: OSS V4 in headers, dated with `Date` like by the vendor's Go SDK v1.

The rule is that of `signHeader` and `getSignedStrV4` in oss/auth.go of github.com/aliyun/aliyun-oss-go-sdk 3.0.2: without
an x-oss-date the second line of the string to sign is the text of Date, and the day of the scope is its day. The cases
whose `dateLine` is "iso" have the same time in ISO 8601 there, as in the documentation of the string. The script does
not use the package, only hmac and hashlib.

Run it without arguments to write the file, with --check to compare it.
"""

import datetime
import hashlib
import hmac
import json
import pathlib
import sys
import urllib.parse
from typing import Any

FILE = pathlib.Path(__file__).parent.parent / "OSSAuthTests" / "Vectors" / "oss-v4-date.json"
NOW = datetime.datetime(2026, 11, 20, 8, 0, 0, tzinfo=datetime.timezone.utc)
HTTP_DATE = NOW.strftime("%a, %d %b %Y %H:%M:%S GMT")
PERMANENT = {"id": "LTAIexample", "secret": "8Jj5kZexample"}
TEMPORARY = {"id": "STS.example", "secret": "9Kk6lYexample", "token": "CAIS/tok+en=="}


def encoded(text: str, safe: str = "") -> str:
    return urllib.parse.quote(text, safe=safe + "-._~")


def signed(
    secret: str, method: str, resource: str, query: list[list[str]], headers: list[list[str]], additional: list[str],
    date_line: str, scope: str
) -> tuple[str, str, str]:
    """Returns the canonical request, the string to sign and the signature."""
    lowered = {name.lower(): value.strip(" ") for name, value in headers}
    names = sorted({name.lower() for name in additional if name.lower() in lowered} - {"content-md5", "content-type"})
    chosen = {name: value for name, value in lowered.items()
              if name in ("content-md5", "content-type") or name.startswith("x-oss-") or name in names}
    canonical = "\n".join([
        method, resource, "&".join(sorted(f"{encoded(name)}={encoded(value)}" if value else encoded(name)
                                          for name, value in query)),
        "".join(f"{name}:{chosen[name]}\n" for name in sorted(chosen)), ";".join(names),
        lowered.get("x-oss-content-sha256") or "UNSIGNED-PAYLOAD"])
    text = "\n".join(["OSS4-HMAC-SHA256", date_line, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("aliyun_v4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return canonical, text, hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def vector(
    name: str, method: str, key: str, *, query: list[list[str]] | None = None, headers: list[list[str]] | None = None,
    additional: list[str] | None = None, credential: dict[str, str] | None = None, region: str = "cn-hangzhou",
    product: str = "oss", line: str = "http"
) -> dict[str, Any]:
    credential = credential or PERMANENT
    query = query or []
    sent = [["Date", HTTP_DATE], ["X-Oss-Content-Sha256", "UNSIGNED-PAYLOAD"], *(headers or [])]
    if "token" in credential:
        sent.append(["X-Oss-Security-Token", credential["token"]])
    scope = f"{NOW:%Y%m%d}/{region}/{product}/aliyun_v4_request"
    canonical, text, signature = signed(
        credential["secret"], method, encoded(f"/photos/{key}", "/"), query, sent, additional or [],
        HTTP_DATE if line == "http" else f"{NOW:%Y%m%dT%H%M%SZ}", scope)
    names = sorted({item.lower() for item in additional or []} & {item[0].lower() for item in sent})
    listed = f",AdditionalHeaders={';'.join(names)}" if names else ""
    authorization = f"OSS4-HMAC-SHA256 Credential={credential['id']}/{scope}{listed},Signature={signature}"
    path = "/" + encoded(key, "/")
    if query:
        path += "?" + "&".join(f"{encoded(name)}={encoded(value)}" if value else encoded(name) for name, value in query)
    return {
        "id": name, "dateLine": line, "method": method, "host": "photos.oss-cn-hangzhou.aliyuncs.com", "path": path,
        "headers": [*sent, ["Authorization", authorization]], "credential": credential, "region": region,
        "product": product, "date": int(NOW.timestamp()),
        "expected": {"canonicalRequest": canonical, "stringToSign": text, "signature": signature}}


def vectors() -> list[dict[str, Any]]:
    upload = [["Content-Type", "text/plain; charset=utf-8"], ["Content-Md5", "XUFAKrxLKna5cZ2REBfFkg=="],
              ["X-Oss-Meta-Author", "a, b  c"]]
    return [
        vector("v4-date-get", "GET", "cat.jpg"),
        vector("v4-date-put", "PUT", "a b+c%2F/文.txt", headers=upload),
        vector("v4-date-list", "GET", "", query=[["list-type", "2"], ["prefix", "a/b c"], ["delimiter", "/"]]),
        vector("v4-date-acl", "GET", "what?.txt", query=[["acl", ""]]),
        vector("v4-date-token", "DELETE", "cat.jpg", credential=TEMPORARY),
        vector("v4-date-additional", "GET", "cat.jpg", headers=[["Range", "bytes=0-9"]],
               additional=["Range", "Date", "Content-Type", "If-Match"]),
        vector("v4-date-cloudbox", "HEAD", "cat.jpg", region="cb-example", product="oss-cloudbox"),
        vector("v4-date-iso-get", "GET", "cat.jpg", line="iso"),
        vector("v4-date-iso-token", "PUT", "x", headers=upload, credential=TEMPORARY, line="iso"),
    ]


def main() -> int:
    text = json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        if FILE.read_text(encoding="utf-8") != text:
            print(f"{FILE.name} is not up to date; run this script without --check.", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
