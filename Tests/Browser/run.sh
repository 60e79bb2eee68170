#!/usr/bin/env bash
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Uploads through the page of FormUploadExample with a real browser, headless Chromium.
#
# FORM_UPLOAD_EXAMPLE is the path of FormUploadExample, which is built if unset. CHROMIUM is the path of the browser.
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

if [[ -z ${FORM_UPLOAD_EXAMPLE:-} ]]; then
  swift build --package-path "$root" --product FormUploadExample
  FORM_UPLOAD_EXAMPLE=$(swift build --package-path "$root" --show-bin-path)/FormUploadExample
fi
[[ -x $FORM_UPLOAD_EXAMPLE ]] || { echo "There is no program at $FORM_UPLOAD_EXAMPLE." >&2; exit 1; }
export FORM_UPLOAD_EXAMPLE

export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/test_upload.py" "$@"
