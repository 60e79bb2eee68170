# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Replaces ascp in tests: executes a list of steps.

Usage: fake-ascp.py STEPS.json ASCP-ARGUMENTS...
Each step is a list: its name, then its arguments.
"""

import json
import os
import signal
import socket
import stat
import subprocess
import sys

connection = None
received = b""


def connect():
    global connection
    port = int(sys.argv[sys.argv.index("-M") + 1])
    connection = socket.create_connection(("127.0.0.1", port))


def send(text):
    """Sends frames unchanged."""
    connection.sendall(text.encode())


def trickle(text):
    """Sends frames byte by byte."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in text.encode():
        connection.sendall(bytes([byte]))


def noise(count):
    """Sends bytes that are not frames."""
    connection.sendall(bytes(range(256)) * (count // 256))


def expect(text, file=None):
    """Reads until a text is received; writes all received data to a file."""
    global received
    while text.encode() not in received:
        more = connection.recv(65536)
        if not more:
            break
        received += more
    if file:
        write(file, received.decode())


def expect_end():
    """Reads until the other side closes the connection."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass


def close():
    connection.close()


def close_output():
    os.close(1)
    os.close(2)


def print_error(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def flood(count):
    """Prints to standard output and standard error."""
    line = "x" * 1023 + "\n"
    for _ in range(count // len(line)):
        sys.stdout.write(line)
        sys.stderr.write(line)


def ignore_termination():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def note_termination(file):
    """Creates a file and exits with status 143 on SIGTERM."""

    def terminated(*_):
        write(file, "SIGTERM")
        os._exit(143)

    signal.signal(signal.SIGTERM, terminated)


def spawn(file):
    """Starts a program that ignores SIGTERM and keeps every descriptor open; writes its process ID to a file."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal\nsignal.alarm(300)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.pause()"],
        close_fds=False,
    )
    write(file, str(child.pid))


def share():
    """Makes child programs inherit the connection."""
    os.set_inheritable(connection.fileno(), True)


def describe(file):
    """Writes the arguments, environment and files of this program as JSON."""
    lists = {}
    for argument in sys.argv[2:]:
        for path in argument.split("=")[-1:]:
            if os.path.isabs(path) and os.path.isfile(path):
                folder = os.path.dirname(path)
                with open(path, encoding="utf-8") as opened:
                    lists[path] = {
                        "text": opened.read(),
                        "mode": stat.S_IMODE(os.stat(path).st_mode),
                        "folder": stat.S_IMODE(os.stat(folder).st_mode),
                    }
    write(
        file,
        json.dumps(
            {
                "pid": os.getpid(),
                "group": os.getpgrp(),
                "arguments": sys.argv[2:],
                "environment": dict(os.environ),
                "input": sys.stdin.read(),
                "files": lists,
            }
        ),
    )


def pause():
    while True:
        signal.pause()


def leave(status):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def write(file, text):
    """Writes a file atomically; {session} in its name becomes the number of the session, if there are several."""
    numbers = [argument[2:].split(":")[0] for argument in sys.argv[2:] if argument.startswith("-C")]
    file = file.replace("{session}", "-" + numbers[0] if numbers else "")
    with open(file + ".part", "w", encoding="utf-8") as opened:
        opened.write(text)
    os.rename(file + ".part", file)


# A program that a test leaves running ends by itself.
signal.alarm(300)
with open(sys.argv[1], encoding="utf-8") as opened:
    steps = json.load(opened)
for name, *arguments in steps:
    globals()[name](*arguments)
leave(0)
