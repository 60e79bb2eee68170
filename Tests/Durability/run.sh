#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Kills storage-auth serve while clients write, and fills its disk, and checks that no acknowledged operation is lost.
# STORAGE_AUTH names the program, which is built if it is unset; ARGUMENTS are those of durability.py.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ -z ${STORAGE_AUTH:-} ]]; then
  swift build --traits CommandLine --product storage-auth
  STORAGE_AUTH=$(swift build --traits CommandLine --show-bin-path)/storage-auth
fi
STORAGE_AUTH=$STORAGE_AUTH exec python3 Tests/Durability/durability.py "$@"
