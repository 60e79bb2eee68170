#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Writes the files of compose.yaml to the folder secrets: certificates of a certificate authority that exists only there,
# for a trial, a caller with a random token, and a random password of Redis. The key of the cloud is read from
# OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET.
set -euo pipefail
: "${OSS_ACCESS_KEY_ID:?Set OSS_ACCESS_KEY_ID}" "${OSS_ACCESS_KEY_SECRET:?Set OSS_ACCESS_KEY_SECRET}"
folder=${1:-$(dirname "$0")/secrets}
if [ -e "$folder" ]; then
  echo "$folder exists already: remove it first, or keep it." >&2
  exit 1
fi
umask 077
mkdir -p "$folder"
cd "$folder"

key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null ||
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

key ca-key.pem
openssl req -x509 -new -key ca-key.pem -subj "/CN=Trial of storage-auth" -days 365 -out ca.pem
issue() {
  key "$1-key.pem"
  openssl req -new -key "$1-key.pem" -subj "/CN=$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 365 -out "$1-cert.pem" \
    -extfile <(echo "subjectAltName=$3") 2>/dev/null
  rm "$1.csr"
}
issue server token-server DNS:token-server
issue proxy localhost DNS:localhost,IP:127.0.0.1
rm ca-key.pem ca.srl 2>/dev/null || true

printf '%s\n' "$OSS_ACCESS_KEY_ID" > access-key-id
printf '%s\n' "$OSS_ACCESS_KEY_SECRET" > access-key-secret
openssl rand -hex 24 > redis-password
printf 'alice %s\n' "$(openssl rand -hex 24)" > callers
echo "Wrote $(pwd). Start the servers as the owner of these files: RUN_AS=$(id -u):$(id -g) docker compose up"
