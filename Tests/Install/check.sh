#!/usr/bin/env bash
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Installs the program that was built for the tests into a temporary folder, and checks what `make install` installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Documentation/install.sh "$(swift build --traits CommandLine --show-bin-path)/storage-auth" "$folder" >/dev/null

"$folder/bin/storage-auth" --help >/dev/null
page="$folder/share/man/man1/storage-auth.1"
commands=$("$folder/bin/storage-auth" --experimental-dump-help |
  python3 -c 'import json, sys; print(*(c["commandName"] for c in json.load(sys.stdin)["command"]["subcommands"]))')
for command in $commands; do
  [ "$command" = help ] || grep -q "^\.SS storage.*auth ${command//-/\\\\-}$" "$page" || {
    echo "install: the manual page has no section about $command"
    exit 1
  }
done
grep -q '^.SH EXIT STATUS' "$page"
if command -v groff >/dev/null; then
  warnings=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
  [ -z "$warnings" ] || { echo "install: the manual page has warnings: $warnings"; exit 1; }
fi
bash -n "$folder/share/bash-completion/completions/storage-auth"
grep -q '#compdef storage-auth' "$folder/share/zsh/site-functions/_storage-auth"
grep -q 'complete -c .*storage-auth' "$folder/share/fish/vendor_completions.d/storage-auth.fish"
echo "install: the program, a manual page about $(wc -w <<<"$commands") commands, and three completions"
