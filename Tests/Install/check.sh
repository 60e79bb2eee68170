#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Installs the program that was built for the tests into a temporary folder, and checks what `make install` installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Documentation/install.sh "${BIN_PATH:-$(swift build --traits CommandLine --show-bin-path)}/storage-auth" "$folder" >/dev/null

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
# Each shell offers the commands, and the options also of those that the help folds.
offered() {
  grep -q -- "$2" <<<"$3" || { echo "install: $1 does not complete $2, but: $3"; exit 1; }
}
export PATH="$folder/bin:$PATH"
complete_in_bash() {
  bash --norc -c 'source "$1"; COMP_WORDS=(storage-auth "${@:2}"); COMP_CWORD=$(($# - 1)); COMP_LINE="${COMP_WORDS[*]}"
    COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; "$(complete -p storage-auth | sed "s/.*-F \([^ ]*\).*/\1/")" storage-auth "${!#}" "${COMP_WORDS[-2]}"
    printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/share/bash-completion/completions/storage-auth" "$@"
}
offered bash presign "$(complete_in_bash pre)"
offered bash --endpoint "$(complete_in_bash cp --end)"
if command -v fish >/dev/null; then
  complete_in_fish() { fish --no-config -c "source '$folder/share/fish/vendor_completions.d/storage-auth.fish'; complete -C '$1'"; }
  offered fish presign "$(complete_in_fish 'storage-auth pre')"
  offered fish --endpoint "$(complete_in_fish 'storage-auth cp --end')"
fi
grep -q '#compdef storage-auth' "$folder/share/zsh/site-functions/_storage-auth"
if command -v zsh >/dev/null; then
  # The completion system works in an interactive shell only, on a terminal of its own.
  timeout 60 zsh --no-rcs -c "
    zmodload zsh/zpty; zpty shell 'zsh --no-rcs --interactive'
    zpty -w shell 'PS1=; fpath=($folder/share/zsh/site-functions \$fpath); autoload -U compinit; compinit -u -D; echo ready'
    zpty -r shell start '*ready*ready*'; zpty -w -n shell 'storage-auth cp --endp'\$'\t'
    zpty -r shell found '*--endpoint*' && print complete" | grep -q complete || {
    echo "install: zsh does not complete --endpoint"
    exit 1
  }
fi
echo "install: the program, a manual page about $(wc -w <<<"$commands") commands, and three completions"
