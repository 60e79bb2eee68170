#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# The checks that are no XCTest, one for each processor at a time: run after `swift build --traits CommandLine --build-tests`;
# `make test` does.
set -eu
cd "$(dirname "$0")/.."
BIN_PATH=$(swift build --traits CommandLine --show-bin-path)
export BIN_PATH

# The longest first.
.ci/beside <<CHECKS
Tests/Linkage/check.sh
Tests/Documentation/run-tutorials.py
Tests/Documentation/check-snippets.py
Tests/RedactionTests/check-redaction-coverage.py
Tests/Examples/check.py
Tests/Apple/check-app.py
Tests/Install/check.sh
Tests/Documentation/check-symbols.py
Tests/Documentation/check-links.py
Tests/Interop/v4_date_vectors.py --check
Tests/Matrix/generate.py --check
CHECKS
