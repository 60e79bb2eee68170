# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs the steps of a Dockerfile in a root directory, as a container engine would, without one.

The image of the last stage is the Debian release of its name, made by debootstrap. The stage that compiles is run in a copy
of this machine's own file system if it is wanted; otherwise a program that was built before takes the place of its result.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from dockerfile import Stage, Step


class TooSlow(Exception):
    """The error if packages cannot be fetched in time."""


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, check=True, **options)


def note(text: str) -> None:
    print(f"    {text}", flush=True)


class Root:
    """A root directory, in which commands run as in a container that is built."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        self.folder = "/"
        self.user = "0:0"

    def inside(self, path: str) -> pathlib.Path:
        absolute = path if path.startswith("/") else os.path.join(self.folder, path)
        return pathlib.Path(f"{self.path}{os.path.normpath(absolute)}")

    def shell(self, command: str) -> None:
        """Runs a command of RUN, with the network and a /proc of its own."""
        script = f"mount -t proc proc {self.path}/proc && exec chroot --userspec={self.user} {self.path} " \
                 f"/bin/sh -c 'cd \"$0\" && eval \"$1\"' \"$0\" \"$1\""
        shutil.copy("/etc/resolv.conf", self.inside("/etc/resolv.conf"))
        run(["unshare", "--mount", "--pid", "--fork", "/bin/sh", "-c", script, self.folder, command], timeout=3600,
            env=self.environment | {"DEBIAN_FRONTEND": "noninteractive"}, stdout=subprocess.DEVNULL)


def copy(step: Step, root: Root, source: pathlib.Path, ignored: bool) -> None:
    """Copies what a COPY names; `source` is the context of the build, or the root of an earlier stage."""
    *names, target = [word for word in step.words if not word.startswith("--")]
    for name in names:
        origin = source / name.lstrip("/")
        if not origin.exists():
            sys.exit(f"FAILED: line {step.line}: COPY {name}: there is no such file")
        if ignored and not is_in_context(name, source):
            sys.exit(f"FAILED: line {step.line}: COPY {name}: .dockerignore leaves it out")
        destination = root.inside(target)
        if origin.is_dir():
            shutil.copytree(origin, destination, symlinks=True, dirs_exist_ok=True)
        else:
            if target.endswith("/"):
                destination = destination / origin.name
            destination.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, destination)


def is_in_context(name: str, source: pathlib.Path) -> bool:
    """Returns whether .dockerignore, whose first line of rules must be `*`, lets a file into the context."""
    rules = [line for line in (source / ".dockerignore").read_text().split("\n") if line and not line.startswith("#")]
    if rules[:1] != ["*"] or not all(re.fullmatch(r"![\w./-]+", rule) for rule in rules[1:]):
        sys.exit("FAILED: .dockerignore must leave out everything, and then name what it lets in")
    return name.strip("./") in {rule[1:] for rule in rules[1:]}


def base(image: str, folder: pathlib.Path) -> Root:
    """Makes the root directory of an image of Debian; an archive of it is kept for the next run."""
    match = re.fullmatch(r"debian:([a-z]+)-slim", image)
    if not match:
        sys.exit(f"FAILED: {image}: this check can make images of Debian only")
    archive = folder / f"debian-{match[1]}.tar"
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    if not archive.exists():
        note(f"debootstrap of {match[1]}")
        limit = int(os.environ.get("LIMIT", 7200)) // 2
        try:
            run(["debootstrap", "--variant=minbase", match[1], str(root)], stdout=subprocess.DEVNULL, timeout=limit)
        except subprocess.TimeoutExpired:
            raise TooSlow(f"debootstrap did not end in {limit} seconds") from None
        run(["tar", "--create", "--file", f"{archive}.part", "--directory", str(root), "."])
        os.rename(f"{archive}.part", archive)
    else:
        run(["tar", "--extract", "--file", str(archive), "--directory", str(root)])
    return Root(root)


def assemble(stages: list[Stage], context: pathlib.Path, folder: pathlib.Path, program: pathlib.Path | None) -> Root:
    """Runs the steps of all stages, and returns the root of the last one.

    `program` takes the place of what the first stage compiles; without it, that stage compiles.
    """
    results: dict[str, pathlib.Path] = {}
    for number, stage in enumerate(stages, 1):
        last = number == len(stages)
        note(f"stage {number}: {stage.image}")
        root = base(stage.image, folder) if last else Root(folder / f"stage-{number}")
        if not last:
            shutil.rmtree(root.path, ignore_errors=True)
            root.path.mkdir(parents=True)
        for step in stage.steps:
            note(f"{step.name} {step.text[:100]}")
            if step.name == "WORKDIR":
                root.folder = step.text
                root.inside(".").mkdir(parents=True, exist_ok=True)
            elif step.name == "ENV":
                root.environment |= dict([step.text.split("=", 1)])
            elif step.name == "USER":
                root.user = step.text
            elif step.name == "COPY":
                origin = next((word[7:] for word in step.words if word.startswith("--from=")), None)
                copy(step, root, results[origin] if origin else context, ignored=origin is None)
            elif step.name == "RUN" and last:
                root.shell(step.text)
            elif step.name == "RUN":
                compile_step(step, root, program)
        if stage.name:
            results[stage.name] = root.path
    return root


def compile_step(step: Step, root: Root, program: pathlib.Path | None) -> None:
    """Runs a step of the stage that compiles, or replaces it."""
    if "apt-get install" in step.text:
        packages = re.search(r"--no-install-recommends ([^&]+)", step.text)[1].split()
        run(["apt-get", "install", "--simulate", "--quiet=2", *packages], stdout=subprocess.DEVNULL)
        note("(simulated with the packages of this machine)")
        return
    if "swift build" not in step.text:
        sys.exit(f"FAILED: line {step.line}: this check does not know the step")
    output = re.search(r" (\S+) (/\S+)$", step.text)
    if program:
        check_manifest(root)
        note(f"=== REPLACED: {step.text.split(' && ')[0]} by {program}; BUILD=1 compiles ===")
        target = root.inside(output[2])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, target)
        return
    # The copied files are compiled where they are, with this machine's toolchain, in an environment of their own.
    text = step.text.replace(f" {output[2]}", f" {root.inside(output[2])}")
    run(["/bin/sh", "-c", text], cwd=root.inside("."), timeout=7200,
        env={key: value for key, value in os.environ.items() if not key.startswith("STORAGE_AUTH")} | root.environment
        | {"PATH": os.environ["PATH"]})


def check_manifest(root: Root) -> None:
    """Checks that the copied files have the sources of every target that is left in the manifest."""
    import json
    text = run(["swift", "package", "--package-path", str(root.inside(".")), "dump-package"], capture_output=True,
               text=True, env=os.environ | {"STORAGE_AUTH_ONLY": root.environment.get("STORAGE_AUTH_ONLY", "")}).stdout
    targets = json.loads(text)["targets"]
    for target in targets:
        path = target.get("path") or f"Sources/{target['name']}"
        if not root.inside(path).is_dir():
            sys.exit(f"FAILED: the Dockerfile does not copy {path}, the sources of {target['name']}")
    note(f"the sources of {len(targets)} targets are there")
