# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""The servers that the benchmarks measure, each in a separate process on loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time

KEY = "bench-id:bench-secret"
REGION = "cn-hangzhou"
ENVIRONMENT = {"OSS_ACCESS_KEY_ID": KEY.split(":")[0], "OSS_ACCESS_KEY_SECRET": KEY.split(":")[1]}


def processor_seconds(pid: int) -> float:
    """Returns the processor time of a process, in user and kernel mode."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LocalCloud:
    """A `storage-auth serve` of a build."""

    def __init__(self, tool: str, folder: str):
        self.tool = tool
        self.process = subprocess.Popen(
            [tool, "serve", "--json", "--account", KEY, "--bucket", "bench", "--root", os.path.join(folder, "root")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.endpoint = json.loads(self.process.stdout.readline())["oss"]

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
