# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks the Dockerfile, compose.yaml, the configuration of nginx and the unit of systemd, without a container engine.

The rules are checked first. Then the steps of the Dockerfile are run in a root directory, and the services of the
composition in a network of their own; see composed.py. BUILD=1 compiles the program as the Dockerfile does, in release
configuration. FOLDER is for the results, and STORAGE_AUTH the program that is used otherwise.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import composition
import dockerfile
import image
from image import note, run

CONTEXT = pathlib.Path(__file__).resolve().parents[2]
DEPLOYMENT = CONTEXT / "Examples/Deployment"
FOLDER = pathlib.Path(os.environ.get("FOLDER", CONTEXT / ".build/container"))
VARIABLES = {"BUCKET": "photos", "ROLE": "acs:ram::1250000000:role/localcloud"}


def fail(problems: list[str], subject: str) -> None:
    for problem in problems:
        print(f"FAILED: {subject}: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)


def skipped(text: str) -> None:
    print(f"=== SKIPPED: {text} ===", file=sys.stderr, flush=True)


def lint() -> tuple[list[dockerfile.Stage], dict]:
    """Checks what needs no root and no other program, and runs the linters that are installed."""
    print("rules", flush=True)
    stages = dockerfile.read((CONTEXT / "Dockerfile").read_text())
    fail(dockerfile.problems(stages), "Dockerfile")
    composed = composition.read((DEPLOYMENT / "compose.yaml").read_text(), VARIABLES)
    fail(composition.problems(composed), "compose.yaml")
    if shutil.which("hadolint"):
        # Versions of Debian's packages are replaced by security updates, so they are not pinned.
        run(["hadolint", "--ignore", "DL3008", str(CONTEXT / "Dockerfile")])
        note("hadolint has no findings")
    else:
        skipped("hadolint is missing")
    if shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True,
                                                 check=False).returncode == 0:
        run(["docker", "compose", "--file", str(DEPLOYMENT / "compose.yaml"), "config", "--quiet"], env=os.environ | VARIABLES)
        note("docker compose accepts compose.yaml")
    else:
        note("docker compose is not installed: compose.yaml is read by this check alone")
    return stages, composed


def unit() -> None:
    """Checks the unit with the tools of systemd."""
    print("systemd", flush=True)
    if not shutil.which("systemd-analyze"):
        return skipped("systemd-analyze is missing")
    source = (DEPLOYMENT / "storage-auth-token-server.service").read_text()
    with tempfile.TemporaryDirectory() as folder:
        # The program is not installed on this machine.
        path = pathlib.Path(folder, "storage-auth-token-server.service")
        path.write_text(source.replace("/usr/local/bin/storage-auth", "/bin/true"))
        found = run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True)
        fail([line for line in (found.stdout + found.stderr).split("\n") if line], "unit")
        score = run(["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(path)],
                    capture_output=True, text=True)
        note(re.search(r"Overall exposure level.*", score.stdout)[0])
    # The options are those of the program.
    command = re.search(r"^ExecStart=\S+ (.*)$", source, re.MULTILINE)[1].split()
    return check_options(command)


def check_options(command: list[str]) -> None:
    """Checks that a command has only options that the program knows."""
    program = os.environ.get("STORAGE_AUTH")
    if not program:
        return
    known = run([program, command[0], "--help"], capture_output=True, text=True).stdout
    options = {word.split("=")[0] for word in command if word.startswith("--")}
    unknown = sorted(option for option in options if not re.search(rf"{option}\b", known))
    fail([f"the program has no option {option}" for option in unknown], command[0])


def main() -> None:
    stages, document = lint()
    unit()
    for service in ("token-server-1", "token-server-2"):
        check_options(document["services"][service]["command"])
    local = composition.read((CONTEXT / "Examples/LocalCloud/compose.yaml").read_text(), {})
    check_options(local["services"]["cloud"]["command"])
    missing = [name for name in ("debootstrap", "unshare", "chroot", "nginx", "redis-server", "redis-cli", "ip",
                                 "curl", "openssl") if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        skipped("the steps of the Dockerfile were not run: " + (f"{', '.join(missing)} missing" if missing else "no root"))
        sys.exit(1 if os.environ.get("STORAGE_AUTH_REQUIRE_CONTAINER") else 0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("image", flush=True)
    program = None if os.environ.get("BUILD") == "1" else pathlib.Path(os.environ["STORAGE_AUTH"])
    try:
        root = image.assemble(stages, CONTEXT, FOLDER, program)
    except image.TooSlow as error:
        return skipped(f"the services were not run: {error}")
    entry = stages[-1].all("ENTRYPOINT")[0].words
    print("services", flush=True)
    here = pathlib.Path(__file__).resolve().parent
    composed = subprocess.run(
        ["unshare", "--mount", "--net", "--fork", "--kill-child", sys.executable, str(here / "composed.py"),
         str(root.path), root.user, *entry], timeout=300, check=False)
    if composed.returncode != 0:
        sys.exit(1)
    print("container: the Dockerfile, the composition and the unit are as they should be")


if __name__ == "__main__":
    main()
