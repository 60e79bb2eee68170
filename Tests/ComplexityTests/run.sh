#!/usr/bin/env bash
# Counts the instructions of every reader of foreign bytes under callgrind; fails where they grow faster than the input.
set -euo pipefail
cd "$(dirname "$0")/../.."

.ci/setup valgrind
export STORAGE_AUTH_ONLY=ComplexityTests
swift build --build-tests
built=$(swift build --show-bin-path)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Valgrind reads all that debuggers need before it starts; nothing of it is needed to count.
strip --strip-debug -o "$work/tests" "$built/swift-storage-authPackageTests.xctest"
# Hashing is seeded alike each time, so that a run counts what the last one counted.
SWIFT_DETERMINISTIC_HASHING=1 CALLGRIND_OUT="$work/count" valgrind --quiet --tool=callgrind --instr-atstart=no \
  --compress-strings=no --compress-pos=no --callgrind-out-file="$work/count" \
  "$work/tests" ComplexityTests.ComplexityTests
