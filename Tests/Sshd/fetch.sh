#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Prints the path of a real sshd: the installed one, or Debian's openssh-server unpacked into .build/sshd, without
# installing it or starting a service. Without one, prints a remedy on standard error and fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/.build/sshd

for program in /usr/sbin/sshd /usr/local/sbin/sshd "$folder/root/usr/sbin/sshd"; do
  [ -x "$program" ] && echo "$program" && exit 0
done

if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
  echo "There is no sshd, and this system is not Debian: install OpenSSH's server with your package manager." >&2
  exit 1
fi

mkdir -p "$folder/packages"
cd "$folder/packages"
# The machine's package lists may name packages that no longer exist: then newer lists are fetched, which requires root.
download() { timeout 60 apt-get download -qq openssh-server libwrap0 >"$folder/log" 2>&1; }
if ! download && ! { timeout 60 apt-get update -qq >"$folder/log" 2>&1 && download; }; then
  echo "There is no sshd, and it cannot be fetched. Run: apt-get update && apt-get install openssh-server" >&2
  exit 1
fi
rm -rf "$folder/unpacked"
for package in ./*.deb; do dpkg -x "$package" "$folder/unpacked"; done
rm -rf "$folder/root"
mv "$folder/unpacked" "$folder/root"
echo "$folder/root/usr/sbin/sshd"
