#!/usr/bin/env bash
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Runs the XCTests that `swift build --build-tests` has built, and repeats at the end which were skipped and which failed:
# between thousands of lines nobody finds them. Arguments go to `swift test`.
set -uo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The order of sets is the makefile's choice for builds; the tests must pass in any.
env -u SWIFT_DETERMINISTIC_HASHING "${SWIFT:-swift}" test --skip-build "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}

# A test that asks for more than this machine permits says so in the line with "Test skipped".
if grep -q ': Test skipped' "$log"; then
  echo "=== Skipped ==="
  grep ': Test skipped' "$log"
fi
if [ "$status" -ne 0 ]; then
  echo "=== Failed ===" >&2
  grep -E ': error: |^error: |[Ff]atal error: ' "$log" >&2
  # A test that ended the process has begun and has no result.
  grep '^Test Case ' "$log" | tail -1 | grep ' started' >&2
fi
exit "$status"
