#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Compares the types of RedactionTests and ServerRedactionTests with the public types in the symbol graphs.

Run after `swift build --traits CommandLine --build-tests`, from any folder. Fails for a public type that is neither tested nor listed with a
reason, and for a listed name that no public or package type has.
"""
import glob
import json
import os
import re
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, run, settings

MODULES = [
    "StorageAuth", "OSSAuth", "COSAuth", "S3Auth", "CredentialSources", "AsperaAuth", "AsperaTransfer", "StoragePrograms",
    "AsyncHTTPTransport", "FoundationTransport", "StorageDiagnosis", "StorageClient", "AsperaClient",
    "StorageBackground", "StorageAuthServer", "StorageAuthRedis", "StorageConfiguration", "StorageOperations",
    "LocalCloud",
]
KINDS = {"swift.struct", "swift.class", "swift.enum", "swift.actor"}


def types(binaries):
    """Returns the names of the public types, and the names of the public and package types."""
    public, every = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            run("swift", "symbolgraph-extract", "-module-name", module, *settings(binaries), "-output-dir", folder,
                "-minimum-access-level", "package")
            with open(os.path.join(folder, module + ".symbols.json"), encoding="utf-8") as file:
                for symbol in json.load(file)["symbols"]:
                    if symbol["kind"]["identifier"] in KINDS:
                        name = ".".join([module, *symbol["pathComponents"]])
                        every.add(name)
                        if symbol["accessLevel"] in ("public", "open"):
                            public.add(name)
    return public, every


def main():
    source = ""
    for path in sorted(glob.glob(os.path.join(ROOT, "Tests/*RedactionTests/Subjects*.swift"))):
        with open(path, encoding="utf-8") as file:
            source += file.read()
    listed = set(re.findall(r'"((?:%s)\.[A-Za-z0-9.]+)"' % "|".join(MODULES), source))
    present, every = types(binaries())
    missing, stale = sorted(present - listed), sorted(listed - every)
    for name in missing:
        print(f"{name} is public and not in Tests/*RedactionTests/Subjects*.swift: test it, or list it with the reason why it holds no secret")
    for name in stale:
        print(f"{name} is in Tests/*RedactionTests/Subjects*.swift, and no such type exists")
    if not present:
        print("no public type was found: the symbol graphs are empty")
    if missing or stale or not present:
        return 1
    print(f"redaction: {len(present)} public types of {', '.join(MODULES)}, all accounted for")
    return 0


if __name__ == "__main__":
    sys.exit(main())
