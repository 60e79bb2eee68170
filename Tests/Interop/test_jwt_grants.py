# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests JWT grants against PyJWT: the assertions of AsperaAuth, and the token endpoints of LocalCloud."""

import base64
import http.server
import json
import os
import subprocess
import threading
import time
import unittest
import urllib.parse
import uuid
from typing import Any, ClassVar

import jwt
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
CURVES: dict[str, ec.EllipticCurve] = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
KEYS: dict[str, Any] = {name: ec.generate_private_key(CURVES[name]) if name in CURVES else RSA for name in ALGORITHMS}
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer"
CLIENT, SECRET, USER = "client-1", "client-secret", "mia@example.com"
ON_CLOUD_AUDIENCE = "https://api.asperafiles.com/api/v1/oauth2/token"
TIME_LIMIT = 60


def tool() -> str:
    path = os.environ.get("ASPERA_GRANT")
    if not path:
        raise RuntimeError("ASPERA_GRANT does not name the program; run Tests/Interop/run.sh.")
    return path


def private_pem(key: Any, passphrase: str | None = None, traditional: bool = False) -> str:
    encryption: Any = serialization.NoEncryption()
    if passphrase is not None:
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    form = serialization.PrivateFormat.TraditionalOpenSSL if traditional else serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, encryption).decode()


