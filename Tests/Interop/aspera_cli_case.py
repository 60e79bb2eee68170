# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs aspera-cli, IBM's own client, from a checkout of its sources, and records the requests that it sends.

STORAGE_AUTH_ASPERA_CLI is the path of the checkout. Its programs run unchanged, with Debian's Ruby and gems; the folder
`aspera_cli/shims` holds what stands in for gems that Debian lacks.
"""

import base64
import functools
import http.client
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from local_cloud import LocalCloud

HERE = pathlib.Path(__file__).parent
SHIMS = HERE / "aspera_cli" / "shims"
RECORDING = HERE / "aspera_cli" / "requests.json"
TIME_LIMIT = 120

ACCESS_KEY = ("test-id", "test-secret")
NODE_USER = ("node-user", "node-password")
# The recording contains the responses of a node that follows IBM's description to the letter.
SERVE_OPTIONS = ("--node-user", ":".join(NODE_USER), "--transfer-account", "xfer:xfer-password",
                 "--no-node-info-accepts-bearer")


def simulator() -> str:
    """Returns the path of ascp-simulator, which run.sh sets."""
    path = os.environ.get("ASCP_SIMULATOR")
    if not path:
        raise RuntimeError("ASCP_SIMULATOR does not name the ascp-simulator binary; run Tests/Interop/run.sh.")
    return path


def basic(account: tuple[str, str]) -> str:
    return "Basic " + base64.b64encode(":".join(account).encode()).decode()


@functools.cache
def missing() -> str | None:
    """Returns why aspera-cli cannot run here, or None."""
    checkout = os.environ.get("STORAGE_AUTH_ASPERA_CLI")
    if not checkout:
        return "STORAGE_AUTH_ASPERA_CLI names no checkout of aspera-cli"
    if not pathlib.Path(checkout, "bin", "ascli").is_file():
        return f"there is no bin/ascli in {checkout}"
    if shutil.which("ruby") is None:
        return "there is no ruby"
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [*program(), "--version"], env=os.environ | {"HOME": home}, capture_output=True, text=True, check=False,
            timeout=TIME_LIMIT)
    return None if done.returncode == 0 else f"aspera-cli does not run: {done.stderr.strip().splitlines()[:1]}"


def warn_if_missing() -> str | None:
    reason = missing()
    if reason:
        print(f"=== SKIPPED: aspera-cli was not run: {reason}. Its recorded requests are replayed. ===", file=sys.stderr)
    return reason


def program() -> list[str]:
    checkout = os.environ["STORAGE_AUTH_ASPERA_CLI"]
    return ["ruby", "-I", str(SHIMS), "-I", f"{checkout}/lib", f"{checkout}/bin/ascli"]


def node_request(
    cloud: LocalCloud, method: str, path: str, headers: dict[str, str], body: str | None
) -> tuple[int, Any]:
    """Sends a request to the node and returns the status and the body, parsed if it is JSON."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(cloud.node).netloc, timeout=TIME_LIMIT)
    try:
        connection.request(method, path, body=None if body is None else body.encode(), headers=headers)
        response = connection.getresponse()
        return response.status, parsed(response.read())
    finally:
        connection.close()


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def seed(cloud: LocalCloud, files: dict[str, bytes]) -> None:
    """Uploads files into the root of the node without aspera-cli."""
    with tempfile.TemporaryDirectory() as folder:
        for name, body in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        request = {"transfer_requests": [{"transfer_request": {"paths": [{"destination": "/"}]}}]}
        status, answer = node_request(
            cloud, "POST", "/files/upload_setup",
            {"Authorization": basic(ACCESS_KEY), "Content-Type": "application/json"}, json.dumps(request))
        if status != 200:
            raise AssertionError(f"upload_setup: {status} {answer}")
        spec = answer["transfer_specs"][0]["transfer_spec"]
        command = [
            simulator(), "--mode=send", f"--host={spec['remote_host']}", f"--user={spec['remote_user']}", "-P",
            str(spec["ssh_port"]), "-d", *(str(path) for path in sorted(pathlib.Path(folder).iterdir())), "/"]
        secrets = {"ASPERA_SCP_TOKEN": spec["token"], "ASPERA_SCP_PASS": "xfer-password"}
        subprocess.run(command, env=secrets, check=True, capture_output=True, timeout=TIME_LIMIT)


@dataclass
class Recorder:
    """A proxy in front of the node that records requests and responses."""

    cloud: LocalCloud
    exchanges: list[dict[str, Any]] = field(default_factory=list)

    # Headers that depend on the connection, or on this machine.
    OMITTED = ("host", "connection", "accept-encoding", "content-length")

    def __enter__(self) -> "Recorder":
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def forward(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length).decode() if length else None
                headers = {name: value for name, value in self.headers.items() if name.lower() not in Recorder.OMITTED}
                connection = http.client.HTTPConnection(
                    urllib.parse.urlsplit(recorder.cloud.node).netloc, timeout=TIME_LIMIT)
                connection.request(self.command, self.path, body=body and body.encode(), headers=headers)
                response = connection.getresponse()
                answer = response.read()
                connection.close()
                recorder.exchanges.append({
                    "request": {"method": self.command, "path": self.path, "headers": headers, "body": body},
                    "response": {"status": response.status, "body": parsed(answer)},
                })
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = do_DELETE = forward

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"


class AsperaCLI:
    """aspera-cli with a home and an ascp of its own, and options for one node."""

    def __init__(self, folder: pathlib.Path, options: list[str]) -> None:
        self._options = options
        self._home = folder / "home"
        self.sdk = folder / "sdk"
        self._home.mkdir(exist_ok=True)
        self.sdk.mkdir(exist_ok=True)
        link = self.sdk / "ascp"
        if not link.exists():
            link.symlink_to(simulator())

    def run(self, *arguments: str, status: int = 0) -> Any:
        """Runs a command with the options of the node, and returns its output, parsed if it is JSON."""
        return self._run([*self._options, *arguments], status)

    def _run(self, arguments: list[str], status: int) -> Any:
        done = subprocess.run(
            [*program(), "--version-check-days=0", f"--sdk-folder={self.sdk}", "--format=json", "--progress-bar=no",
             *arguments],
            env=os.environ | {"HOME": str(self._home)}, capture_output=True, text=True, check=False, timeout=TIME_LIMIT,
            stdin=subprocess.DEVNULL)
        if (done.returncode == 0) != (status == 0):
            raise AssertionError(f"ascli {arguments} ended with status {done.returncode}: {done.stdout}{done.stderr}")
        return parsed(done.stdout.strip().encode()) if status == 0 else done.stdout + done.stderr

    def trust_its_key(self, cloud: LocalCloud) -> None:
        """Lets aspera-cli's own client key log in as the transfer user, as on a real node."""
        # Writes the keys, which come with its sources, into the folder of its ascp.
        self._run(["config", "ascp", "info"], 0)
        key = self.sdk / "aspera_bypass_rsa.pem"
        private = self._home / "key.pem"
        private.write_bytes(key.read_bytes())
        private.chmod(0o600)
        public = subprocess.run(
            ["ssh-keygen", "-y", "-P", "", "-f", str(private)], capture_output=True, text=True, check=True).stdout.strip()
        status, answer = node_request(
            cloud, "POST", "/public_keys",
            {"Authorization": basic(ACCESS_KEY), "Content-Type": "application/json"},
            json.dumps({"username": "xfer", "public_key": public}))
        if status != 201:
            raise AssertionError(f"public_keys: {status} {answer}")
