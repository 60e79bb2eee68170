#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Makes a package for Debian and Ubuntu of a built storage-auth that needs no library of Swift, with what install.sh installs.
# Usage: make-package.sh <program> <folder>
set -euo pipefail
program=$1
folder=$2
version=$("$program" --version | cut -d ' ' -f 2)
architecture=$(dpkg --print-architecture)
# The program needs the C library of this system, or a newer one.
libc=$(dpkg-query -W -f '${Version}' "libc6:$architecture" | cut -d - -f 1)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

"$(dirname "$0")/install.sh" "$program" "$root/usr" >/dev/null
strip "$root/usr/bin/storage-auth"
# The zsh of Debian does not search site-functions of /usr.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
gzip -9 -n "$root/usr/share/man/man1/storage-auth.1"
install -D -m 644 "$(dirname "$0")/../LICENSE" "$root/usr/share/doc/storage-auth/copyright"
mkdir "$root/DEBIAN"
# A hyphen would begin the revision of the package, and a tilde sorts before the release.
cat >"$root/DEBIAN/control" <<CONTROL
Package: storage-auth
Version: ${version/-/\~}
Architecture: $architecture
Maintainer: swift-storage-auth <swift-storage-auth@users.noreply.github.com>
Section: utils
Priority: optional
Depends: ca-certificates, libc6 (>= $libc), libssl3 | libssl3t64, libstdc++6, zlib1g
Description: command line for OSS, COS, S3 and IBM Aspera
 Signs, transfers, verifies and explains requests to Alibaba Cloud OSS, Tencent Cloud COS, Amazon S3 and IBM Aspera,
 serves a local cloud, and issues temporary keys.
CONTROL
mkdir -p "$folder"
dpkg-deb --build --root-owner-group "$root" "$folder/storage-auth_${version}_$architecture.deb"
