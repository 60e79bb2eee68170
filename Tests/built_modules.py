# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""How a tool of the compiler finds the modules that `swift build --traits CommandLine --build-tests` has made."""
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def binaries():
    """Where the modules are."""
    return os.environ.get("BIN_PATH") or run("swift", "build", "--show-bin-path").strip()


def settings(binaries):
    """The arguments."""
    target = json.loads(run("swift", "-print-target-info"))["target"]["unversionedTriple"]
    found = ["-target", target + ("15.0" if "macos" in target else ""), "-I", os.path.join(binaries, "Modules")]
    if sys.platform == "darwin":
        platform = run("xcrun", "--show-sdk-platform-path").strip()
        found += ["-sdk", run("xcrun", "--show-sdk-path").strip(), "-F", platform + "/Developer/Library/Frameworks",
                  "-I", platform + "/Developer/usr/lib"]
    maps = glob.glob(os.path.join(ROOT, "Sources/*/*/module.modulemap"))
    maps += glob.glob(os.path.join(ROOT, ".build/checkouts/*/Sources/*/include/module.modulemap"))
    for path in sorted(maps):
        found += ["-Xcc", "-fmodule-map-file=" + path]
    # Modules of C without a map of their own have one that the build made.
    for path in sorted(glob.glob(os.path.join(binaries, "*.build/module.modulemap"))):
        found += ["-Xcc", "-fmodule-map-file=" + path]
    return found
