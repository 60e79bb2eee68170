#!/bin/sh
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# The checks that are no XCTest: run after `swift build --traits CommandLine --build-tests`; `make test` does.
set -eu
cd "$(dirname "$0")/.."
Tests/RedactionTests/check-redaction-coverage.py
Tests/Interop/v4_date_vectors.py --check
Tests/Matrix/generate.py --check
Tests/Documentation/check-links.py
Tests/Documentation/check-symbols.py
Tests/Documentation/check-snippets.py
Tests/Documentation/run-tutorials.py
Tests/Apple/check-app.py
Tests/Linkage/check.sh
Tests/Install/check.sh
Tests/Examples/check.py
swift build --traits CommandLine -c release --product signing-benchmark
swift build --traits CommandLine -c release --product fleet
programs=$(swift build --traits CommandLine -c release --show-bin-path)
"$programs/signing-benchmark" --check
"$programs/fleet" --devices 50000
