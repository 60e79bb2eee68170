#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Compiles the libraries for apps for Apple's systems, on Linux, as far as that is possible; `make apple-check`.

The declarations of the standard library have the versions of Apple's systems in which they appeared. The toolchain for
Linux contains them as text; this script compiles that text for Apple's systems, and the libraries against it with the
versions of Package.swift. A declaration that is newer than these is an error then, as with Xcode.

Darwin, Dispatch, Foundation and CommonCrypto are not in the toolchain, and swift-crypto, swift-system and swift-log need
more of them than the libraries do. Tests/Apple/Systems and Tests/CommonCrypto declare what the libraries use of all these.
No code is generated and nothing is linked or run.

The modules with SwiftNIO, which are for macOS only, are not compiled. Nothing is compiled for tvOS, watchOS, visionOS and
Mac Catalyst: what iOS 16 declares is also in tvOS 16, watchOS 9, visionOS 1 and Mac Catalyst 16, of the same year or newer.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(ROOT, ".build/apple-check")

# The triple without the version, the folder of the system in a toolchain, and the name of the system in Package.swift.
SYSTEMS = [("x86_64-apple-macos", "", "macosx", "macos"), ("x86_64-apple-ios", "-simulator", "iphonesimulator", "ios")]

STANDARD = ["Swift", "SwiftOnoneSupport", "Observation", "Synchronization", "_Builtin_float", "_Concurrency",
            "_RegexParser", "_StringProcessing", "_Volatile"]

# The modules in C for which SwiftPM writes a map when it builds them.
C_MODULES = {"CCarryless": "Sources/Core/CCarryless/include/carryless.h",
             "CommonCrypto": "Tests/CommonCrypto/include/CommonCrypto/CommonCrypto.h"}

STUBS = ["Darwin", "MachO", "Dispatch", "os", "Foundation", "Crypto", "CryptoExtras", "SystemPackage", "Logging"]

MODULES = ["StorageCrypto", "StorageAuth", "StorageDiagnosis", "CredentialSources", "OSSAuth", "COSAuth", "S3Auth",
           "AsperaAuth", "FoundationTransport", "StorageClient", "StorageBackground", "AsperaTransfer", "AsperaClient",
           "StorageAuthTesting", "StorageClientTesting"]


def run(*arguments, **options):
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, **options)


def manifest():
    """The package's manifest, as JSON."""
    outcome = run(*os.environ.get("SWIFT", "swift").split(), "package", "dump-package")
    if outcome.returncode:
        sys.exit(f"apple-check: the manifest cannot be read\n{outcome.stderr}")
    return json.loads(outcome.stdout)


def flags(target):
    """The settings of a target that are not for the systems without Apple's libraries."""
    found = ["-package-name", "storage_auth"] if target["packageAccess"] else []
    for setting in target["settings"]:
        (kind, value), = setting["kind"].items()
        if kind == "swiftLanguageMode":
            found += ["-swift-version", value["_0"]]
        elif kind == "enableUpcomingFeature":
            found += ["-enable-upcoming-feature", value["_0"]]
        elif kind == "strictMemorySafety":
            found += ["-strict-memory-safety"]
        elif kind == "treatAllWarnings":
            found += ["-warnings-as-errors"]
        elif kind != "define":  # Those of the client choose SwiftNIO on macOS; without them it is built as for iOS.
            sys.exit(f"apple-check: the setting {kind} of {target['name']} is unknown")
    return found


