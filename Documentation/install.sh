#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Installs a built storage-auth below a prefix, with its manual page and the completions of bash, zsh and fish.
# Usage: install.sh <program> <prefix>
set -euo pipefail
program=$1
prefix=$2
documentation=$(dirname "$0")

install -d "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
  "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
install -m 755 "$program" "$prefix/bin/storage-auth"
"$documentation/make-manual.py" "$program" >"$prefix/share/man/man1/storage-auth.1"
"$program" --generate-completion-script bash >"$prefix/share/bash-completion/completions/storage-auth"
"$program" --generate-completion-script zsh >"$prefix/share/zsh/site-functions/_storage-auth"
"$program" --generate-completion-script fish >"$prefix/share/fish/vendor_completions.d/storage-auth.fish"
echo "storage-auth is installed in $prefix/bin, with its manual page and the completions of bash, zsh and fish"
