#!/bin/sh
# Runs real SSH servers on 127.0.0.1 for tests, until standard input ends.
#
# Usage: run.sh FOLDER, with FOLDER/authorized_keys; host keys and logs are written there. The password of the accounts
# is read from the first line of standard input. When the servers listen, prints lines of name and value:
#   user NAME       the account for keys (as root also for the password)
#   password PORT   a server that takes passwords and keys, without PAM; only as root
#   interactive PORT  a server that asks for the password through PAM; only as root
#   both PORT       a server that does either, through PAM; only as root
#   keys PORT       a server that takes keys alone
# As root, the servers run in name spaces of their own: the account files of the machine are covered by copies with more
# accounts, never changed, and all processes end with this one. Otherwise there are only keys, for whoever runs this.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sshd=$("$here/fetch.sh")
folder=$1
IFS= read -r password
for type in rsa ecdsa ed25519; do ssh-keygen -q -t "$type" -N '' -C '' -f "$folder/host_$type"; done
chmod 644 "$folder/authorized_keys"

# What ends with standard input is this script; what ends with this script is every process in its name space.
if [ "$(id -u)" -eq 0 ]; then
  if ! unshare --mount --pid --fork true; then
    echo "Root may not make name spaces here: give the container the capability SYS_ADMIN." >&2
    exit 1
  fi
  export SSHD="$sshd" PASSWORD="$password"
  exec unshare --mount --pid --fork --kill-child=KILL "$here/servers.sh" "$folder"
fi
SSHD="$sshd" PASSWORD='' exec "$here/servers.sh" "$folder"
