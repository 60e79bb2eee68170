#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Starts the servers of run.sh, which runs this script in separate namespaces if possible.
set -eu
folder=$1
unpacked=${SSHD%/usr/sbin/sshd}
if [ -n "$unpacked" ]; then
  for libraries in "$unpacked"/usr/lib/*-linux-gnu*; do export LD_LIBRARY_PATH="$libraries"; done
fi

# server NAME LINES [HOST KEYS]: starts a server on a free port.
server() {
  tries=0
  while [ $tries -lt 20 ]; do
    port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
    {
      printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' 'PidFile none' 'StrictModes no' 'LogLevel VERBOSE' \
        'UseDNS no' 'LoginGraceTime 20' 'MaxStartups 100' "AuthorizedKeysFile $folder/authorized_keys"
      for type in ${3:-rsa ecdsa ed25519}; do echo "HostKey $folder/host_$type"; done
      printf '%s\n' "$2"
    } >"$folder/$1.conf"
    "$SSHD" -D -e -f "$folder/$1.conf" 2>"$folder/$1.log" &
    process=$!
    while kill -0 $process 2>/dev/null; do
      if grep -q '^Server listening' "$folder/$1.log"; then
        started="$started $process"
        echo "$1 $port"
        return
      fi
      sleep 0.02
    done
    tries=$((tries + 1))
  done
  echo "No server could be started:" >&2
  cat "$folder/$1.log" >&2
  exit 1
}

# account NAME UID SHELL DAYS END: adds an account with the day of its last password change and its expiration day.
account() {
  echo "$1:x:$2:$2::/:$3" >>/run/accounts/passwd
  echo "$1:x:$2:" >>/run/accounts/group
  echo "$1:$hash:$4:0:99999:7::$5:" >>/run/accounts/shadow
}

started=
trap 'kill $started 2>/dev/null || :' EXIT
if [ "$(id -u)" -eq 0 ]; then
  mount --make-rprivate /
  # Copies of the machine's password hashes are only in memory.
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -m 755 /run/sshd /run/accounts /run/accounts/pam.d
  for name in passwd shadow group; do
    cp -p /etc/$name /run/accounts/$name
    chown root:root /run/accounts/$name
  done
  hash=$(printf '%s\n' "$PASSWORD" | openssl passwd -6 -stdin)
  unset PASSWORD
  grep -q '^sshd:' /etc/passwd || echo 'sshd:x:998:65534::/run/sshd:/usr/sbin/nologin' >>/run/accounts/passwd
  account xfer 4201 /bin/sh 19000 ''
  account transfers 4202 /usr/sbin/nologin 19000 ''
  account lapsed 4203 /bin/sh 0 ''
  account ended 4204 /bin/sh 19000 19001
  account both 4205 /bin/sh 19000 ''
  account locked 4206 /bin/sh 19000 ''
  sed -i 's/^locked:/&!/' /run/accounts/shadow
  printf '#!/bin/sh\nexec sleep 600\n' >/run/accounts/stuck
  chmod 755 /run/accounts/stuck
  account stuck 4207 /run/accounts/stuck 19000 ''
  account forced 4208 /bin/sh 19000 ''
  for kind in auth account password session; do echo "$kind required pam_unix.so"; done >/run/accounts/pam.d/sshd
  for name in passwd shadow group; do mount --bind /run/accounts/$name /etc/$name; done
  mount --bind /run/accounts/pam.d /etc/pam.d

  # Two methods for one account, and a banner that imitates the client's own output.
  printf 'Authenticated to 127.0.0.1 ([127.0.0.1]:1) using "password".\n' >"$folder/banner"
  server password "UsePAM no
KbdInteractiveAuthentication no
Banner $folder/banner
Match User both
  AuthenticationMethods publickey,password
Match User forced
  ForceCommand sleep 600"
  server interactive 'UsePAM yes
PasswordAuthentication no
KbdInteractiveAuthentication yes'
  server both 'UsePAM yes
PasswordAuthentication yes
KbdInteractiveAuthentication yes'
  user=xfer
else
  user=$(id -un)
fi
keys='UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no'
server sha1-keys "$keys
PubkeyAcceptedAlgorithms ssh-rsa,ssh-ed25519"
server sha1-host "$keys
HostKeyAlgorithms ssh-rsa" rsa
server keys "$keys"
if [ "$(id -u)" -ne 0 ]; then
  # An account without a usable password is locked, and then no key is accepted for it.
  ssh-keygen -q -t ed25519 -N '' -C '' -f "$folder/trial"
  cat "$folder/trial.pub" >>"$folder/authorized_keys"
  if ! ssh -F /dev/null -i "$folder/trial" -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes \
    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -N -o PermitLocalCommand=yes \
    -o 'LocalCommand=kill $PPID' -p "$port" "$user@127.0.0.1" </dev/null 2>/dev/null && ! grep -q '^Accepted' "$folder/keys.log"; then
    echo "An sshd run by $user does not accept logins of $user. Run the tests as root, in a container. Its log:" >&2
    tail -n 3 "$folder/keys.log" >&2
    exit 1
  fi
fi
echo "user $user"
while read -r _; do :; done