def public_pem(key: Any) -> str:
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Records each request and responds with a token."""

    received: ClassVar[list[tuple[str, dict[str, str], dict[str, str]]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        self.received.append((self.path, dict(self.headers), form))
        answer = json.dumps({"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 600}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments: Any) -> None:
        pass


class Assertions(unittest.TestCase):
    """PyJWT verifies the assertions that JWTGrantProvider sends."""

    def setUp(self) -> None:
        server = http.server.HTTPServer(("127.0.0.1", 0), TokenEndpoint)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        TokenEndpoint.received.clear()
        self.url = f"http://127.0.0.1:{server.server_port}/oauth2/token"

    def grant(self, *lines: dict[str, Any]) -> list[dict[str, Any]]:
        common = {"tokenURL": self.url, "issuer": CLIENT, "subject": USER, "audience": "an audience",
                  "clientID": CLIENT, "clientSecret": "s3cret:%", "scope": "user:all", "claims": {"org": "acme"}}
        text = "".join(json.dumps(common | line) + "\n" for line in lines)
        done = subprocess.run(
            [tool(), "grant"], input=text, capture_output=True, text=True, timeout=TIME_LIMIT, check=True)
        for secret in ("s3cret", "an-access-token", "PRIVATE KEY"):
            self.assertNotIn(secret, done.stdout + done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_each_algorithm_verifies(self) -> None:
        answers = self.grant(*({"algorithm": name, "key": private_pem(KEYS[name])} for name in ALGORITHMS))
        self.assertEqual(len(TokenEndpoint.received), len(ALGORITHMS), answers)
        seen = set()
        for name, answer, (_, headers, form) in zip(ALGORITHMS, answers, TokenEndpoint.received, strict=True):
            with self.subTest(name):
                self.assertAlmostEqual(answer["expires"], time.time() + 600, delta=30)
                claims = jwt.decode(
                    form["assertion"], public_pem(KEYS[name]), algorithms=[name], audience="an audience",
                    issuer=CLIENT, options={"require": ["exp", "nbf", "iat", "iss", "sub", "aud", "jti"]})
                self.assertEqual((claims["sub"], claims["org"]), (USER, "acme"))
                self.assertAlmostEqual(claims["exp"] - claims["iat"], 3900)
                self.assertEqual(jwt.get_unverified_header(form["assertion"]), {"alg": name, "typ": "JWT"})
                seen.add(claims["jti"])
                self.assertEqual((form["grant_type"], form["scope"], form["client_id"]),
                                 (GRANT_TYPE, "user:all", CLIENT))
                basic = base64.b64decode(headers["Authorization"].removeprefix("Basic ")).decode()
                self.assertEqual([urllib.parse.unquote_plus(part) for part in basic.split(":")], [CLIENT, "s3cret:%"])
                with self.assertRaises(jwt.InvalidSignatureError):
                    jwt.decode(form["assertion"], public_pem(OTHER if name not in CURVES else ec.generate_private_key(
                        CURVES[name])), algorithms=[name], audience="an audience")
        self.assertEqual(len(seen), len(ALGORITHMS))

    def test_encrypted_keys_sign(self) -> None:
        lines = [{"key": private_pem(KEYS[name], "correct horse", traditional), "passphrase": "correct horse"}
                 for name in ("RS256", "ES384") for traditional in (False, True)]
        self.grant(*lines)
        self.assertEqual([jwt.get_unverified_header(form["assertion"])["alg"] for _, _, form in TokenEndpoint.received],
                         ["RS256", "RS256", "ES384", "ES384"])

    def test_wrong_passphrase_is_an_error(self) -> None:
        [answer] = self.grant({"key": private_pem(RSA, "correct horse"), "passphrase": "wr0ng"})
        self.assertIn("wrongPassphrase", answer["error"])
        self.assertNotIn("wr0ng", answer["error"])


class Endpoints(unittest.TestCase):
    """LocalCloud accepts the assertions of PyJWT, and refuses each wrong one."""

    process: ClassVar[subprocess.Popen[str]]
    urls: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        line = {"organization": "acme", "client": CLIENT, "secret": SECRET, "user": USER, "nodeKey": private_pem(RSA),
                "publicKeys": sorted({public_pem(key) for key in KEYS.values()}), "algorithms": ALGORITHMS}
        cls.process = subprocess.Popen([tool(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.stop)
        assert cls.process.stdin is not None and cls.process.stdout is not None
        cls.process.stdin.write(json.dumps(line) + "\n")
        cls.process.stdin.flush()
        cls.urls = json.loads(cls.process.stdout.readline())

    @classmethod
    def stop(cls) -> None:
        cls.process.communicate(timeout=TIME_LIMIT)

    def applications(self) -> list[tuple[str, str, str]]:
        """Returns the token endpoint, the audience and the subject of each application."""
        return [(f"{self.urls['onCloud']}/api/v1/oauth2/acme/token", ON_CLOUD_AUDIENCE, USER),
                (f"{self.urls['faspex']}/auth/token", CLIENT, f"user:{USER}")]

    @staticmethod
    def claims(audience: str, subject: str) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": CLIENT, "sub": subject, "aud": audience, "exp": now + 600, "nbf": now - 60, "iat": now - 60,
                "jti": str(uuid.uuid4())}

    def post(self, url: str, assertion: str, secret: str | None = SECRET, **more: str) -> requests.Response:
        form = {"grant_type": GRANT_TYPE, "assertion": assertion, "client_id": CLIENT} | more
        return requests.post(
            url, data=form, auth=None if secret is None else (CLIENT, secret), timeout=TIME_LIMIT,
            headers={"Accept": "application/json"})

    def assert_refused(self, url: str, assertion: str, **options: Any) -> None:
        answer = self.post(url, assertion, **options)
        self.assertIn(answer.status_code, (400, 401, 403), answer.text)
        self.assertNotIn("access_token", answer.json())

    def test_each_algorithm_is_accepted(self) -> None:
        for url, audience, subject in self.applications():
            for name in ALGORITHMS:
                with self.subTest(url=url, algorithm=name):
                    answer = self.post(url, jwt.encode(self.claims(audience, subject), KEYS[name], algorithm=name))
                    self.assertEqual(answer.json()["token_type"].lower(), "bearer", answer.text)
            self.assertTrue(self.post(url, jwt.encode(
                self.claims(audience, subject), RSA, algorithm="RS256"), secret=None).json()["access_token"])

    def test_each_wrong_claim_is_refused(self) -> None:
        now = int(time.time())
        wrong: list[dict[str, Any]] = [
            {"iss": "client-2"}, {"sub": "eve@example.com"}, {"aud": "https://other.example.com"}, {"exp": now - 1},
            {"nbf": now + 600}, {"iat": now + 600}, {"exp": now + 200_000}, {"jti": ""},
        ]
        for url, audience, subject in self.applications():
            for change in wrong:
                with self.subTest(url=url, **change):
                    claims = self.claims(audience, subject) | change
                    self.assert_refused(url, jwt.encode(claims, RSA, algorithm="RS256"))
            for name in self.claims(audience, subject):
                with self.subTest(url=url, missing=name):
                    claims = self.claims(audience, subject)
                    del claims[name]
                    self.assert_refused(url, jwt.encode(claims, RSA, algorithm="RS256"))

    def test_forged_signatures_are_refused(self) -> None:
        for url, audience, subject in self.applications():
            claims = self.claims(audience, subject)
            self.assert_refused(url, jwt.encode(claims, None, algorithm="none"))
            self.assert_refused(url, jwt.encode(claims, OTHER, algorithm="RS256"))
            self.assert_refused(url, self.symmetric(claims, public_pem(RSA)))
            self.assert_refused(url, jwt.encode(claims, RSA, algorithm="RS256")[:-8] + "AAAAAAAA")
            self.assert_refused(url, jwt.encode(claims, RSA, algorithm="RS256", headers={"crit": ["exp"]}))
            self.assertTrue(self.post(url, jwt.encode(claims, RSA, algorithm="RS256")).json()["access_token"])

    @staticmethod
    def symmetric(claims: dict[str, Any], secret: str) -> str:
        """Returns a token that is signed with HS256 and a public key as the secret, which PyJWT refuses to make."""
        algorithm = jwt.get_algorithm_by_name("HS256")
        parts = [json.dumps({"alg": "HS256", "typ": "JWT"}).encode(), json.dumps(claims).encode()]
        message = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
        signature = base64.urlsafe_b64encode(algorithm.sign(message, secret.encode())).rstrip(b"=")
        return (message + b"." + signature).decode()

    def test_replayed_assertion_is_refused(self) -> None:
        for url, audience, subject in self.applications():
            assertion = jwt.encode(self.claims(audience, subject), RSA, algorithm="RS256")
            self.assertTrue(self.post(url, assertion).json()["access_token"])
            self.assert_refused(url, assertion)

    def test_wrong_client_is_refused(self) -> None:
        for url, audience, subject in self.applications():
            assertion = jwt.encode(self.claims(audience, subject), RSA, algorithm="RS256")
            self.assert_refused(url, assertion, secret="wrong")
            self.assert_refused(url, assertion, secret=None, client_id="client-2")
            self.assert_refused(url, assertion, grant_type="client_credentials")

    def test_token_of_a_node_opens_the_node(self) -> None:
        url, audience, subject = self.applications()[0]
        assertion = jwt.encode(self.claims(audience, subject), RSA, algorithm="RS256")
        token = self.post(url, assertion, scope="node.test-id:user:all").json()["access_token"]
        headers = {"Authorization": f"Bearer {token}", "X-Aspera-AccessKey": "test-id"}
        path = f"{self.urls['node']}/files/1/files"
        answer = requests.get(path, headers=headers, timeout=TIME_LIMIT)
        self.assertEqual(answer.status_code, 200, answer.text)
        headers["Authorization"] = f"Bearer {token[:-8]}AAAAAAAA"
        self.assertEqual(requests.get(path, headers=headers, timeout=TIME_LIMIT).status_code, 401)
