#!/bin/sh
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Builds and tests on Linux the cryptography that Apple's systems get, with a stand-in for CommonCrypto that calls
# libcrypto, and checks
# - the tests of the libraries without a network, with all vectors,
# - the signatures and the allocation budgets of the signing benchmark, and
# - that no Swift code needs libcrypto.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
build=.build-backends
export STORAGE_AUTH_CRYPTO=CommonCrypto

STORAGE_AUTH_ONLY=core "$swift" build --traits PrivateKeys --build-tests --scratch-path "$build"
binaries=$(STORAGE_AUTH_ONLY=core "$swift" build --traits PrivateKeys --scratch-path "$build" --show-bin-path)
library=$(ldd "$binaries"/*.xctest | awk '/libcrypto/ { print $3; exit }')
[ -n "$library" ] || { echo "backends: the stand-in does not link libcrypto"; exit 1; }

symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$symbols"

# Prints the names of libcrypto that the objects of a module need.
needed() {
  nm -u "$binaries/$1.build"/*.o | awk 'NF == 2 { print $2 }' | sort -u | comm -12 - "$symbols"
}

needed CommonCrypto | grep -q SHA256_Update || { echo "backends: the stand-in needs nothing of libcrypto"; exit 1; }
for folder in "$binaries"/*.build; do
  module=$(basename "$folder" .build)
  case $module in CommonCrypto) continue ;; esac
  ls "$folder"/*.o >/dev/null 2>&1 || continue
  if needed "$module" | grep .; then
    echo "backends: $module needs the functions of libcrypto above"
    exit 1
  fi
  if readelf -p .swift1_autolink_entries "$folder"/*.o 2>/dev/null | grep -e -lcrypto; then
    echo "backends: $module asks the linker for libcrypto"
    exit 1
  fi
done

STORAGE_AUTH_ONLY=core SWIFT=$swift Tests/run-tests.py --scratch-path "$build"
STORAGE_AUTH_ONLY=signing-benchmark "$swift" build -c release --product signing-benchmark --scratch-path "$build"
programs=$(STORAGE_AUTH_ONLY=signing-benchmark "$swift" build -c release --scratch-path "$build" --show-bin-path)
"$programs/signing-benchmark" --check
echo "backends: only the stand-in for CommonCrypto needs libcrypto"
