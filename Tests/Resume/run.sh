#!/usr/bin/env bash
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Kills storage-auth cp --resume at random points of a large upload and download, and checks that each run continues.
# BYTES, KILLS, CLOUDS and SEED can be set.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build --product storage-auth
STORAGE_AUTH="$(swift build --show-bin-path)/storage-auth" exec python3 Tests/Resume/resume.py
