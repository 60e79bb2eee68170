#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Builds the libraries for signing and for credentials, or the products that are named, with Swift's SDK for static Linux
# (musl). The SDK must be installed (`swift sdk install`); MUSL_OPENSSL names a folder with `include` and `lib/libcrypto.a`,
# and for programs `lib/libz.a`, that were built for musl. CONFIGURATION is debug or release.
set -eu
cd "$(dirname "$0")/../.."

sdk=$(swift sdk list 2>/dev/null | grep -m 1 static-linux || true)
if [ -z "$sdk" ]; then
  echo "build-musl: install Swift's SDK for static Linux first: https://www.swift.org/documentation/articles/static-linux-getting-started.html" >&2
  exit 1
fi
if [ ! -e "${MUSL_OPENSSL:-}/lib/libcrypto.a" ]; then
  echo "build-musl: MUSL_OPENSSL must name a folder with include and lib/libcrypto.a, built with musl-gcc" >&2
  exit 1
fi
[ $# -gt 0 ] || set -- StorageAuth OSSAuth COSAuth S3Auth CredentialSources
for product; do
  swift build --traits CommandLine --swift-sdk "$sdk" --scratch-path .build/musl --product "$product" \
    --configuration "${CONFIGURATION:-debug}" \
    -Xcc "-I$MUSL_OPENSSL/include" -Xlinker "-L$MUSL_OPENSSL/lib"
done
