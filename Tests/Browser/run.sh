#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Uses the page of FormUploadExample and the console of `storage-auth serve` with a real browser, headless Chromium.
#
# FORM_UPLOAD_EXAMPLE and STORAGE_AUTH are the paths of the programs, which are built if unset. CHROMIUM is the path of the
# browser. SCREENSHOTS is a folder for pictures of the console. AXE is the path of axe.min.js, which checks whether
# everybody can use the console; it is taken from the package axe-core-python if unset.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() {
  echo "=== SKIPPED: the browser tests were not run: $1 ===" >&2
  if [[ ${CI:-} == true ]]; then
    echo "CI=true: skipping them is a failure." >&2
    exit 1
  fi
  exit 0
}

if [[ -z ${CHROMIUM:-} ]]; then
  CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) \
    || skip "there is no Chromium (on Debian: apt-get install -y chromium)."
fi
command -v python3 >/dev/null || skip "there is no python3."
export CHROMIUM

# Builds a program unless its path is given, and prints the path.
program() {
  local path=$1
  if [[ -z $path ]]; then
    swift build --traits CommandLine --package-path "$root" --product "$2" >&2
    path=$(swift build --traits CommandLine --package-path "$root" --show-bin-path)/$2
  fi
  [[ -x $path ]] || { echo "There is no program at $path." >&2; return 1; }
  echo "$path"
}

FORM_UPLOAD_EXAMPLE=$(program "${FORM_UPLOAD_EXAMPLE:-}" FormUploadExample)
STORAGE_AUTH=$(program "${STORAGE_AUTH:-}" storage-auth)
export FORM_UPLOAD_EXAMPLE STORAGE_AUTH

export PYTHONDONTWRITEBYTECODE=1
pictures=()
if [[ -n ${SCREENSHOTS:-} ]]; then
  mkdir -p "$SCREENSHOTS"
  pictures=(--screenshots "$SCREENSHOTS")
fi
if [[ -z ${AXE:-} ]]; then
  packages=$(mktemp -d)
  trap 'rm -rf "$packages"' EXIT
  if python3 -m pip install --quiet --disable-pip-version-check --no-deps --target "$packages" axe-core-python==0.1.0; then
    AXE=$packages/axe_core_python/axe.min.js
  fi
fi
export AXE
python3 "$here/test_console.py" "${pictures[@]}" "$@"
python3 "$here/test_views.py" "${pictures[@]}" "$@"
python3 "$here/test_upload.py" "$@"
