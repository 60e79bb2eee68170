# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Starts the examples that serve until they are stopped, asks them over HTTP, and stops them."""
import base64
import contextlib
import email.utils
import hashlib
import hmac
import json
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def started(command, environment, time_limit, ready):
    """Runs a program until the end of the block, and yields it with the first line that it prints with a given start."""
    program = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killer = threading.Timer(time_limit, program.kill)
    killer.start()
    try:
        yield program, next((line.rstrip("\n") for line in program.stdout if line.startswith(ready)), "")
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait()
        killer.cancel()
        program.stdout.close()


def ask(method, url, body=None, headers=None):
    """The status and the body of the response to a request."""
    request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def exchange(method, url, body=None, headers=None, shown=True):
    """The lines about a request and its response; JSON is indented."""
    status, text = ask(method, url, body, headers)
    lines = [f"> {method} {urllib.parse.urlsplit(url).path}", f"< {status}"]
    with contextlib.suppress(ValueError):
        text = json.dumps(json.loads(text), indent=2, sort_keys=True)
    return lines + [f"  {line}" for line in text.splitlines() if shown]


def multipart(form, content):
    """The body and the headers with which a browser posts a picture with the fields of a form."""
    boundary = "boundary-of-the-example"
    fields = form["fields"] + [[name, "image/png"] for name in form["openFields"]]
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields]
    parts.append(
        f'Content-Disposition: form-data; name="file"; filename="cat.png"\r\nContent-Type: image/png\r\n\r\n{content}')
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts) + f"--{boundary}--\r\n"
    return body.encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def form_upload(program, environment, time_limit):
    """Gets the page and a form for each service from FormUploadExample, and posts a file with each form."""
    port = free_port()
    with started([program, "--port", str(port)], environment, time_limit, "open ") as (running, line):
        page = f"http://127.0.0.1:{port}"
        lines = ["$ FormUploadExample --port PORT", line, *exchange("GET", f"{page}/", shown=False)]
        for service in ("oss", "cos"):
            url = f"{page}/forms/{service}"
            lines += exchange("GET", url)
            form = json.loads(ask("GET", url)[1])
            lines += exchange("POST", form["url"], *multipart(form, "a picture"))
        lines += exchange("GET", f"{page}/forms/ftp")
    return [*lines, f"(exit status {running.returncode})"]


def oss_v1(method, path, account, content_type=""):
    """The headers with which the vendor's page "Include a V1 signature in the Authorization header" signs a request."""
    date = email.utils.formatdate(usegmt=True)
    text = f"{method}\n\n{content_type}\n{date}\n{path}"
    code = base64.b64encode(hmac.new(account["secret"].encode(), text.encode(), hashlib.sha1).digest()).decode()
    headers = {"Date": date, "Authorization": f"OSS {account['id']}:{code}"}
    return headers | ({"Content-Type": content_type} if content_type else {})


def verified_service(program, environment, time_limit):
    """Sends signed and unsigned requests to VerifiedServiceExample; the signatures are computed here."""
    with started([program], environment, time_limit, "{") as (running, line):
        ready = json.loads(line)
        url, first, second = ready["url"], *ready["accounts"]
        lines = ["$ VerifiedServiceExample", line]
        path = "/files/cat.txt"
        lines += ["# without a signature", *exchange("GET", url + path)]
        lines += ["# with the signature of the first account"]
        lines += exchange("PUT", url + path, b"a cat", oss_v1("PUT", path, first, "text/plain"))
        lines += exchange("GET", url + path, headers=oss_v1("GET", path, first))
        lines += ["# the second account has files of its own"]
        lines += exchange("GET", url + path, headers=oss_v1("GET", path, second))
        lines += ["# with a wrong secret"]
        lines += exchange("DELETE", url + path, headers=oss_v1("DELETE", path, first | {"secret": "guess"}))
        lines += ["# a signature is used once"]
        headers = oss_v1("DELETE", path, first)
        lines += exchange("DELETE", url + path, headers=headers)
        lines += exchange("DELETE", url + path, headers=headers)
    return [*lines, f"(exit status {running.returncode})"]
