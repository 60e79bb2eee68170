#!/usr/bin/env python3
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Compiles the Swift of the README, of Documentation/, of the catalogues and of the tutorials with the built libraries.

Run after `swift build --build-tests`, from anywhere. Each block becomes a function; `Names.swift` declares what the text
around it supposes, such as a key or a file. A block with imports gets these alone. Any other gets StorageClient on the pages
for which that is enough, and all modules elsewhere. The line of a manifest is passed over. The files of a tutorial are
compiled whole, at each step, together with those that the earlier steps left in the same folder; a folder is a module
that later ones can import. Nothing is linked or run.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, run, settings

NAMES = os.path.join(ROOT, "Tests/Documentation/Names.swift")
EVERYTHING = [
    "AsperaAuth", "AsperaTransfer", "COSAuth", "CloudCredentials", "HTTPTypes", "Hummingbird", "LocalCloud", "Logging",
    "OSSAuth", "S3Auth", "StorageAuth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
    "StorageClientTesting", "StorageDiagnosis", "XCTest",
]
CLIENT_PAGES = {"README", "Aspera", "AsperaAccounts", "AsperaQueue", "AsperaTokens", "CachingCredentials",
                "CredentialServices", "Credentials", "S3", "StorageClient", "UsingTheClient"}


def pages():
    found = [os.path.join(ROOT, "README.md")]
    for pattern in ["Documentation/*.md", "Sources/*/*.docc/**/*.md"]:
        found += sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
    return found


def blocks(page):
    """The line in which each block begins, and its lines."""
    found, block = [], None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                if block is not None:
                    found.append(block)
                    block = None
                elif line.strip() == "```swift":
                    block = (number + 1, [])
            elif block is not None:
                block[1].append(line)
    return found


def source(page, first, lines):
    """A file whose errors name the place in the page: imports first, the rest in a function of the page's type."""
    imports = [line for line in lines if line.startswith("import ")]
    name = re.sub(r"\W", "", os.path.splitext(os.path.basename(page))[0])
    modules = ["StorageClient"] if name in CLIENT_PAGES else EVERYTHING
    head = imports or [f"import {module}\n" for module in modules]
    body = ["\n" if line in imports else line for line in lines]
    return "".join(head) + (
        f"extension {name}Page {{ static func block{first}() async throws {{\n"
        f'#sourceLocation(file: "{os.path.relpath(page, ROOT)}", line: {first})\n'
        + "".join(body) + "#sourceLocation()\n}}\n")


def compiler(*arguments, **options):
    """Compiles without linking. After an error the compiler deletes its output, which therefore is a file to delete:
    with /dev/null, root would lose the device."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            ["swiftc", "-emit-sil", "-o", os.path.join(folder, "output.sil"), "-swift-version", "6",
             "-suppress-warnings", *arguments], cwd=ROOT, text=True, **options)


def manifest_settings():
    """The arguments for a manifest."""
    paths = json.loads(run("swift", "-print-target-info"))["paths"]
    return ["-I", os.path.join(paths["runtimeResourcePath"], "pm/ManifestAPI"), "-package-description-version", "6.3"]


def check_tutorial(path, libraries, manifests):
    """Compiles the code of a tutorial after each of its steps; returns the files and what the compiler says."""
    resources = os.path.join(os.path.dirname(os.path.dirname(path)), "Resources")
    with open(path, encoding="utf-8") as file:
        steps = re.findall(r'@Code\(name: "([^"]+)", file: "([^"]+)"', file.read())
    present, used, complaints = {}, [], ""
    captured = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with tempfile.TemporaryDirectory() as modules:
        for name, file in steps:
            present[name] = os.path.relpath(os.path.join(resources, file), ROOT)
            used.append(present[name])
            folder = os.path.dirname(name)
            if not folder:
                outcome = compiler(*manifests, present[name], **captured)
            else:
                module = os.path.basename(folder)
                files = [present[other] for other in present if os.path.dirname(other) == folder]
                outcome = compiler(
                    "-parse-as-library", "-whole-module-optimization", "-module-name", module, "-emit-module",
                    "-emit-module-path", os.path.join(modules, module + ".swiftmodule"), "-I", modules, *libraries,
                    *files, **captured)
            if outcome.returncode:
                complaints += f"{os.path.relpath(path, ROOT)}: the step with {file} does not compile\n{outcome.stdout}"
    return used, complaints


def check_tutorials():
    """Compiles the code of all tutorials; returns the number of files, or 0 if one does not compile or is not used."""
    tutorials = sorted(glob.glob(os.path.join(ROOT, "Documentation/**/*.tutorial"), recursive=True))
    libraries, manifests = settings(binaries()), manifest_settings()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: check_tutorial(path, libraries, manifests), tutorials))
    used = {file for files, _ in results for file in files}
    complaints = "".join(text for _, text in results)
    for path in sorted(glob.glob(os.path.join(ROOT, "Documentation/**/Resources/*.swift"), recursive=True)):
        if os.path.relpath(path, ROOT) not in used:
            complaints += f"{os.path.relpath(path, ROOT)} is in no tutorial\n"
    print(complaints, end="")
    return 0 if complaints else len(used)


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        files = [NAMES]
        for page in pages():
            for first, lines in blocks(page):
                if any(line.startswith(".package(") for line in lines):
                    continue
                path = os.path.join(folder, f"{os.path.splitext(os.path.basename(page))[0]}{first}.swift")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(source(page, first, lines))
                files.append(path)
                count += 1
        outcome = compiler(
            "-module-name", "Snippets", "-parse-as-library", "-enable-upcoming-feature", "MemberImportVisibility",
            "-whole-module-optimization", *settings(binaries()), *files)
    if outcome.returncode or not count:
        print(f"snippets: some of {count} blocks of Swift in the documentation do not compile")
        return 1
    print(f"snippets: {count} blocks of Swift in the documentation compile")
    files = check_tutorials()
    if not files:
        print("snippets: some code of the tutorials does not compile")
        return 1
    print(f"snippets: {files} files of Swift in the tutorials compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
