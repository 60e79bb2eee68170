#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Checks the signatures and the allocations of the signing benchmark, and the load of a small fleet, with release builds.
set -eu
cd "$(dirname "$0")/.."
swift build --traits CommandLine -c release --product signing-benchmark
swift build --traits CommandLine -c release --product fleet
programs=$(swift build --traits CommandLine -c release --show-bin-path)
"$programs/signing-benchmark" --check
"$programs/fleet" --devices 50000
