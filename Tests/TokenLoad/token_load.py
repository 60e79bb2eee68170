# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the token server under load on loopback: requests per second, latency, memory, requests to the token service,
and that a caller over its rate does not affect other callers. With `--svg FILE`, draws the load at several numbers of
connections."""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Benchmarks"))
from bars import draw

TOOL = os.environ["STORAGE_AUTH"]
SECONDS = int(os.environ.get("SECONDS_OF_LOAD", 8))
CONNECTIONS = int(os.environ.get("CONNECTIONS", 256))
CALLERS = 64
# The numbers of connections of the drawing.
STEPS = (16, 64, 256)
ROLE = "acs:ram::1250000000:role/localcloud"

WRK_SCRIPT = """
local tokens = {}
for token in string.gmatch(os.getenv("TOKENS"), "%S+") do tokens[#tokens + 1] = token end
local turn = 0
request = function()
  turn = turn % #tokens + 1
  return wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. tokens[turn] })
end
local threads = {}
setup = function(thread) threads[#threads + 1] = thread end
statuses = {}
response = function(status, headers, body)
  statuses[status] = (statuses[status] or 0) + 1
end
done = function(summary, latency, requests)
  local total = {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("statuses")) do total[status] = (total[status] or 0) + count end
  end
  for status, count in pairs(total) do io.write(string.format("status %d: %d\\n", status, count)) end
  io.write(string.format("p50 %.2f p90 %.2f p99 %.2f max %.2f\\n", latency:percentile(50) / 1000,
    latency:percentile(90) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
  io.write(string.format("rate %.0f\\n", summary.requests / summary.duration * 1e6))
  io.write(string.format("errors %d\\n", summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.timeout))
end
"""


def token(number: int) -> str:
    return f"token-of-caller-number-{number}"


class Server:
    """The token server, with its audit log."""

    def __init__(self, folder: str, sts: str, rate: int):
        callers = os.path.join(folder, "callers")
        with open(callers, "w") as file:
            file.writelines(f"caller{number} {token(number)}\n" for number in range(CALLERS))
        os.chmod(callers, 0o600)
        self.log_path = os.path.join(folder, f"audit-{rate}")
        self.log = open(self.log_path, "wb")
        environment = os.environ | {"OSS_ACCESS_KEY_ID": "load-id", "OSS_ACCESS_KEY_SECRET": "load-secret"}
        environment.pop("OSS_SESSION_TOKEN", None)
        self.process = subprocess.Popen(
            [TOOL, "token-server", "--provider", "oss", "--callers", callers, "--bucket", "load", "--role", ROLE,
             "--sts", sts, "--rate", str(rate), "--json"],
            stdout=subprocess.PIPE, stderr=self.log, env=environment)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def get(self, number: int) -> tuple[int, dict, str | None]:
        request = urllib.request.Request(self.url, headers={"Authorization": f"Bearer {token(number)}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer), None
        except urllib.error.HTTPError as error:
            return error.code, json.load(error), error.headers.get("Retry-After")

    def stop(self) -> float:
        """Stops the server and returns its peak memory in MiB."""
        self.process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.log.close()
        if status != 0:
            sys.exit(f"the token server stopped with status {status}")
        return usage.ru_maxrss / 1024

    def keys(self) -> dict[str, set[str]]:
        """Returns the IDs of the keys that each caller received."""
        found: dict[str, set[str]] = {}
        with open(self.log_path) as file:
            for caller, key in re.findall(r"^\S+ (\S+) got (\S+)", file.read(), re.MULTILINE):
                found.setdefault(caller, set()).add(key)
        return found


def wrk(folder: str, url: str, numbers: range, seconds: int, connections: int) -> dict:
    script = os.path.join(folder, "load.lua")
    with open(script, "w") as file:
        file.write(WRK_SCRIPT)
    printed = subprocess.run(
        ["wrk", "-t", "2", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "60s", "-s", script, url],
        check=True, capture_output=True, text=True,
        env=os.environ | {"TOKENS": " ".join(token(number) for number in numbers)}).stdout
    latency = re.search(r"^p50 (\S+) p90 (\S+) p99 (\S+) max (\S+)", printed, re.MULTILINE)
    return {
        "statuses": {int(status): int(count) for status, count in re.findall(r"status (\d+): (\d+)", printed)},
        "rate": int(re.search(r"^rate (\d+)", printed, re.MULTILINE)[1]),
        "errors": int(re.search(r"^errors (\d+)", printed, re.MULTILINE)[1]),
        "p50": float(latency[1]), "p90": float(latency[2]), "p99": float(latency[3]), "max": float(latency[4]),
    }


def check(condition: bool, problem: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {problem}")


def many_callers(folder: str, sts: str) -> None:
    server = Server(folder, sts, rate=0)
    result = wrk(folder, server.url, range(CALLERS), SECONDS, CONNECTIONS)
    peak = server.stop()
    keys = server.keys()
    total = sum(result["statuses"].values())
    print(f"{CALLERS} callers over {CONNECTIONS} connections: {total} responses in {SECONDS} s, {result['rate']} per s, "
          f"p50 {result['p50']:.1f} ms, p99 {result['p99']:.1f} ms, slowest {result['max']:.0f} ms; peak {peak:.0f} MiB")
    print(f"requests to the token service: {sum(map(len, keys.values()))} for {len(keys)} scopes")
    check(set(result["statuses"]) == {200} and result["errors"] == 0, f"a response contained no key: {result}")
    check(len(keys) == CALLERS and all(len(ids) == 1 for ids in keys.values()), "a scope caused more than one request")
    check(peak < 300, f"{peak:.0f} MiB exceed the limit")


def greedy_caller(folder: str, sts: str) -> None:
    rate = 30
    server = Server(folder, sts, rate=rate)
    polite: list[int] = []
    times: list[float] = []

    def ask() -> None:
        for turn in range(3 * (CALLERS - 1)):
            start = time.monotonic()
            polite.append(server.get(1 + turn % (CALLERS - 1))[0])
            times.append(time.monotonic() - start)

    asking = threading.Thread(target=ask)
    asking.start()
    result = wrk(folder, server.url, range(1), max(2, SECONDS // 2), 16)
    asking.join()
    # One of these requests may be allowed again.
    status, body, delay = min((server.get(0) for _ in range(3)), key=lambda answer: -answer[0])
    server.stop()
    statuses = result["statuses"]
    seconds = max(2, SECONDS // 2)
    print(f"a caller over its rate of {rate} a minute: {statuses}; {len(polite)} concurrent requests of others: "
          f"{polite.count(200)} keys, slowest {max(times) * 1000:.0f} ms")
    check(set(statuses) == {200, 429}, f"responses other than keys and 429: {statuses}")
    check(statuses[200] <= rate + seconds + 1, "the rate was exceeded")
    check(status == 429 and delay is not None and body["ErrorCode"] == "TooManyRequests", "429 without a code or a time")
    check(polite.count(200) == len(polite), "another caller was rejected")


def plot(folder: str, sts: str, path: str) -> None:
    """Draws responses per second and latencies at several numbers of connections."""
    found = {}
    for connections in STEPS:
        server = Server(folder, sts, rate=0)
        found[connections] = wrk(folder, server.url, range(CALLERS), SECONDS, connections)
        server.stop()
    panels = [("Responses per second", "", [(f"{number} connections", row["rate"]) for number, row in found.items()])]
    for name, key in (("Median latency", "p50"), ("90th percentile", "p90"), ("99th percentile", "p99")):
        panels.append((name, "ms", [(f"{number} connections", row[key]) for number, row in found.items()]))
    text = "; ".join(
        f"{number} connections: {row['rate']} responses per second, median {row['p50']:.1f} ms, 99th percentile "
        f"{row['p99']:.1f} ms" for number, row in found.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(panels, "The token server under load", f"{text}."))
    print(f"{path}: {text}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cloud = subprocess.Popen(
            [TOOL, "serve", "--json", "--account", "load-id:load-secret", "--root", os.path.join(folder, "root")],
            stdout=subprocess.PIPE)
        try:
            sts = json.loads(cloud.stdout.readline())["services"] + "/"
            many_callers(folder, sts)
            greedy_caller(folder, sts)
            if arguments.svg:
                plot(folder, sts, arguments.svg)
        finally:
            cloud.send_signal(signal.SIGTERM)
            cloud.wait()


if __name__ == "__main__":
    main()
