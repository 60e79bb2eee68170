# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Starts the services of compose.yaml in a network and file system of their own, and checks what they answer.

check.py runs this file with `unshare --mount --net`. The token servers run in the root directory of the image, and Redis and
nginx are the programs of this machine. One address of loopback takes the place of each container.
"""

import collections
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Callable

import composition
from image import note, run

DEPLOYMENT = pathlib.Path(__file__).resolve().parents[2] / "Examples/Deployment"
ADDRESSES = {"token-server-1": "127.0.1.1", "token-server-2": "127.0.1.2", "redis": "127.0.1.3", "nginx": "127.0.1.4"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
KEY = {"OSS_ACCESS_KEY_ID": "id-of-the-composition", "OSS_ACCESS_KEY_SECRET": "secret-of-the-composition"}
VARIABLES = {"BUCKET": "photos", "ROLE": "acs:ram::1250000000:role/localcloud"}
SECRETS = pathlib.Path("/run/secrets")


def check(condition: bool, problem: str) -> None:
    if not condition:
        raise SystemExit(f"FAILED: {problem}")


class Services:
    """The services, each a process without rights."""

    def __init__(self, root: pathlib.Path, user: str, entry: list[str], folder: pathlib.Path):
        self.root, self.entry, self.folder = root, entry, folder
        self.uid, self.gid = (int(number) for number in user.split(":"))
        self.document = composition.read((DEPLOYMENT / "compose.yaml").read_text(), VARIABLES)
        self.processes: dict[str, subprocess.Popen] = {}
        self.logs: dict[str, pathlib.Path] = {}

    # The file system

    def prepare(self) -> None:
        run(["ip", "link", "set", "lo", "up"])
        made = self.folder / "secrets"
        run(["bash", str(DEPLOYMENT / "make-secrets.sh"), str(made)], env={"PATH": PATH} | KEY, stdout=subprocess.DEVNULL)
        hosts = "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in ADDRESSES.items())
        (self.folder / "hosts").write_text(hosts)
        configuration = (DEPLOYMENT / "nginx.conf").read_text()
        check("listen 8443 ssl" in configuration, "nginx.conf does not listen on 8443 with TLS")
        (self.folder / "nginx.conf").write_text(configuration.replace("listen 8443", f"listen {ADDRESSES['nginx']}:8443"))
        check(not str(self.root).startswith("/tmp/"), "FOLDER must not be in /tmp, which is replaced here")
        run(["mount", "-t", "tmpfs", "tmpfs", "/run"])
        run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp"])
        SECRETS.mkdir()
        for name, source in self.document["secrets"].items():
            path = SECRETS / name
            shutil.copy(made / pathlib.Path(source["file"]).name, path)
            os.chown(path, self.uid, self.gid)
            path.chmod(0o400)
        run(["mount", "--bind", str(self.folder / "hosts"), "/etc/hosts"])
        run(["mount", "--bind", str(self.folder / "nginx.conf"), "/etc/nginx/nginx.conf"])
        self.prepare_root()

    def prepare_root(self) -> None:
        """Mounts the root of the image as a container with `read_only` and the secrets would have it."""
        mounts = [(str(SECRETS), "/run/secrets"), ("/etc/hosts", "/etc/hosts"), ("/dev", "/dev")]
        listed = run(["chroot", str(self.root), "/usr/bin/ldd", self.entry[0]], capture_output=True, text=True).stdout
        if "not found" in listed:
            missing = [line.split()[0] for line in listed.split("\n") if "not found" in line]
            check(all(name.startswith(("libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime"))
                      for name in missing), f"the image has not: {', '.join(missing)}")
            runtime = pathlib.Path(shutil.which("swift")).resolve().parents[1] / "lib/swift/linux"
            note(f"=== REPLACED: the program is not linked with Swift's libraries; those of {runtime} are mounted ===")
            mounts.append((str(runtime), str(runtime)))
        for source, target in mounts:
            inside = pathlib.Path(f"{self.root}{target}")
            if pathlib.Path(source).is_dir():
                inside.mkdir(parents=True, exist_ok=True)
            else:
                inside.touch()
        run(["mount", "--bind", str(self.root), str(self.root)])
        run(["mount", "-o", "remount,bind,ro", str(self.root)])
        run(["mount", "-t", "tmpfs", "-o", "mode=1777,size=16m", "tmpfs", f"{self.root}/tmp"])
        run(["mount", "-t", "proc", "proc", f"{self.root}/proc"])
        for source, target in mounts:
            run(["mount", "--rbind", source, f"{self.root}{target}"])

    # Processes

    def launch(self, command: list[str], inside: bool, log, environment: dict[str, str]) -> subprocess.Popen:
        """Starts a process as the user of the services, without capabilities and without a way to gain them."""

        def become() -> None:
            if inside:
                os.chroot(self.root)
            os.chdir("/tmp")
            os.setgroups([])
            os.setresgid(self.gid, self.gid, self.gid)
            os.setresuid(self.uid, self.uid, self.uid)
            ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS

        return subprocess.Popen(command, preexec_fn=become, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                env={"PATH": PATH, "HOME": "/tmp"} | environment)

    def command(self, name: str) -> tuple[list[str], bool]:
        """Returns the command of a service, and whether it runs in the root of the image."""
        service = self.document["services"][name]
        if "build" not in service:
            return service["entrypoint"], False
        words = []
        for word in service["command"]:
            if word == "--host=0.0.0.0":
                words.append(f"--host={ADDRESSES[name]}")
            else:
                words.append(word)
        words.append(f"--status-host={ADDRESSES[name]}")
        # After the start of Redis callers have no burst, which builds up at this rate.
        return [*self.entry, *words, "--sts=http://127.0.0.1:9003", "--rate=60000"], True

    def start(self, name: str) -> None:
        command, inside = self.command(name)
        self.logs[name] = self.folder / f"{name}.log"
        with open(self.logs[name], "ab") as log:
            os.fchown(log.fileno(), self.uid, self.gid)
            self.processes[name] = self.launch(command, inside, log, self.document["services"][name].get("environment", {}))
        end = time.monotonic() + 30
        while not self.is_healthy(name):
            check(self.processes[name].poll() is None and time.monotonic() < end,
                  f"{name} is not healthy:\n{self.logs[name].read_text()[-2000:]}")
            time.sleep(0.1)
        note(f"{name} is healthy")

    def is_healthy(self, name: str) -> bool:
        test = self.document["services"][name]["healthcheck"]["test"]
        check(test[0] == "CMD", f"{name}: the health check must be a command")
        inside = "build" in self.document["services"][name]
        words = [word.replace("127.0.0.1", ADDRESSES[name]) for word in test[1:]]
        return self.launch(words, inside, subprocess.DEVNULL, {}).wait(timeout=10) == 0

    def stop(self) -> None:
        for name, process in reversed(self.processes.items()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                check(process.wait(timeout=15) in (0, -signal.SIGTERM), f"{name} ended with status {process.returncode}")

    # Requests

    def get(self, host: str, token: str, *options: str) -> tuple[str, dict]:
        """Requests a key, and returns the status with the version of HTTP, and the answer."""
        name = "localhost" if host == "nginx" else "token-server"
        path = self.folder / "answer"
        found = run(["curl", "--silent", "--show-error", "--max-time", "20", "--cacert", str(SECRETS / "ca.pem"),
                     "--resolve", f"{name}:8443:{ADDRESSES[host]}", "--header", f"Authorization: Bearer {token}",
                     "--output", str(path), "--write-out", "%{http_version} %{response_code}", *options,
                     f"https://{name}:8443/distribute-token.json"], capture_output=True, text=True)
        text = path.read_text()
        return found.stdout, json.loads(text) if text.startswith("{") else {}

    def serial(self, host: str) -> str:
        """Returns the number of the certificate that a server presents."""
        shown = subprocess.run(["openssl", "s_client", "-connect", f"{ADDRESSES[host]}:8443", "-CAfile", str(SECRETS / "ca.pem")],
                               input="", capture_output=True, text=True, check=True).stdout
        return run(["openssl", "x509", "-noout", "-serial"], input=shown, capture_output=True, text=True).stdout


def check_answers(services: Services) -> None:
    token = (SECRETS / "callers").read_text().split()[1]
    end = time.monotonic() + 20
    while services.get("nginx", token)[0] == "2 429":
        check(time.monotonic() < end, "callers are refused long after the start of Redis")
        time.sleep(0.2)
    statuses = collections.Counter()
    for _ in range(10):
        status, answer = services.get("nginx", token)
        statuses[status, answer.get("AccessKeyId")] += 1
    check(len(statuses) == 1 and next(iter(statuses))[0] == "2 200", f"answers through nginx: {statuses}")
    for host in ("token-server-1", "token-server-2"):
        status, answer = services.get(host, token)
        check(status == "2 200", f"{host} answers {status}")
        check(answer["AccessKeyId"] == next(iter(statuses))[1], "the servers do not share an issued key")
        check(services.get(host, token, "--http1.1")[0] == "1.1 200", f"{host} does not speak HTTP/1.1")
        check(services.get(host, "token-of-a-stranger")[0] == "2 401", f"{host} does not refuse a stranger")
    note("both servers issue one key, over HTTP/2 and HTTP/1.1, and through nginx")
    services.processes["token-server-1"].kill()
    services.processes["token-server-1"].wait()
    for _ in range(5):
        check(services.get("nginx", token)[0] == "2 200", "nginx does not use the server that remains")
    services.start("token-server-1")
    note("nginx goes on with one server")


def check_renewal(services: Services) -> None:
    before = services.serial("token-server-2")
    renewed = services.folder / "renewed"
    run(["bash", str(DEPLOYMENT / "make-secrets.sh"), str(renewed)], env={"PATH": PATH} | KEY, stdout=subprocess.DEVNULL)
    for name in ("server-cert.pem", "server-key.pem"):
        # A mounted file is written in place.
        (SECRETS / name).chmod(0o600)
        (SECRETS / name).write_bytes((renewed / name).read_bytes())
    services.processes["token-server-2"].send_signal(signal.SIGHUP)
    end = time.monotonic() + 10
    while "reloaded the certificate" not in services.logs["token-server-2"].read_text():
        check(time.monotonic() < end, "token-server-2 does not reload its certificate")
        time.sleep(0.05)
    check(services.serial("token-server-2") != before, "token-server-2 presents its old certificate")
    check(services.serial("token-server-1") == before, "token-server-1 presents a certificate that it has not read")
    note("a renewed certificate is used after SIGHUP")


def check_isolation(services: Services) -> None:
    secrets = [path.read_text().split()[-1] for path in map(SECRETS.joinpath, (
        "access-key-secret", "redis-password", "callers"))]
    for name, process in services.processes.items():
        if name == "sts":
            continue
        fields = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().split("\n") if ":\t" in line)
        check(fields["Uid"].split()[0] == str(services.uid), f"{name} runs as the user {fields['Uid']}")
        check(fields["NoNewPrivs"] == "1" and int(fields["CapEff"], 16) == 0, f"{name} has rights: {fields['CapEff']}")
        shown = b"".join(pathlib.Path(f"/proc/{process.pid}/{file}").read_bytes() for file in ("environ", "cmdline"))
        for secret in secrets:
            check(secret.encode() not in shown, f"a secret is in the environment or in the arguments of {name}")
    for log in services.logs.values():
        for secret in secrets:
            check(secret not in log.read_text(errors="replace"), f"a secret is in {log.name}")
    writes = services.launch(["sh", "-c", "touch /usr/local/bin/x || touch /run/secrets/x"], True, subprocess.DEVNULL, {})
    check(writes.wait(timeout=10) != 0, "the root or the secrets can be written")
    answer = run(["redis-cli", "-h", ADDRESSES["redis"], "ping"], capture_output=True, text=True).stdout
    check("NOAUTH" in answer, f"Redis answers without a password: {answer}")
    note("the services have no rights, and no secret is in an environment, in arguments or in logs")


def main() -> None:
    root, user, *entry = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=pathlib.Path(root).parent) as name:
        os.chmod(name, 0o755)
        services = Services(pathlib.Path(root), user, entry, pathlib.Path(name))
        services.prepare()
        try:
            sts = [*entry, "serve", "--account", ":".join(KEY.values()), "--bucket", "photos", "--services-port", "9003"]
            with open(services.folder / "sts.log", "wb") as log:
                services.processes["sts"] = services.launch(sts, True, log, {})
            for service in ("redis", "token-server-1", "token-server-2"):
                services.start(service)
            tested = services.launch(["nginx", "-t", "-q", "-e", "/dev/null"], False, None, {})
            check(tested.wait(timeout=10) == 0, "nginx.conf is not valid")
            services.start("nginx")
            steps: list[Callable[[Services], None]] = [check_answers, check_isolation, check_renewal]
            for step in steps:
                step(services)
            services.stop()
        finally:
            for process in services.processes.values():
                process.kill()


if __name__ == "__main__":
    main()
