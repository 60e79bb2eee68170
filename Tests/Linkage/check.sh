#!/bin/sh
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Builds a program that imports OSSAuth, COSAuth and S3Auth, one that imports CredentialSources and OSSAuth, and one that imports
# only AsperaAuth, as a consumer of this package without traits, and checks
# - that only swift-http-types was fetched for it,
# - that the first program links no Foundation library, and
# - that AsperaAuth is sufficient to parse and encode the JSON of a transfer specification.
# Builds a consumer that uses the client without its trait, and checks that the only error says how to switch it on.
# Builds another consumer, whose client sends with URLSession alone (trait URLSession), and checks that neither SwiftNIO nor
# AsyncHTTPClient nor swift-subprocess was fetched or linked for it.
# Works in a temporary folder; no file of the repository is written.
set -eu

# Builds for this check alone.
swift_build() { swift build --disable-index-store -Xswiftc -gnone "$@"; }

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints the libraries that a program needs.
linked() {
  if [ "$(uname)" = Darwin ]; then
    otool -L "$1" | tail -n +2 | awk '{ print $1 }'
  else
    readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
  fi
}

mkdir -p "$folder/consumer/Sources/consumer" "$folder/consumer/Sources/credentials" "$folder/consumer/Sources/aspera"

cat >"$folder/consumer/Package.swift" <<MANIFEST
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "swift-storage-auth", path: "$root")],
  targets: [
    .executableTarget(
      name: "consumer",
      dependencies: [
        .product(name: "OSSAuth", package: "swift-storage-auth"),
        .product(name: "COSAuth", package: "swift-storage-auth"),
        .product(name: "S3Auth", package: "swift-storage-auth"),
        .product(name: "StorageAuth", package: "swift-storage-auth"),
      ]),
    .executableTarget(
      name: "credentials",
      dependencies: [
        .product(name: "CredentialSources", package: "swift-storage-auth"),
        .product(name: "OSSAuth", package: "swift-storage-auth"),
        .product(name: "StorageAuth", package: "swift-storage-auth"),
        .product(name: "StorageAuthTesting", package: "swift-storage-auth"),
      ]),
    .executableTarget(
      name: "aspera", dependencies: [.product(name: "AsperaAuth", package: "swift-storage-auth")],
      swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
  ]
)
MANIFEST

cat >"$folder/consumer/Sources/consumer/main.swift" <<'PROGRAM'
import COSAuth
import OSSAuth
import S3Auth
import StorageAuth

let key = AccessKey(id: "AKIDexample", secret: "secret")
let cache = CredentialCache(key)
let date = Timestamp(unixSeconds: 1_795_161_600)
let endpoint = try ServiceEndpoint("http://127.0.0.1:9000")
let request = try endpoint.request(.get, bucket: "photos", key: "cat.jpg")
let signers: [any TwoStepSigner<AccessKey>] = [
  OSSSigner(.v4, region: "cn-hangzhou"), OSSSigner(.v1), COSSigner(), S3Signer(region: "eu-central-1"),
]
for signer in signers {
  print(try signer.signed(request, with: cache.current()?.credential ?? .anonymous, in: .at(date)).headerFields.count)
}
PROGRAM

cat >"$folder/consumer/Sources/credentials/main.swift" <<'PROGRAM'
import CredentialSources
import OSSAuth
import StorageAuth
import StorageAuthTesting

let cache = CredentialCache(EnvironmentCredentialProvider.oss, in: ProviderContext(time: ManualClock()))
print(cache.source)
PROGRAM

cat >"$folder/consumer/Sources/aspera/main.swift" <<'PROGRAM'
import AsperaAuth

var spec = TransferSpec(.send, [TransferPath("/data/cat.jpg")])
spec.tags = ["order": 7]
spec.fields["title"] = "cats"
let document: JSONValue = try JSONValue(parsing: spec.json)
print(document["tags"]?.object?["order"]?.integer ?? 0, document["title"]?.string ?? "")
PROGRAM

cd "$folder/consumer"
build="$folder/build"
swift_build --scratch-path "$build" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

fetched=$(ls "$build/checkouts")
if [ "$fetched" != "swift-http-types" ]; then
  echo "linkage: a consumer without traits fetches more than swift-http-types:" "$fetched"
  exit 1
fi

program="$(swift_build --scratch-path "$build" --show-bin-path)/consumer"
printed=$("$program" | tr '\n' ' ')
if [ "$printed" != "3 2 1 3 " ]; then
  echo "linkage: the program printed other header counts: $printed"
  exit 1
fi

printed=$("$(dirname "$program")/aspera")
if [ "$printed" != "7 cats" ]; then
  echo "linkage: AsperaAuth encodes other JSON: $printed"
  exit 1
fi

libraries=$(linked "$program")
[ -n "$libraries" ] || { echo "linkage: no libraries are listed for $program"; exit 1; }
if echo "$libraries" | grep -i foundation; then
  echo "linkage: the program links Foundation"
  exit 1
fi
if [ "$(uname)" != Darwin ] && ldd "$program" | grep -i foundation; then
  echo "linkage: a library of the program links Foundation"
  exit 1
fi

echo "linkage: OSSAuth, COSAuth and S3Auth fetch only $fetched and link" $libraries

