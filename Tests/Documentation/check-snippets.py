#!/usr/bin/env python3
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Compiles the Swift blocks of the README, of Documentation/ and of the catalogues against the libraries that are built.

Run after `swift build --build-tests`, from anywhere. Each block becomes a function; `Names.swift` declares what the text
around it supposes, such as a key or a file. A block with imports gets these alone. Any other gets StorageClient on the pages
for which that is enough, and all modules elsewhere. The line of a manifest is passed over. Nothing is linked or run.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, settings

NAMES = os.path.join(ROOT, "Tests/Documentation/Names.swift")
EVERYTHING = [
    "AsperaAuth", "AsperaTransfer", "COSAuth", "CloudCredentials", "HTTPTypes", "Hummingbird", "LocalCloud", "Logging",
    "OSSAuth", "S3Auth", "StorageAuth", "StorageAuthServer", "StorageAuthTesting", "StorageClient",
    "StorageClientTesting", "StorageDiagnosis", "XCTest",
]
CLIENT_PAGES = {"README", "Aspera", "AsperaAccounts", "AsperaQueue", "AsperaTokens", "CredentialCache",
                "CredentialServices", "Credentials", "S3", "UsingTheClient"}


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
        outcome = subprocess.run(
            ["swiftc", "-emit-sil", "-o", os.devnull, "-module-name", "Snippets", "-parse-as-library", "-swift-version",
             "6", "-enable-upcoming-feature", "MemberImportVisibility", "-suppress-warnings",
             "-whole-module-optimization", *settings(binaries()), *files],
            cwd=ROOT)
    if outcome.returncode or not count:
        print(f"snippets: some of {count} blocks of Swift in the documentation do not compile")
        return 1
    print(f"snippets: {count} blocks of Swift in the documentation compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
