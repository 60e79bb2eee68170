#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Compiles the two apps of Examples/iOSApp on Linux, with their views, app delegate and keychain.

Run after `swift build --traits CommandLine --build-tests`. Tests/Apple/App declares what the apps use of SwiftUI, UIKit,
Security and UniformTypeIdentifiers; a declaration there is written after Apple's. As in an Xcode project, each app is one
module: the files of PhotoApp and those of the app's own folder. Nothing is linked or run.
"""
import glob
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, settings

APPS = ["OSSPhotos", "COSPhotos"]
# In the order of their imports.
STUBS = ["AppleFoundation", "Security", "UniformTypeIdentifiers", "UIKit", "SwiftUI"]
FEATURES = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]


def swift_files(folder):
    return sorted(glob.glob(os.path.join(ROOT, folder, "**/*.swift"), recursive=True))


def compiler(*arguments):
    """Whether the compiler, which prints its errors, accepts the sources; the checks of isolation need SIL."""
    return subprocess.run(["swiftc", "-swift-version", "6", "-parse-as-library", *arguments], cwd=ROOT).returncode == 0


def main():
    if sys.platform == "darwin":
        print("=== SKIPPED: Tests/Apple/check-app.py: Xcode compiles the apps on a Mac ===", file=sys.stderr)
        return 0
    features = [argument for name in FEATURES for argument in ("-enable-upcoming-feature", name)]
    built = settings(binaries())
    with tempfile.TemporaryDirectory() as folder:
        output = ["-o", os.path.join(folder, "output.sil")]
        for name in STUBS:
            source = os.path.join(ROOT, "Tests/Apple/App", f"{name}.swift")
            module = os.path.join(folder, f"{name}.swiftmodule")
            if not compiler("-module-name", name, "-emit-module", "-emit-module-path", module, "-I", folder, source):
                return 1
        shared = swift_files("Examples/iOSApp/PhotoApp")
        for app in APPS:
            if not compiler(
                    "-module-name", app, "-whole-module-optimization", "-emit-sil", *output, "-warnings-as-errors", *features,
                    "-Xfrontend", "-import-module", "-Xfrontend", "AppleFoundation", "-I", folder, *built, *shared, *swift_files(f"Examples/iOSApp/{app}")):
                print(f"app: {app} does not compile, see above")
                return 1
    print(f"app: {' and '.join(APPS)} compile, with {len(shared)} files in common")
    return 0


if __name__ == "__main__":
    sys.exit(main())
