#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs a load test of the token server on loopback with wrk. SECONDS_OF_LOAD and CONNECTIONS can be set.
# --svg FILE draws the load at several numbers of connections.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v wrk >/dev/null; then
  echo "=== SKIPPED: the token load test was not run: wrk is missing (on Debian: apt-get install wrk) ===" >&2
  exit 0
fi

if [[ -z ${STORAGE_AUTH:-} ]]; then
  swift build --traits CommandLine -c release --product storage-auth
  STORAGE_AUTH=$(swift build --traits CommandLine -c release --show-bin-path)/storage-auth
fi
STORAGE_AUTH=$STORAGE_AUTH PYTHONDONTWRITEBYTECODE=1 exec python3 Tests/TokenLoad/token_load.py "$@"
