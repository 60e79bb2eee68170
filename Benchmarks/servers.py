# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""The servers and the programs that the benchmarks measure, each in a separate process on loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

KEY = "bench-id:bench-secret"
REGION = "cn-hangzhou"
ENVIRONMENT = {"OSS_ACCESS_KEY_ID": KEY.split(":")[0], "OSS_ACCESS_KEY_SECRET": KEY.split(":")[1]}


def processor_seconds(pid: int) -> float:
    """Returns the processor time of a process, in user and kernel mode."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Run(NamedTuple):
    """What a process took: seconds, processor seconds in user and kernel mode, and the largest resident memory in bytes."""
    seconds: float
    processor: float
    peak: int


def run(command: list[str], environment: dict[str, str], output: str = os.devnull) -> Run:
    """Runs a program to its end, and exits if it fails."""
    peak = 0
    with open(output, "wb") as file, tempfile.TemporaryFile() as messages:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=file, stderr=messages, env=environment)
        # `ru_maxrss` begins with the memory of this program, from which the process is forked.
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            peak = max(peak, peak_memory(process.pid))
            time.sleep(0.005)
        elapsed = time.monotonic() - start
        _, status, usage = ended
        process.returncode = status
        if status != 0:
            messages.seek(0)
            text = messages.read()[-2000:].decode(errors="replace")
            sys.exit(f"{command} failed with {os.waitstatus_to_exitcode(status)}: {text}")
    return Run(elapsed, usage.ru_utime + usage.ru_stime, peak)


def peak_memory(pid: int) -> int:
    """Returns the largest resident memory of a process so far in bytes, or 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


class LocalCloud:
    """A `storage-auth serve` of a build."""

    def __init__(self, tool: str, folder: str, bucket: str = "bench"):
        self.tool = tool
        self.process = subprocess.Popen(
            [tool, "serve", "--json", "--account", KEY, "--bucket", bucket, "--root", os.path.join(folder, "root")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.urls: dict[str, str] = json.loads(self.process.stdout.readline())
        self.endpoint = self.urls["oss"]

    def processor_seconds(self) -> float:
        return processor_seconds(self.process.pid)

    def presigned(self, method: str, key: str) -> str:
        """Returns a presigned URL of an object, with a V4 signature."""
        scheme, host = self.endpoint.split("://")
        return subprocess.run(
            [self.tool, "presign", method, f"{scheme}://{host}/bench/{key}", "--provider", "oss", "--region", REGION,
             "--expires", "3600"],
            check=True, capture_output=True, text=True, env=os.environ | ENVIRONMENT).stdout.strip()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Nginx:
    """An nginx with one worker that serves a folder, and takes uploads with PUT."""

    CONFIGURATION = """
daemon off; master_process off; worker_processes 1; error_log stderr crit; pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; keepalive_requests 1000000; client_max_body_size 0;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; location / {{ dav_methods PUT; }} }}
}}
"""

    @staticmethod
    def is_installed() -> bool:
        return shutil.which("nginx") is not None

    def __init__(self, folder: str):
        folder = os.path.join(folder, "nginx")
        self.files = os.path.join(folder, "files")
        os.makedirs(self.files, mode=0o777)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(self.CONFIGURATION.format(folder=folder, port=port))
        self.process = subprocess.Popen(["nginx", "-c", configuration, "-p", folder], stderr=subprocess.DEVNULL)
        self.endpoint = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise SystemExit("nginx did not start")

    def processor_seconds(self) -> float:
        return processor_seconds(self.process.pid)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Hummingbird:
    """A server of Hummingbird that responds with a fixed body of 1 KiB."""

    def __init__(self, program: str):
        self.process = subprocess.Popen([program, "hummingbird"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.endpoint = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def processor_seconds(self) -> float:
        return processor_seconds(self.process.pid)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