# A consumer that has forgotten the trait of the client: one error, which names the trait.
mkdir -p "$folder/forgetful/Sources/forgetful"
sed -e 's/"consumer"/"forgetful"/' -e '/executableTarget/,$d' \
  "$folder/consumer/Package.swift" >"$folder/forgetful/Package.swift"
cat >>"$folder/forgetful/Package.swift" <<'MANIFEST'
    .executableTarget(
      name: "forgetful", dependencies: [.product(name: "StorageClient", package: "swift-storage-auth")])
  ]
)
MANIFEST
echo 'import StorageClient' >"$folder/forgetful/Sources/forgetful/main.swift"
cd "$folder/forgetful"
if swift_build --scratch-path "$build" >"$folder/log" 2>&1; then
  echo "linkage: a consumer without the trait of the client builds"
  exit 1
fi
errors=$(grep '^/.*: error: ' "$folder/log" | sort -u | wc -l)
if [ "$errors" != 1 ] || ! grep -q 'error: .*StorageClient.* traits: \["Client"\]' "$folder/log"; then
  echo "linkage: a consumer without the trait of the client gets $errors errors:"
  grep 'error: ' "$folder/log"
  exit 1
fi
echo "linkage: a consumer without the trait of the client is told to add it"

# An app that has the client without SwiftNIO: the same source as everywhere, the transport is that of the platform.
mkdir -p "$folder/app/Sources/app" "$folder/app/Sources/buckets"
cat >"$folder/app/Package.swift" <<MANIFEST
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "app",
  platforms: [.macOS(.v14), .iOS(.v16)],
  dependencies: [.package(name: "swift-storage-auth", path: "$root", traits: ["URLSession"])],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "AsperaClient", package: "swift-storage-auth"),
        .product(name: "StorageBackground", package: "swift-storage-auth"),
      ]),
    .executableTarget(
      name: "buckets", dependencies: [.product(name: "StorageClient", package: "swift-storage-auth")]),
  ]
)
MANIFEST

cat >"$folder/app/Sources/app/main.swift" <<'PROGRAM'
import AsperaClient
import StorageBackground

let client = StorageClient(
  .oss(bucket: "photos", region: "cn-hangzhou", endpoint: try ServiceEndpoint("http://127.0.0.1:9")),
  credentials: AccessKey(id: "LTAIexample", secret: "secret"), configuration: StorageClientConfiguration(attempts: 1))
do {
  try await client.upload([1], to: "cat.jpg")
} catch let error as TransportError {
  print(error.code, BackgroundTransfers().description.isEmpty)
}
let aspera = StorageClient(
  .aspera(
    node: "https://127.0.0.1:9", access: .accessKey(id: "a", secret: Secret("b")),
    transfers: AsperaTransferOptions(login: .webSocket())))
do {
  try await aspera.upload([1], to: "cat.jpg")
} catch {
  print(error)
}
PROGRAM

cat >"$folder/app/Sources/buckets/main.swift" <<'PROGRAM'
import StorageClient

print(StorageClient(.cos(bucket: "photos-1250000000", region: "ap-guangzhou")).provider.name)
PROGRAM

cd "$folder/app"
build="$folder/app-build"
swift_build --scratch-path "$build" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
fetched=$(ls "$build/checkouts" | tr '\n' ' ')
# swift-crypto and swift-asn1 are used on Apple's systems alone, but SwiftPM fetches them everywhere.
if [ "$fetched" != "swift-asn1 swift-crypto swift-http-types swift-log swift-system " ]; then
  echo "linkage: an app with the trait URLSession fetches other packages:" "$fetched"
  exit 1
fi
app="$(swift_build --scratch-path "$build" --show-bin-path)/app"
printed=$("$app")
case "$printed" in
"connectionFailed false
unsupported: "*ascp*) ;;
*)
  echo "linkage: the app without SwiftNIO printed: $printed"
  exit 1
  ;;
esac
symbols="$folder/symbols"
nm "$app" >"$symbols"
grep -q FoundationTransport "$symbols" || { echo "linkage: the app does not contain FoundationTransport"; exit 1; }
if grep -E '(7NIOCore|8NIOPosix|15AsyncHTTPClient|10Subprocess|15StoragePrograms|18AsyncHTTPTransport)' "$symbols" | head -3 | grep .; then
  echo "linkage: the app links SwiftNIO, AsyncHTTPClient or swift-subprocess"
  exit 1
fi
echo "linkage: a client with URLSession alone fetches only $fetched"

# An app that uses buckets alone; the other app, which uses a node, shows that both searches find what they look for.
aspera='(10AsperaAuth|12AsperaClient|14AsperaTransfer)'
if ! grep -qE "$aspera" "$symbols" || ! linked "$app" | grep -q 'libz\.'; then
  echo "linkage: the app with a node seems to link neither Aspera nor zlib"
  exit 1
fi
buckets="$(dirname "$app")/buckets"
[ "$("$buckets")" = cos ] || { echo "linkage: the app for buckets printed something else"; exit 1; }
nm "$buckets" >"$symbols"
if grep -E "$aspera" "$symbols" | head -3 | grep .; then
  echo "linkage: an app that uses buckets alone links Aspera"
  exit 1
fi
if linked "$buckets" | grep 'libz\.'; then
  echo "linkage: an app that uses buckets alone needs zlib"
  exit 1
fi
echo "linkage: a client of buckets links neither Aspera nor zlib"
