#!/usr/bin/env bash
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Kills storage-auth cp --resume, or with the argument sync storage-auth sync, at random points, and checks that each run
# continues. BYTES, KILLS, SEED, and CLOUDS or FILES can be set.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build --traits CommandLine --product storage-auth
export STORAGE_AUTH="$(swift build --traits CommandLine --show-bin-path)/storage-auth"
exec python3 "Tests/Resume/${1:-resume}.py"
