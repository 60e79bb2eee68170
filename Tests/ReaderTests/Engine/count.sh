#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Counts the instructions of every parser of untrusted bytes under callgrind; fails if they grow faster than the input.
# BIN_PATH is the folder of a build with the tests; one is made if it is unset.
set -euo pipefail
cd "$(dirname "$0")/../../.."

.ci/setup valgrind
if [[ -z ${BIN_PATH:-} ]]; then
  export STORAGE_AUTH_ONLY=ReaderTests
  swift build --traits CommandLine --build-tests
  BIN_PATH=$(swift build --traits CommandLine --show-bin-path)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Valgrind reads all debug information at its start, which is not needed for counting.
strip --strip-debug -o "$work/tests" "$BIN_PATH/swift-storage-authPackageTests.xctest"
# Hashing has a fixed seed, so that every run has the same counts.
SWIFT_DETERMINISTIC_HASHING=1 CALLGRIND_OUT="$work/count" valgrind --quiet --tool=callgrind --instr-atstart=no \
  --compress-strings=no --compress-pos=no --callgrind-out-file="$work/count" \
  "$work/tests" ReaderTests.ComplexityTests
