#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Builds and tests on Linux the cryptography that Apple's systems get, with a stand-in for CommonCrypto that calls
# libcrypto, and checks
# - that no Swift code needs libcrypto,
# - the tests of the libraries without a network, with all vectors,
# - the suites of the client over URLSession, and the round trips of the example and a short long run over both transports,
#   and
# - the signatures and the allocation budgets of the signing benchmark.
#
# SCRATCH names another build folder than .build-backends. If it is empty, the usual folder is built anew without libcrypto,
# which takes less time if it contains the other packages, and has to be undone by another build.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
SCRATCH=${SCRATCH-.build-backends}
export SCRATCH STORAGE_AUTH_CRYPTO=CommonCrypto
export STORAGE_AUTH_ONLY=core,StorageClientTests,AsperaClientTests,AnyProviderExample,ascp-simulator,long-run

# Builds in the build folder.
build() {
  "$swift" build ${SCRATCH:+--scratch-path "$SCRATCH"} "$@"
}

# Prints the names of the targets without a network that are of a type: regular or test.
core() {
  STORAGE_AUTH_ONLY=core "$swift" package dump-package | python3 -c '
import json, sys
print(*(target["name"] for target in json.load(sys.stdin)["targets"] if target["type"] == sys.argv[1]))' "$1"
}

build --traits CommandLine --build-tests
binaries=$(build --traits CommandLine --show-bin-path)
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
checked=0
for module in $(core regular) $(core test); do
  folder=$binaries/$module.build
  case $module in CommonCrypto) continue ;; esac
  ls "$folder"/*.o >/dev/null 2>&1 || continue
  checked=$((checked + 1))
  if needed "$module" | grep .; then
    echo "backends: $module needs the functions of libcrypto above"
    exit 1
  fi
  if readelf -p .swift1_autolink_entries "$folder"/*.o 2>/dev/null | grep -e -lcrypto; then
    echo "backends: $module asks the linker for libcrypto"
    exit 1
  fi
done
[ "$checked" -ge 10 ] || { echo "backends: only $checked modules were found"; exit 1; }

SWIFT=$swift Tests/run-tests.py ${SCRATCH:+--scratch-path "$SCRATCH"} --filter "^($(core test | tr ' ' '|'))\\."
SWIFT=$swift Tests/Transports/check.sh
STORAGE_AUTH_ONLY=signing-benchmark build -c release --product signing-benchmark
"$(STORAGE_AUTH_ONLY=signing-benchmark build -c release --show-bin-path)/signing-benchmark" --check
echo "backends: of $checked modules, only the stand-in for CommonCrypto needs libcrypto"
