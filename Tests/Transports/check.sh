#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Runs what uses a network over both transports: the suites of the client over URLSession (over AsyncHTTPClient, `make test`
# runs them), the round trips of the example and a short long run.
#
# SCRATCH names another build folder. TRANSPORTS names the transports of the suites.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}

# Runs a command of SwiftPM in the build folder.
package() {
  command=$1
  shift
  "$swift" "$command" --traits CommandLine ${SCRATCH:+--scratch-path "$SCRATCH"} "$@"
}

package build --build-tests
programs=$(package build --show-bin-path)

# The suites with a client that sends over `NetworkTransport`, itself or in Support.
suites=$(grep -rlE 'NetworkTransport|Cloud\(self|LocalNode\(self|LocalApplications\(self' Tests/StorageClientTests Tests/AsperaClientTests \
  --include='*Tests.swift' | sed 's,.*/,,; s,[.]swift$,,' | sort | paste -sd'|' -)
for transport in ${TRANSPORTS:-urlsession}; do
  echo "transports: the suites of the client over $transport"
  STORAGE_AUTH_TEST_TRANSPORT=$transport Tests/run-tests.py ${SCRATCH:+--scratch-path "$SCRATCH"} \
    --filter "^(StorageClientTests|AsperaClientTests)\\.($suites)/"
done
for transport in asynchttp urlsession; do
  echo "transports: round trips and a long run over $transport"
  "$programs/AnyProviderExample" --local --transport "$transport"
  "$programs/long-run" --transfers 400 --transport "$transport"
done
