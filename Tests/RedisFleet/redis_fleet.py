# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs instances of the token server and of a verifying service behind nginx, all with one Redis server, and checks that
no signature is accepted twice, that no caller exceeds its rate over all instances, that each scope causes one request to
the token service, and that nothing hangs, while instances and Redis are killed."""

import base64
import collections
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.environ["PROGRAMS_FOLDER"]
REQUESTS = int(os.environ.get("REQUESTS", 50_000))
SECONDS = int(os.environ.get("SECONDS_OF_LOAD", 10))
THREADS = 16
CALLERS = 8
RATE = 240  # per minute and caller: a burst of 240, then four per second
ROLE = "acs:ram::1250000000:role/localcloud"
SECRET = "secret-of-the-fleet-test"
ACCOUNT = "LTAIexample2"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def check(condition: bool, problem: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {problem}")


def wait_for(port: int) -> None:
    end = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            check(time.monotonic() < end, f"nothing listens on port {port}")
            time.sleep(0.02)


class Program:
    """A process on a fixed port, which can be killed and started again."""

    def __init__(self, command: list[str], port: int, log: str, environment: dict[str, str] | None = None):
        self.command, self.port, self.log = command, port, log
        self.environment = os.environ | (environment or {})
        self.start()

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Fleet:
    """Redis, instances and nginx in front of them."""

    def __init__(self, folder: str, instances: int, sts: str, stores: bool = False):
        """Starts a fleet, whose Redis server stores each change on its disk before it confirms it if it is killed."""
        self.folder = folder
        self.redis_port, self.port = free_port(), free_port()
        self.redis = Program(
            ["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1", "--save", "", "--dir", folder,
             "--appendonly", "yes" if stores else "no", "--appendfsync", "always"], self.redis_port, os.path.join(folder, "redis.log"))
        wait_for(self.redis_port)
        url = f"redis://127.0.0.1:{self.redis_port}"
        callers = os.path.join(folder, "callers")
        with open(callers, "w") as file:
            file.writelines(f"caller{number} {token(number)}\n" for number in range(CALLERS))
        os.chmod(callers, 0o600)
        keys = {"OSS_ACCESS_KEY_ID": "load-id", "OSS_ACCESS_KEY_SECRET": "load-secret"}
        self.servers, self.services = [], []
        for number in range(instances):
            port = free_port()
            self.servers.append(Program(
                [f"{FOLDER}/storage-auth", "token-server", "--provider", "oss", "--callers", callers, "--bucket", "load",
                 "--role", ROLE, "--sts", sts, "--rate", str(RATE), "--port", str(port), "--redis", url,
                 "--redis-is-persistent"], port, os.path.join(folder, f"tokens-{number}.log"), keys))
            port = free_port()
            self.services.append(Program(
                [f"{FOLDER}/VerifiedServiceExample", "--port", str(port), "--redis", url, "--redis-is-persistent",
                 "--secret", SECRET], port, os.path.join(folder, f"service-{number}.log")))
        for program in self.servers + self.services:
            wait_for(program.port)
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(self.nginx())
        self.nginx_program = Program(
            ["nginx", "-p", folder, "-c", configuration, "-e", os.path.join(folder, "nginx.log")], self.port,
            os.path.join(folder, "nginx.out"))
        wait_for(self.port)

    def nginx(self) -> str:
        def upstream(name: str, programs: list[Program]) -> str:
            lines = "".join(f"server 127.0.0.1:{program.port} max_fails=0; " for program in programs)
            return f"upstream {name} {{ {lines} keepalive 32; }}"

        temporary = "".join(
            f"{kind}_temp_path {self.folder}/nginx-{kind}; "
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"""
daemon off; master_process off; worker_processes 1; pid {self.folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  access_log off; {temporary} keepalive_requests 1000000;
  {upstream("tokens", self.servers)} {upstream("services", self.services)}
  server {{
    listen 127.0.0.1:{self.port};
    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
    proxy_next_upstream error timeout; proxy_connect_timeout 1s; proxy_read_timeout 10s;
    location /files/ {{ proxy_pass http://services; }}
    location / {{ proxy_pass http://tokens; }}
  }}
}}
"""

    def audit(self) -> str:
        text = ""
        for server in self.servers:
            with open(server.log, encoding="utf-8", errors="replace") as file:
                text += file.read()
        return text

    def marks(self) -> int:
        output = subprocess.run(
            ["redis-cli", "-p", str(self.redis_port), "--scan", "--pattern", "storage-auth:mark:*"], check=True,
            capture_output=True, text=True).stdout
        return len(output.splitlines())

    def stop(self) -> None:
        for program in [self.nginx_program, *self.servers, *self.services, self.redis]:
            program.kill()


def token(number: int) -> str:
    return f"token-of-caller-number-{number}"


class Client:
    """A connection to nginx, which is opened again when it is lost."""

    def __init__(self, port: int):
        self.port = port
        self.connection = None

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, bytes]:
        """Returns the status and the body of the answer, or the status 0 if there was none."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            return 0, b""

    def key(self, number: int) -> tuple[int, bytes]:
        return self.send("GET", "/distribute-token.json", {"Authorization": f"Bearer {token(number)}"})

    def put(self, number: int) -> dict[str, str]:
        """Returns the headers of a new signature."""
        date = email.utils.formatdate(usegmt=True)
        text = f"PUT\n\ntext/plain\n{date}\nx-oss-meta-n:{number}\n/files/a"
        signature = base64.b64encode(hmac.new(SECRET.encode(), text.encode(), hashlib.sha1).digest()).decode()
        return {"Date": date, "Content-Type": "text/plain", "x-oss-meta-n": str(number),
                "Authorization": f"OSS {ACCOUNT}:{signature}"}


class Load:
    """Requests of several threads, with the count of the answers."""

    def __init__(self, fleet: Fleet):
        self.fleet = fleet
        self.lock = threading.Lock()
        self.allowed = collections.Counter()
        self.refused = collections.Counter()
        self.failed = collections.Counter()
        self.statuses = collections.Counter()
        self.accepted = collections.Counter()
        self.slowest = 0.0
        self.number = 0
        self.start = time.monotonic()

    def next(self) -> int:
        with self.lock:
            self.number += 1
            return self.number

    def ask(self, client: Client, caller: int) -> None:
        start = time.monotonic()
        status, _ = client.key(caller)
        self.note("key", status, time.monotonic() - start)
        with self.lock:
            self.allowed[caller] += status == 200
            self.refused[caller] += status == 429
            self.failed[caller] += status not in (200, 429)

    def write(self, clients: list[Client], number: int, copies: int) -> None:
        """Sends one signature several times at once, which go to different instances."""
        headers = clients[0].put(number)

        def send(client: Client) -> None:
            start = time.monotonic()
            status, _ = client.send("PUT", "/files/a", headers, b"x")
            self.note("put", status, time.monotonic() - start)
            if status == 200:
                with self.lock:
                    self.accepted[number] += 1

        others = [threading.Thread(target=send, args=(client,)) for client in clients[1:copies]] if number % 50 == 0 else []
        for other in others:
            other.start()
        send(clients[0])
        for other in others:
            other.join()
        if not others:
            for client in clients[1:copies]:
                send(client)

    def note(self, kind: str, status: int, seconds: float) -> None:
        with self.lock:
            self.statuses[kind, status] += 1
            self.slowest = max(self.slowest, seconds)

    def run(self, is_over) -> None:
        def work(thread: int) -> None:
            clients = [Client(self.fleet.port) for _ in range(2)]
            while not is_over(self):
                if thread % 2 == 0:
                    self.ask(clients[0], self.next() % CALLERS)
                else:
                    self.write(clients, self.next(), 2)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.seconds = time.monotonic() - self.start

    def requests(self) -> int:
        return sum(self.statuses.values())

    def verify(self, is_complete: bool) -> None:
        # A caller has a burst, and after it one request for each interval.
        permitted = RATE + self.seconds * RATE / 60
        most, least = max(self.allowed.values()), min(self.allowed.values())
        twice = [number for number, count in self.accepted.items() if count > 1]
        audit = self.fleet.audit()
        ids = collections.defaultdict(set)
        granted = 0
        for caller, key in re.findall(r"^\S+ (caller\d+) got (\S+)", audit, re.MULTILINE):
            ids[caller].add(key)
            granted += 1
        marks = self.fleet.marks()
        answers = ", ".join(f"{kind} {status}: {count}" for (kind, status), count in sorted(self.statuses.items()))
        print(f"  {self.requests()} requests in {self.seconds:.1f} s ({answers}); slowest {self.slowest:.2f} s")
        print(f"  keys per caller: {least} to {most} of {permitted:.0f} permitted; requests to the token service: "
              f"{sum(map(len, ids.values()))} for {len(ids)} scopes")
        print(f"  signatures: {len(self.accepted)} accepted, {len(twice)} of them twice; {marks} marks")
        check(not twice, f"signatures were accepted twice: {twice[:5]}")
        check(most <= permitted * 1.01, f"a caller received {most} keys of {permitted:.0f}")
        check(len(ids) == CALLERS and all(len(keys) == 1 for keys in ids.values()), f"a scope has several keys: {ids}")
        check(sum(self.allowed.values()) <= granted, "a key was answered that no audit log contains")
        check(len(self.accepted) <= marks, "a signature was accepted and is not in Redis")
        check(self.slowest < 10, "a request hung")
        if is_complete:
            # A request that a busy machine did not answer in time may have been counted.
            for caller, count in self.allowed.items():
                check(count + self.failed[caller] >= permitted * 0.99 - 1, f"only {count} keys of {permitted:.0f}")
            check({status for _, status in self.statuses} <= {200, 403, 429, 503}, f"other answers: {answers}")
            unanswered = self.statuses["key", 503] + self.statuses["put", 503]
            check(unanswered <= self.requests() / 20, f"{unanswered} requests were refused for Redis")


def undisturbed(folder: str, instances: int, sts: str) -> None:
    print(f"{instances} instances, undisturbed:")
    fleet = Fleet(folder, instances, sts)
    try:
        load = Load(fleet)
        # Each caller has to use its burst up, and then to ask more often than it may.
        load.run(lambda load: time.monotonic() - load.start > SECONDS
                 and all(load.refused[caller] > 30 for caller in range(CALLERS)))
        load.verify(is_complete=True)
    finally:
        fleet.stop()


def killed(folder: str, sts: str) -> None:
    print("4 instances, one killed each second, and Redis once:")
    fleet = Fleet(folder, 4, sts, stores=True)
    over = threading.Event()
    kills = collections.Counter()
    load = Load(fleet)

    def disturb() -> None:
        while not over.wait(1):
            turn = kills["instances"] % 4
            for program in (fleet.servers[turn], fleet.services[turn]):
                program.kill()
                program.start()
            kills["instances"] += 1
            if not kills["redis"] and load.requests() > REQUESTS // 3:
                fleet.redis.kill()
                time.sleep(0.5)
                fleet.redis.start()
                kills["redis"] += 1

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    try:
        load.run(lambda load: load.requests() >= REQUESTS)
        over.set()
        disturbing.join()
        print(f"  killed: {kills['instances']} instances, Redis {kills['redis']} times")
        check(kills["redis"] == 1, "the run was too short to kill Redis")
        load.verify(is_complete=False)
    finally:
        over.set()
        fleet.stop()


def standing(folder: str, sts: str) -> None:
    print("2 instances, Redis stands still:")
    fleet = Fleet(folder, 2, sts)
    try:
        client = Client(fleet.port)
        check(client.key(0)[0] == 200, "no key before")
        fleet.redis.process.send_signal(signal.SIGSTOP)
        times, statuses = [], []
        for number in range(8):
            start = time.monotonic()
            statuses.append(client.key(number % CALLERS)[0])
            statuses.append(client.send("PUT", "/files/a", client.put(number), b"x")[0])
            times.append(time.monotonic() - start)
        fleet.redis.process.send_signal(signal.SIGCONT)
        print(f"  answers {sorted(set(statuses))}, slowest pair {max(times):.2f} s")
        check(set(statuses) == {503}, f"other answers without Redis: {statuses}")
        check(max(times) < 5, "a request hung")
        end = time.monotonic() + 10
        while client.key(1)[0] != 200:
            check(time.monotonic() < end, "no key after Redis went on")
            time.sleep(0.05)
    finally:
        fleet.stop()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cloud = subprocess.Popen(
            [f"{FOLDER}/storage-auth", "serve", "--json", "--account", "load-id:load-secret", "--root",
             os.path.join(folder, "root")], stdout=subprocess.PIPE)
        try:
            sts = json.loads(cloud.stdout.readline())["services"] + "/"
            tests = [lambda place: standing(place, sts), lambda place: undisturbed(place, 2, sts),
                     lambda place: undisturbed(place, 4, sts), lambda place: killed(place, sts)]
            for number, test in enumerate(tests):
                place = os.path.join(folder, f"fleet-{number}")
                os.mkdir(place)
                test(place)
        finally:
            cloud.send_signal(signal.SIGTERM)
            cloud.wait()


if __name__ == "__main__":
    main()
