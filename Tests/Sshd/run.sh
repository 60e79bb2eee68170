#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs real SSH servers on 127.0.0.1 for tests until standard input is closed.
#
# Usage: run.sh FOLDER, where FOLDER contains authorized_keys; host keys and logs are written there. The password of the
# accounts is read from the first line of standard input. When the servers listen, prints lines of name and value:
#   user NAME       the account for keys (as root also for the password)
#   password PORT   a server that accepts passwords and keys, without PAM; only as root
#   interactive PORT  a server that prompts for the password through PAM; only as root
#   both PORT       a server that supports both methods through PAM; only as root
#   keys PORT       a server that accepts only keys
#   sha1-keys PORT  a server that accepts RSA signatures only with SHA-1, and Ed25519
#   sha1-host PORT  a server that proves its host key only with SHA-1
# As root, the servers run in separate namespaces: copies with more accounts are mounted over the account files of the
# machine, which are not changed, and all processes end with this one. Other users get only the servers for keys, for
# their own account.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sshd=$("$here/fetch.sh")
folder=$1
IFS= read -r password
for type in rsa ecdsa ed25519; do ssh-keygen -q -t "$type" -N '' -C '' -f "$folder/host_$type"; done
chmod 644 "$folder/authorized_keys"

# This script ends when standard input is closed; every process in its namespace ends with the script.
if [ "$(id -u)" -eq 0 ]; then
  if ! unshare --mount --pid --fork true; then
    echo "Root cannot create namespaces here. Give the container the capability SYS_ADMIN." >&2
    exit 1
  fi
  export SSHD="$sshd" PASSWORD="$password"
  exec unshare --mount --pid --fork --kill-child=KILL "$here/servers.sh" "$folder"
fi
SSHD="$sshd" PASSWORD='' exec "$here/servers.sh" "$folder"