class System:
    """The compiler for one of Apple's systems."""

    def __init__(self, toolchain, triple, suffix, folder, version):
        self.target = f"{triple}{version}{suffix}"
        # The macros of the standard library run on this machine, whatever the system is.
        self.macros = os.path.join(toolchain, "host/plugins")
        self.resources = os.path.join(BUILD, folder)
        # Not inside of the resources, whose modules count as those of Apple.
        self.products = os.path.join(BUILD, f"{folder}-products")
        shutil.rmtree(self.products, ignore_errors=True)
        os.makedirs(self.products)
        os.makedirs(self.resources, exist_ok=True)
        for name in ("shims", "clang"):
            link = os.path.join(self.resources, name)
            if os.path.islink(link):
                os.remove(link)
            os.symlink(os.path.join(toolchain, name), link)
        for name in STANDARD:
            with open(interface(toolchain, name), encoding="utf-8") as file:
                text = self.adapted(file.read())
            path = os.path.join(self.resources, folder, f"{name}.swiftmodule", f"{triple}{suffix}.swiftinterface")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # An unchanged file keeps its time, so that the compiled module in the cache is used.
            if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)

    def adapted(self, text):
        """The text of a module of the standard library, for this system.

        The standard library is newer than the system that is compiled for, so that it is not checked itself. Its
        back-deployed declarations would need definitions that the text does not have.
        """
        text = re.sub(r"-target \S+", f"-target {self.target} -disable-availability-checking", text, count=1)
        # Linux implements Mutex with calls of its own; what is public is the same.
        text = re.sub(r"^import Glibc\n", "", text, flags=re.MULTILINE).replace("_swift_stdlib_gettid()", "UInt32()")
        return re.sub(r"@backDeployed\(before: [^)]*\)", "", text)

    def compile(self, name, sources, options):
        """Compiles a module, and returns the compiler's messages, which are empty if there is no error."""
        outcome = run(
            *os.environ.get("SWIFTC", "swiftc").split(), "-frontend", "-emit-module", "-target", self.target, "-resource-dir",
            self.resources, "-module-cache-path", os.path.join(self.resources, "cache"), "-disable-objc-interop",
            "-plugin-path", self.macros, "-module-name", name, "-parse-as-library", "-I", self.products,
            "-Xcc", "-ffreestanding", *options, *sources, "-o", os.path.join(self.products, f"{name}.swiftmodule"))
        return outcome.stdout + outcome.stderr if outcome.returncode else ""


def interface(toolchain, name):
    return os.path.join(toolchain, f"linux/{name}.swiftmodule/x86_64-unknown-linux-gnu.swiftinterface")


def swift_files(folder):
    return sorted(glob.glob(os.path.join(folder, "**/*.swift"), recursive=True))


def main():
    outcome = run(*os.environ.get("SWIFTC", "swiftc").split(), "-print-target-info")
    toolchain = json.loads(outcome.stdout)["paths"]["runtimeResourcePath"] if not outcome.returncode else ""
    missing = [name for name in STANDARD if not os.path.exists(interface(toolchain, name))]
    if missing:
        print(f"=== SKIPPED: make apple-check: the toolchain has no text of {', '.join(missing)} for x86-64 Linux ===",
              file=sys.stderr)
        return 0
    package = manifest()
    targets = {target["name"]: target for target in package["targets"]}
    versions = {platform["platformName"]: platform["version"] for platform in package["platforms"]}
    os.makedirs(BUILD, exist_ok=True)
    types = os.path.join(ROOT, ".build/checkouts/swift-http-types/Sources/HTTPTypes")
    if not os.path.exists(types):
        run(*os.environ.get("SWIFT", "swift").split(), "package", "resolve", check=True)
    headers = []
    for folder in ("Tests/Apple/include", "Tests/CommonCrypto/include", "Sources/Core/CCommonCrypto",
                   "Sources/Core/CZlib"):
        headers += ["-Xcc", f"-I{os.path.join(ROOT, folder)}"]
    for name, header in C_MODULES.items():
        path = os.path.join(BUILD, f"{name}.modulemap")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'module {name} {{ header "{os.path.join(ROOT, header)}" export * }}\n')
        headers += ["-Xcc", f"-fmodule-map-file={path}"]
    for triple, suffix, folder, platform in SYSTEMS:
        system = System(toolchain, triple, suffix, folder, versions[platform])
        # The file with URLs needs all of Foundation, and no library uses it.
        modules = [(name, [os.path.join(HERE, "Systems", f"{name}.swift")],
                    ["-enable-experimental-feature", "Lifetimes"]) for name in STUBS]
        modules += [("HTTPTypes", [path for path in swift_files(types) if not path.endswith("+URL.swift")],
                     ["-swift-version", "6"])]
        modules += [(name, swift_files(os.path.join(ROOT, targets[name]["path"])), flags(targets[name]) + headers)
                    for name in MODULES]
        for name, sources, options in modules:
            messages = system.compile(name, sources, options)
            if messages:
                print(messages.replace(ROOT + "/", ""))
                print(f"apple-check: {name} does not compile for {platform} {versions[platform]}, see above")
                return 1
        print(f"apple-check: {len(MODULES)} libraries compile for {platform} {versions[platform]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
