// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import Foundation
import NIOCore
import NIOHTTP1
import StorageClient
import SystemPackage

/// An example of an app that uses OSS for uploads, downloads, and presigned URLs for clients that hold no key.
@main
struct OSSExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "OSSExample",
    abstract: "Uploads to OSS, lists, downloads, and creates presigned URLs.",
    discussion: """
      By default it uses LocalCloud. A real bucket requires STORAGE_AUTH_LIVE=1, OSS_BUCKET, OSS_REGION and a key in the \
      environment.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await ExampleBucket.oss(localOnly: local)

    // Create a client. Without `credentials:` the key comes from OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET.
    let provider = OSSProvider(bucket: place.bucket, region: place.region, endpoint: place.endpoint)
    let client = place.key.map { StorageClient(provider, credentials: $0) } ?? StorageClient(provider)

    // Upload a file, with metadata.
    let folder = FilePath(NSTemporaryDirectory()).appending("oss-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    let picture = folder.appending("cat.jpg")
    try Data("a picture of a cat".utf8).write(to: URL(fileURLWithPath: picture.string), options: .atomic)
    try await client.upload(picture, to: "example/cat.jpg", metadata: ["author": "alice"])

    // Read the metadata, list, download.
    let info = try await client.head("example/cat.jpg")
    say("stored:", info.size ?? 0, "bytes,", info.contentType ?? "-", info.metadata)
    for try await entry in client.list(prefix: "example/") { say("listed:", entry.name) }
    try await client.download("example/cat.jpg", to: folder.appending("copy.jpg"))

    // Create a URL with which any HTTP client can upload this one object within half an hour.
    let upload = try await client.presign(.put, "example/dog.jpg", contentType: "image/jpeg", validFor: .seconds(1800))
    var request = HTTPClientRequest(url: upload.url)
    request.method = .PUT
    for header in upload.headers { request.headers.add(name: header.name.rawName, value: header.value) }
    request.body = .bytes(ByteBuffer(string: "a picture of a dog"))
    say("presigned upload:", try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status)

    // Create a URL for its download.
    let download = try await client.presign(.get, "example/dog.jpg", validFor: .seconds(1800))
    let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: download.url), timeout: .seconds(30))
    say("presigned download:", String(buffer: try await answer.body.collect(upTo: 1 << 20)))

    try await client.delete(["example/cat.jpg", "example/dog.jpg"])
    say("signatures verified:", place.verifiedSignatures.map(String.init) ?? "by the service")
    await place.close()
  }
}
