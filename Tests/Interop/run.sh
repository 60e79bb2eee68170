#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs the vendors' Python SDKs, and tools for S3, against `storage-auth serve`.
#
# STORAGE_AUTH, OBS_SIGN, ASCP_SIMULATOR and ASPERA_GRANT are the paths of storage-auth, obs-sign, ascp-simulator and
# aspera-grant; they are built if unset. STORAGE_AUTH_ASPERA_CLI is the path of a checkout of aspera-cli, IBM's client,
# which is not run if unset. Arguments are names of tests, as for `python -m unittest`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.build/interop-venv

skip() {
  echo "=== SKIPPED: the vendors' SDKs were not run: $1 ===" >&2
  if [[ ${CI:-} == true ]]; then
    echo "CI=true: skipping them is a failure." >&2
    exit 1
  fi
  exit 0
}

if [[ -z ${STORAGE_AUTH:-} ]]; then
  swift build --traits CommandLine --package-path "$root" --product storage-auth
  STORAGE_AUTH=$(swift build --traits CommandLine --package-path "$root" --show-bin-path)/storage-auth
fi
[[ -x $STORAGE_AUTH ]] || { echo "There is no program at $STORAGE_AUTH." >&2; exit 1; }
export STORAGE_AUTH

# The signer of Examples/OBSProvider, which no command of storage-auth has.
if [[ -z ${OBS_SIGN:-} ]]; then
  swift build --traits CommandLine --package-path "$root" --product obs-sign
  OBS_SIGN=$(swift build --traits CommandLine --package-path "$root" --show-bin-path)/obs-sign
fi
export OBS_SIGN

if [[ -z ${ASCP_SIMULATOR:-} ]]; then
  swift build --traits CommandLine --package-path "$root" --product ascp-simulator
  ASCP_SIMULATOR=$(swift build --traits CommandLine --package-path "$root" --show-bin-path)/ascp-simulator
fi
export ASCP_SIMULATOR

if [[ -n ${STORAGE_AUTH_ASPERA_CLI:-} ]]; then
  # The gems of aspera-cli that Debian has; the others are in aspera_cli/shims.
  "$root/.ci/setup" ruby ruby-net-ssh ruby-jwt ruby-xml-simple ruby-zip ruby-terminal-table ruby-tty-spinner \
    ruby-progressbar ruby-rainbow ruby-mime-types ruby-websocket ruby-execjs ruby-marcel ruby-chunky-png \
    ruby-blankslate ruby-webrick || echo "=== The gems of aspera-cli could not be installed ===" >&2
fi

# JWT grants, and the token endpoints of Aspera on Cloud and Faspex in LocalCloud.
if [[ -z ${ASPERA_GRANT:-} ]]; then
  swift build --traits CommandLine --package-path "$root" --product aspera-grant
  ASPERA_GRANT=$(swift build --traits CommandLine --package-path "$root" --show-bin-path)/aspera-grant
fi
export ASPERA_GRANT

if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
  command -v python3 >/dev/null || skip "there is no python3."
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10."
  # Debian has the module that makes environments in a package of its own.
  python3 -c 'import ensurepip' 2>/dev/null || "$root/.ci/setup" python3-venv || true
  rm -rf "$venv"
  python3 -m venv "$venv" || skip "python3 cannot create a venv (on Debian: apt-get install python3-venv)."
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt" \
    || skip "pip could not install them."
  cp "$here/requirements.txt" "$venv/installed.txt"
fi

# rclone is not available from pip; its tests are skipped without it, or fail with CI=true.
command -v rclone >/dev/null || "$root/.ci/setup" rclone || echo "=== rclone could not be installed ===" >&2

export PYTHONDONTWRITEBYTECODE=1
cd "$here"
exec "$venv/bin/python" run_tests.py "$@"
