#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs several token servers and services behind nginx, with one Redis server, kills them and checks what they answered.
# REQUESTS and SECONDS_OF_LOAD can be set. Where redis-server or nginx is missing, the test is skipped; with
# STORAGE_AUTH_REQUIRE_REDIS=1 it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in redis-server redis-cli nginx; do
  if ! PATH=$PATH:/usr/sbin command -v "$program" >/dev/null; then
    echo "=== SKIPPED: make fleet-redis: $program is missing (on Debian: apt-get install redis-server nginx) ===" >&2
    [[ -z ${STORAGE_AUTH_REQUIRE_REDIS:-} ]]
    exit
  fi
done

if [[ -z ${PROGRAMS_FOLDER:-} ]]; then
  swift build --traits CommandLine -c release --product storage-auth
  swift build --traits CommandLine -c release --product VerifiedServiceExample
  PROGRAMS_FOLDER=$(swift build --traits CommandLine -c release --show-bin-path)
fi
PATH=$PATH:/usr/sbin PROGRAMS_FOLDER=$PROGRAMS_FOLDER exec python3 Tests/RedisFleet/redis_fleet.py
