#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Compares the public API of the libraries with that of the last release, by `swift package diagnose-api-breaking-changes`.

Usage: check-api.py [TAG]

TAG is a release to compare with; without it, the last version tag that HEAD descends from is taken. Without such a tag the
check is skipped, and says so. The API of a tag is computed once and stored in .build/api-baseline.

Breaking changes that are intended are listed in Tests/API/allowed-breakages.txt, one message a line as the tool prints it;
lines that start with `#` are comments. The list is emptied after a release.

The tool of Swift 6.3 counts `package` and SPI declarations as public
(https://github.com/swiftlang/swift-package-manager/issues/10010). They are therefore removed from the stored API of the tag;
and a public declaration that became `package`, which the tool does not report, is looked for here.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, run, settings

ALLOWED = os.path.join(ROOT, "Tests/API/allowed-breakages.txt")
STORE = os.path.join(ROOT, ".build/api-baseline")
VERSION = re.compile(r"v?\d+\.\d+\.\d+")


def last_release():
    """Returns the newest version tag among the ancestors of HEAD, or None. Pre-releases are left out."""
    tags = run("git", "tag", "--merged", "HEAD", "--sort=-version:refname").split()
    return next((tag for tag in tags if VERSION.fullmatch(tag)), None)


def skip(reason):
    print(f"=== SKIPPED: the public API was not compared with a release: {reason} ===", file=sys.stderr)
    return 0


def libraries():
    """Returns the names of the library products; each has one target, of the same name."""
    products = json.loads(run("swift", "package", "dump-package"))["products"]
    return sorted(product["name"] for product in products if "library" in product["type"])


def diagnose(tag, allowed):
    """Runs the tool, which builds the tag in a folder of its own, and returns its status and output."""
    process = subprocess.run(
        ["swift", "package", "--traits", "CommandLine", "diagnose-api-breaking-changes", "--baseline-dir", STORE,
         "--breakage-allowlist-path", allowed, tag],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return process.returncode, process.stdout


def declarations(node, path=""):
    """Yields the declarations below a node of the digester's document, each with its full name."""
    for child in node.get("children", []):
        if "usr" in child and "declKind" in child:
            yield path + child["printedName"], child
            yield from declarations(child, f"{path}{child['printedName']}.")


def is_public(node):
    return not node.get("isInternal") and not node.get("spi_group_names")


def without_package(node):
    """Removes the `package` and SPI declarations below a node; returns how many."""
    removed = 0
    for key in ("children", "accessors"):
        if key in node:
            kept = [child for child in node[key] if is_public(child)]
            removed += len(node[key]) - len(kept)
            node[key] = kept
            removed += sum(without_package(child) for child in kept)
    return removed


def reduce_baseline(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        removed = without_package(document["ABIRoot"])
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        print(f"api: {os.path.basename(path)[:-5]}: {removed} package and SPI declarations left out of the comparison")


def demoted(folder, module, arguments):
    """Returns messages about the declarations of a module that were public and are `package` now."""
    with open(os.path.join(folder, module + ".json"), encoding="utf-8") as file:
        before = {node["usr"] for _, node in declarations(json.load(file)["ABIRoot"]) if not node.get("implicit")}
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "now.json")
        run("swift-api-digester", "-dump-sdk", "-module", module, "-swift-only", "-avoid-location", "-o", path, *arguments)
        with open(path, encoding="utf-8") as file:
            now = list(declarations(json.load(file)["ABIRoot"]))
    if before and not now:
        sys.exit(f"api: the module {module} could not be loaded; build the package and run the check again")
    return [f"API breakage: {node['declKind'].lower()} {name} is not public any more"
            for name, node in now if not is_public(node) and node["usr"] in before]


def main():
    tag = sys.argv[1] if len(sys.argv) > 1 else last_release()
    if tag is None:
        if run("git", "rev-parse", "--is-shallow-repository").strip() == "true":
            return skip("this clone is shallow and has no tag; run: git fetch --unshallow --tags")
        return skip("there is no version tag yet")
    commit = run("git", "rev-parse", "--verify", tag + "^{commit}").strip()
    folder = os.path.join(STORE, commit)
    names = libraries()
    # Leaves programs, examples and tests out of both manifests: only the libraries are built.
    os.environ["STORAGE_AUTH_ONLY"] = ",".join(names)
    with open(ALLOWED, encoding="utf-8") as file:
        allowed = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as list_of_allowed:
        list_of_allowed.write("".join(f"{line}\n" for line in allowed))
        list_of_allowed.flush()
        if not glob.glob(os.path.join(folder, "*.json")):
            print(f"api: building {tag} for its API", flush=True)
            _, output = diagnose(tag, list_of_allowed.name)
            if not glob.glob(os.path.join(folder, "*.json")):
                print(output)
                print(f"api: the API of {tag} could not be computed")
                return 1
            reduce_baseline(folder)
        status, output = diagnose(tag, list_of_allowed.name)
    print(output)
    arguments = settings(binaries())
    compared = [name for name in names if os.path.exists(os.path.join(folder, name + ".json"))]
    messages = [message for name in compared for message in demoted(folder, name, arguments) if message not in allowed]
    for message in messages:
        print(message)
    if status or messages:
        print(f"api: the public API breaks code that was written for {tag}. Restore it; or, if the change is intended, list"
              " the message in Tests/API/allowed-breakages.txt, describe it in CHANGELOG.md and raise the version as"
              " Documentation/Versioning.md says.")
        return 1
    if not compared:
        print(f"api: no library of {tag} was compared")
        return 1
    print(f"api: {len(compared)} libraries are compatible with {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
