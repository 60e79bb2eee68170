#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs the programs of the tutorials, and those that pages open with, and compares what they print.

Run after `swift build --traits CommandLine`, from anywhere; `BIN_PATH` names the folder of the build. A program is
compiled from the files that the last step of a tutorial leaves, or from a block of a page, and linked with the objects
of an example. Ports and the page's domain are replaced by free ports of this machine.

    Tests/Documentation/run-tutorials.py                  # all
    Tests/Documentation/run-tutorials.py VerifyRequests   # one of them
"""
import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, settings
from pages import blocks, steps

CATALOG = os.path.join(ROOT, "Documentation/SwiftStorageAuth/SwiftStorageAuth.docc")
SERVERS = "Sources/Server/StorageAuthServer/StorageAuthServer.docc"
TIME_LIMIT = 60
# For each tutorial or page: the server, the program that ends by itself, and what this one prints.
RUNS = {
    "UploadYourFirstObject": (None, "FirstUpload", ["18 bytes of", "listed: 2026/cat.jpg", "a picture of a cat"]),
    "TemporaryKeysForAnApp": ("KeyServer", "PhotoApp", ["Refresh:", "a cat", "Refused: AccessDenied"]),
    "DirectUploadsToCOS": ("KeyServer", "PhotoApp", ["from", "Listed: users/mia/cat.txt", "Refused: AccessDenied"]),
    "VerifyRequests": ("FileService", "FileClient", ["a cat", "Refused: SignatureDoesNotMatch"]),
    "VerifyingRequests": ("Server", "Client", []),
    "IssuingTemporaryKeys": ("Server", "Client", ["STS."]),
    "OSS": (None, "Client", ["200"]),
    "AsperaTokens": (None, "Client", ["Reason.expired", ".success("]),
}
# The client of a page that shows only the server.
ISSUED = """
import StorageClient
let keys = CredentialCache(AppServerCredentialProvider(source: "the page's server") {
  AppServerRequest("http://127.0.0.1:8080/api/distribute-token.json", headers: [.authorization: "Bearer mia-token"])
})
print(try await keys.credential().id)
"""
# For each page: its folder, the block with each program or the program itself, and the arguments of the local cloud that it
# supposes; the last of them is the port of the service in question.
PAGES = {
    "VerifyingRequests": (SERVERS, {"Server": 0, "Client": 1}, None),
    "IssuingTemporaryKeys": (
        SERVERS, {"Server": 0, "Client": ISSUED}, ["--account", "id:secret", "--bucket", "photos", "--services-port", "9003"]),
    "OSS": (
        "Sources/Providers/OSSAuth/OSSAuth.docc", {"Client": 1},
        ["--account", "test-id:test-secret", "--bucket", "photos", "--oss-port", "9000"]),
    "AsperaTokens": (
        "Sources/Providers/AsperaAuth/AsperaAuth.docc", {"Client": -1},
        ["--account", "id:secret", "--transfer-token-lifetime", "3", "--node-port", "9004"]),
}
PORTS = ["8080", "9000", "9001", "9003", "9004"]
# The last step that runs without an account, where there are later ones.
LAST = {"UploadYourFirstObject": "upload-08-statistics.swift"}


def tutorial(name):
    """The files of each program of a tutorial after its last step, by the name of the program."""
    present = {}
    for place, file in steps(os.path.join(CATALOG, "Tutorials", f"{name}.tutorial")):
        if os.path.dirname(place):
            with open(os.path.join(CATALOG, "Resources", file), encoding="utf-8") as source:
                present.setdefault(os.path.basename(os.path.dirname(place)), {})[os.path.basename(place)] = source.read()
        if file == LAST.get(name):
            break
    return present


def page(name):
    """The main programs of a page, of which a client may name a domain, and the arguments of the local cloud."""
    folder, programs, cloud = PAGES[name]
    found = ["".join(lines) for _, lines in blocks(os.path.join(ROOT, folder, f"{name}.md"))]
    texts = {program: found[text] if isinstance(text, int) else text for program, text in programs.items()}
    return {
        program: {"main.swift": text.replace("https://files.example.com", "http://127.0.0.1:8080")}
        for program, text in texts.items()
    }, cloud


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def with_ports(text, ports):
    """A text in which the ports of the documentation are replaced by free ones."""
    return re.sub(rf"\b({'|'.join(PORTS)})\b", lambda match: str(ports[match.group()]), text)


def compiled(program, files, ports, folder):
    """The path of a program, which is compiled here."""
    paths = []
    for name, text in files.items():
        paths.append(os.path.join(folder, f"{program}-{name}" if len(files) > 1 else name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(with_ports(text, ports))
    built = binaries()
    with open(os.path.join(built, "VerifiedServiceExample.product/Objects.LinkFileList"), encoding="utf-8") as file:
        objects = [line for line in file if "/VerifiedServiceExample.build/" not in line]
    listed = os.path.join(folder, f"{program}.objects")
    with open(listed, "w", encoding="utf-8") as file:
        file.writelines(objects)
    libraries = ["-lz"] if sys.platform == "darwin" else ["-lcrypto", "-lstdc++", "-lm", "-lz", "-ldl", "-use-ld=lld", "-Xlinker", "-s"]
    output = os.path.join(folder, program)
    outcome = subprocess.run(
        ["swiftc", "-emit-executable", "-o", output, "-module-name", program, "-swift-version", "6", "-suppress-warnings",
         *([] if "main.swift" in files else ["-parse-as-library"]), *settings(built), *paths, f"@{listed}", *libraries],
        cwd=ROOT, check=False)
    if outcome.returncode:
        sys.exit(f"tutorials: {program} cannot be built")
    return output


@contextlib.contextmanager
def serving(command, port):
    """Runs a server until the end of the block, which begins when it accepts connections; yields a file with its output."""
    if not command:
        yield io.BytesIO()
        return
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
        try:
            for _ in range(TIME_LIMIT * 10):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if server.poll() is not None:
                    break
                time.sleep(0.1)
            yield output
        finally:
            server.kill()
            server.wait()


def check(name):
    """Runs the programs of a tutorial or a page; returns whether the last one ends well and prints what is expected."""
    server, client, expected = RUNS[name]
    programs, cloud = page(name) if name in PAGES else (tutorial(name), None)
    environment = os.environ | {
        "SWIFT_BACKTRACE": "enable=no", "STORAGE_AUTH_ASCP": os.path.join(binaries(), "ascp-simulator")}
    ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    if cloud:
        cloud = [os.path.join(binaries(), "storage-auth"), "serve", *(with_ports(argument, ports) for argument in cloud)]
    with tempfile.TemporaryDirectory() as folder:
        built = {program: compiled(program, programs[program], ports, folder) for program in (server, client) if program}
        with serving(cloud, cloud and int(cloud[-1])), serving([built[server]] if server else None, ports["8080"]) as output:
            run = subprocess.run(
                [built[client]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT,
                env=environment, check=False)
            output.seek(0)
            log = output.read().decode(errors="replace")
    missing = [text for text in expected if text not in run.stdout]
    if run.returncode or missing:
        print(f"{name}: {client} ended with the status {run.returncode}, without {missing}:\n{run.stdout}{log}")
    return not run.returncode and not missing


def main():
    names = sys.argv[1:] or list(RUNS)
    failed = [name for name in names if not check(name)]
    print(f"tutorials: {len(names) - len(failed)} of {len(names)} ran as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
