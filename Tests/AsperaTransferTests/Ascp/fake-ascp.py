"""Stands in for ascp in tests: does what a list of steps says.

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
    """Frames as they are."""
    connection.sendall(text.encode())


def trickle(text):
    """Frames byte by byte."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in text.encode():
        connection.sendall(bytes([byte]))


def noise(count):
    """Bytes that are no frames."""
    connection.sendall(bytes(range(256)) * (count // 256))


def expect(text, file=None):
    """Reads until a text has come; all that came so far is written to a file."""
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
    """Prints to both outputs."""
    line = "x" * 1023 + "\n"
    for _ in range(count // len(line)):
        sys.stdout.write(line)
        sys.stderr.write(line)


def ignore_termination():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def note_termination(file):
    """Ends with status 143 on SIGTERM, and leaves a file."""

    def terminated(*_):
        write(file, "SIGTERM")
        os._exit(143)

    signal.signal(signal.SIGTERM, terminated)


def spawn(file):
    """Starts a program that ignores SIGTERM and keeps every descriptor open; its process id goes to a file."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal\nsignal.alarm(300)\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.pause()"],
        close_fds=False,
    )
    write(file, str(child.pid))


def share():
    """Lets programs that are started inherit the connection."""
    os.set_inheritable(connection.fileno(), True)


def describe(file):
    """What this program was started with, as JSON."""
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
    """A file appears with all of its text."""
    with open(file + ".part", "w", encoding="utf-8") as opened:
        opened.write(text)
    os.rename(file + ".part", file)


# Whatever a test leaves behind ends by itself.
signal.alarm(300)
with open(sys.argv[1], encoding="utf-8") as opened:
    steps = json.load(opened)
for name, *arguments in steps:
    globals()[name](*arguments)
leave(0)
