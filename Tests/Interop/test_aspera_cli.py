# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs aspera-cli against LocalCloud's node, and its transfers with ascp-simulator.

With STORAGE_AUTH_RECORD in the environment, the requests of the commands are written to `aspera_cli/requests.json`,
which test_aspera_replay.py sends.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from typing import Any, ClassVar

from aspera_cli_case import (
    ACCESS_KEY, NODE_USER, RECORDING, SERVE_OPTIONS, AsperaCLI, Recorder, program, seed, warn_if_missing)
from local_cloud import LocalCloud

TRANSFERS = 50
SEEDED = {"seed/a.txt": b"a file\n", "seed/deep/b.txt": b"deeper\n"}
# Bearer tokens of the recording stay valid when it is replayed.
BEARER_SECONDS = 50 * 365 * 86400


def setUpModule() -> None:
    reason = warn_if_missing()
    if reason:
        raise unittest.SkipTest(reason)


class AsperaCLITestCase(unittest.TestCase):
    """Tests with a folder, and with servers of their own."""

    folder: pathlib.Path

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="storage-auth-ascli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def cloud(self, *options: str) -> LocalCloud:
        cloud = LocalCloud(options=SERVE_OPTIONS + options)
        self.addCleanup(cloud.stop)
        return cloud

    def cli(self, url: str, account: tuple[str, str], *options: str) -> AsperaCLI:
        name, password = account
        return AsperaCLI(self.folder, [f"--url={url}", f"--username={name}", f"--password={password}", *options])

    def file(self, name: str, body: bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return str(path)


class Commands(AsperaCLITestCase):
    """The commands without transfers; their requests are what the recording contains."""

    recorded: ClassVar[list[dict[str, Any]]] = []

    @classmethod
    def tearDownClass(cls) -> None:
        if not os.environ.get("STORAGE_AUTH_RECORD"):
            return
        version = subprocess.run([*program(), "--version"], capture_output=True, text=True, check=True).stdout.strip()
        RECORDING.write_text(json.dumps(
            {"client": f"aspera-cli {version}", "seeded": {name: body.decode() for name, body in SEEDED.items()},
             "scenarios": cls.recorded}, indent=1) + "\n", encoding="utf-8")

    def scenario(self, name: str, account: tuple[str, str], body: Callable[["Run"], None]) -> None:
        cloud = self.cloud()
        seed(cloud, SEEDED)
        with Recorder(cloud) as recorder:
            run = Run(self, recorder, self.cli(recorder.url, account))
            body(run)
        type(self).recorded.append({"name": name, "steps": run.steps})

    def test_third_generation_with_an_access_key(self) -> None:
        self.scenario("third generation, access key", ACCESS_KEY, self.third_generation)

    def test_third_generation_with_a_node_user(self) -> None:
        self.scenario("third generation, node user", NODE_USER, self.third_generation)

    def third_generation(self, run: "Run") -> None:
        info = run("node", "info")
        self.assertEqual(info["transfer_user"], "xfer")
        self.assertEqual(run("node", "mkdir", "/d"), [{"path": "/d", "result": "folder created"}])
        self.assertIn("exists", run("node", "mkdir", "/d", status=1))
        self.assertEqual(run("node", "mkdir", "/d/e f"), [{"path": "/d/e f", "result": "folder created"}])
        self.assertEqual([row["path"] for row in run("node", "browse", "/")], ["/d", "/seed"])
        self.assertEqual([row["basename"] for row in run("node", "browse", "/seed")], ["a.txt", "deep"])
        run("node", "browse", "/nowhere", status=1)
        run("node", "rename", "/d", "e f", "g")
        self.assertEqual([row["path"] for row in run("node", "browse", "/d")], ["/d/g"])
        self.assertEqual(run("node", "mkfile", "/d/n.txt", "hello"), [{"path": "/d/n.txt", "result": "file created"}])
        self.assertEqual(run("node", "cat", "/d/n.txt"), "hello")
        self.assertEqual(
            run("node", "mklink", "/d/n.txt", "/d/link"), [{"path": "/d/link", "result": "link created"}])
        self.assertIn("/d/n.txt", [row["path"] for row in run("node", "search", "/")])
        self.assertEqual(run("node", "delete", "/d"), [{"path": "/d", "result": "file deleted"}])
        run("node", "delete", "/d", status=1)
        self.assertEqual(run("node", "transport")["remote_user"], "xfer")
        spec = run("node", "spec")
        self.assertTrue(spec["token"].startswith("ATM"))

    def test_fourth_generation_with_an_access_key(self) -> None:
        self.scenario("fourth generation, access key", ACCESS_KEY, lambda run: self.fourth_generation(
            run, ["node", "access_keys", "do", "self"]))

    def test_fourth_generation_with_a_bearer_token(self) -> None:
        key = self.folder / "bearer.pem"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)

        def body(run: "Run") -> None:
            run("node", "access_keys", "set_bearer_key", "self", f"@file:{key}")
            run("node", "access_keys", "do", "self", "permission", "/", "create", self.grant("mia"))
            token = run.cli.run(
                "node", "bearer_token", f"@file:{key}", f'@json:{{"user_id":"mia","_validity":{BEARER_SECONDS}}}')
            root = run("node", "access_keys", "show", "self")["root_file_id"]
            run.cli = self.cli(run.url, (ACCESS_KEY[0], f"Bearer {token}"), f"--root-id={root}")
            self.fourth_generation(run, ["node", "access_keys", "do", "self"])
            # IBM's node takes Basic alone for the third generation.
            run("node", "browse", "/", status=1)
            run("node", "info", status=1)

        self.scenario("fourth generation, bearer token", ACCESS_KEY, body)

    @staticmethod
    def grant(user: str) -> str:
        return "@json:" + json.dumps({"access_type": "user", "access_id": user, "access_levels": [
            "delete", "list", "mkdir", "preview", "read", "rename", "write"]})

    def fourth_generation(self, run: "Run", do: list[str]) -> None:
        self.assertEqual([row["name"] for row in run(*do, "browse", "/")], ["seed"])
        self.assertEqual(sorted(row["name"] for row in run(*do, "browse", "/seed")), ["a.txt", "deep"])
        self.assertEqual(run(*do, "mkdir", "/g")["type"], "folder")
        run(*do, "mkdir", "/g", status=1)
        self.assertEqual(run(*do, "mkfile", "/g/n.txt", "hello")["type"], "file")
        self.assertEqual(run(*do, "show", "/g/n.txt")["size"], 5)
        self.assertEqual(run(*do, "cat", "/g/n.txt"), "hello")
        run(*do, "rename", "/g/n.txt", "m.txt")
        self.assertEqual([row["name"] for row in run(*do, "browse", "/g")], ["m.txt"])
        run(*do, "show", "/g/n.txt", status=1)
        found = sorted(row["path"] for row in run(*do, "find", "/"))
        self.assertEqual(found, ["/g", "/g/m.txt", "/seed", "/seed/a.txt", "/seed/deep", "/seed/deep/b.txt"])
        permission = run(*do, "permission", "/g", "create", self.grant("noa"))
        self.assertEqual([row["access_id"] for row in run(*do, "permission", "/g", "list")], ["noa"])
        self.assertEqual(run(*do, "permission", "/g", "show", permission["id"])["access_type"], "user")
        run(*do, "permission", "/g", "delete", permission["id"])
        self.assertEqual(run(*do, "permission", "/g", "list"), [])
        run(*do, "delete", "/g")
        self.assertEqual([row["name"] for row in run(*do, "browse", "/")], ["seed"])

    def test_access_keys(self) -> None:
        def body(run: "Run") -> None:
            self.assertEqual(run("node", "access_keys", "show", "self")["id"], ACCESS_KEY[0])
            self.assertEqual([row["id"] for row in run("node", "access_keys", "list")], [ACCESS_KEY[0]])

        self.scenario("access keys", ACCESS_KEY, body)

    def test_wrong_credentials(self) -> None:
        def body(run: "Run") -> None:
            self.assertIn("401", run("node", "info", status=1))
            run("node", "browse", "/", status=1)

        self.scenario("wrong credentials", (ACCESS_KEY[0], "wrong"), body)


