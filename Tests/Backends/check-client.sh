#!/bin/sh
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

# Runs the suites of the client, the round trips of the example and a short long run over both transports, with the
# stand-in for CommonCrypto.
#
# SCRATCH names another build folder than .build-backends. If it is empty, the usual folder is built anew without libcrypto,
# which takes less time if it contains the other packages, and has to be undone by another build.
set -eu
cd "$(dirname "$0")/../.."
SCRATCH=${SCRATCH-.build-backends}
export SCRATCH
export STORAGE_AUTH_CRYPTO=CommonCrypto
export STORAGE_AUTH_ONLY=StorageClientTests,AsperaClientTests,AnyProviderExample,ascp-simulator,long-run
TRANSPORTS="asynchttp urlsession" exec Tests/Transports/check.sh
