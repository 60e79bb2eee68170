#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Uploads and downloads a large file in parts through both clouds, against storage-auth serve, and checks the bytes and
# the peak memory of both sides. BYTES and LIMIT_MIB can be set.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build --traits CommandLine --product storage-auth
STORAGE_AUTH="$(swift build --traits CommandLine --show-bin-path)/storage-auth" exec python3 Tests/LargeFile/large_file.py