class Run:
    """Runs commands of a scenario, and notes the requests of each."""

    def __init__(self, test: Commands, recorder: Recorder, cli: AsperaCLI) -> None:
        self.test = test
        self.cli = cli
        self.steps: list[dict[str, Any]] = []
        self._recorder = recorder

    @property
    def url(self) -> str:
        return self._recorder.url

    def __call__(self, *arguments: str, status: int = 0) -> Any:
        first = len(self._recorder.exchanges)
        result = self.cli.run(*arguments, status=status)
        self.steps.append({"command": list(arguments), "exchanges": self._recorder.exchanges[first:]})
        return result


class Transfers(AsperaCLITestCase):
    """Uploads and downloads with ascp-simulator, which aspera-cli interrupts when its management port closes."""

    DO = ("node", "access_keys", "do", "self")

    def check_fourth_generation(self, cli: AsperaCLI, cloud: LocalCloud) -> None:
        # aspera-cli takes the port of the fourth generation for 33001; the server's is a free one.
        port = f'--ts=@json:{{"ssh_port":{cloud.transfer_port}}}'
        self.check_round_trips(cli, [*self.DO, "upload", port], [*self.DO, "download", port], 3)

    def check_round_trips(self, cli: AsperaCLI, upload: list[str], download: list[str], count: int) -> None:
        for number in range(count):
            with self.subTest(number):
                name = f"file {number}.bin"
                body = os.urandom(1 + number * 997)
                cli.run(*upload, self.file(f"up/{name}", body), "--to-folder=/in")
                there = self.folder / "down"
                there.mkdir(exist_ok=True)
                cli.run(*download, f"/in/{name}", f"--to-folder={there}")
                self.assertEqual((there / name).read_bytes(), body)

    def test_fifty_uploads_and_downloads_in_a_row(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        self.check_round_trips(cli, ["node", "upload"], ["node", "download"], TRANSFERS)

    def test_node_user(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, NODE_USER)
        cli.trust_its_key(cloud)
        self.check_round_trips(cli, ["node", "upload"], ["node", "download"], 2)

    def test_fourth_generation(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        cli.run(*self.DO, "mkdir", "/in")
        self.check_fourth_generation(cli, cloud)

    def test_bearer_token(self) -> None:
        # aspera-cli reads the transfer user from /info with its bearer token.
        cloud = self.cloud("--node-info-accepts-bearer")
        owner = self.cli(cloud.node, ACCESS_KEY)
        owner.trust_its_key(cloud)
        key = self.folder / "bearer.pem"
        subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
        owner.run("node", "access_keys", "set_bearer_key", "self", f"@file:{key}")
        owner.run(*self.DO, "mkdir", "/in")
        owner.run(*self.DO, "permission", "/", "create", Commands.grant("mia"))
        token = owner.run("node", "bearer_token", f"@file:{key}", '@json:{"user_id":"mia"}')
        root = owner.run("node", "access_keys", "show", "self")["root_file_id"]
        cli = self.cli(cloud.node, (ACCESS_KEY[0], f"Bearer {token}"), f"--root-id={root}")
        self.check_fourth_generation(cli, cloud)

    def test_dynamic_key(self) -> None:
        key = self.folder / "dynamic.pem"
        subprocess.run(
            ["openssl", "genrsa", "-traditional", "-out", str(key), "2048"], check=True, capture_output=True)
        cli = self.cli(self.cloud().node, ACCESS_KEY, f"--dynamic-key=@file:{key}")
        self.check_round_trips(cli, ["node", "upload"], ["node", "download"], 2)

    def test_server_account(self) -> None:
        cloud = self.cloud("--without-transfer-tokens")
        cli = self.cli(f"ssh://127.0.0.1:{cloud.transfer_port}", ("xfer", "xfer-password"))
        self.check_round_trips(cli, ["server", "upload"], ["server", "download"], 2)
        wrong = self.cli(f"ssh://127.0.0.1:{cloud.transfer_port}", ("xfer", "wrong"))
        self.assertIn("authenticate", wrong.run("server", "upload", self.file("a", b"a"), "--to-folder=/", status=1))

    def test_trees_with_options_that_affect_files(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        files = {"t/a.txt": b"a", "t/deep/b.txt": b"bb", "t/deep/c.tmp": b"ccc"}
        for name, body in files.items():
            path = pathlib.Path(self.file(name, body))
            os.utime(path, (1_000_000_000, 1_000_000_000))
        options = {
            "preserve_times": True, "overwrite": "diff+older", "resume_policy": "attrs", "file_checksum": "sha-256",
            "precalculate_job_size": True, "symlink_policy": "skip", "dgram_size": 1492, "rate_policy": "fair",
            "target_rate_kbps": 100000, "min_rate_kbps": 10, "exclude_newer_than": "-1", "multi_session_threshold": 0,
            "save_before_overwrite": True, "skip_special_files": True}
        extra = '--transfer-info=@json:{"ascp_args":["-E","*.tmp"]}'
        cli.run("node", "upload", str(self.folder / "t"), "--to-folder=/in", f"--ts=@json:{json.dumps(options)}", extra)
        there = self.folder / "down"
        there.mkdir()
        cli.run("node", "download", "/in/t", f"--to-folder={there}", '--ts=@json:{"preserve_times":true}')
        found = {str(path.relative_to(there)): path.read_bytes() for path in there.rglob("*") if path.is_file()}
        self.assertEqual(found, {name: body for name, body in files.items() if not name.endswith(".tmp")})
        self.assertEqual({int(path.stat().st_mtime) for path in there.rglob("*.txt")}, {1_000_000_000})
        cli.run("node", "upload", str(self.folder / "t"), "--to-folder=/in", '--ts=@json:{"delete_source":true}')
        self.assertFalse((self.folder / "t").exists())

    def test_multi_session(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        for number in range(7):
            self.file(f"many/{number}", os.urandom(5000))
        there = self.folder / "down"
        there.mkdir()
        options = ['--ts=@json:{"multi_session":3}', '--transfer-info=@json:{"spawn_delay_sec":0}']
        cli.run("node", "upload", str(self.folder / "many"), "--to-folder=/in", *options)
        cli.run("node", "download", "/in/many", f"--to-folder={there}", *options)
        for number in range(7):
            self.assertEqual(
                (there / "many" / str(number)).read_bytes(), (self.folder / "many" / str(number)).read_bytes())

    def test_an_option_that_the_simulator_rejects_is_named(self) -> None:
        cloud = self.cloud()
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        option = '--ts=@json:{"preserve_acls":"native"}'
        text = cli.run("node", "upload", self.file("a", b"a"), "--to-folder=/in", option, status=1)
        self.assertIn("--preserve-acls", text)

    def test_transfer_faults_end_with_their_text(self) -> None:
        cloud = self.cloud("--transfer-fault", "34")
        cli = self.cli(cloud.node, ACCESS_KEY)
        cli.trust_its_key(cloud)
        text = cli.run("node", "upload", self.file("a", b"a"), "--to-folder=/in", status=1)
        self.assertRegex(text, re.compile("unauthorized", re.IGNORECASE))
