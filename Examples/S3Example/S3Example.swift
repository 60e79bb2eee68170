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

/// An example of an app that uses Amazon S3 or a compatible service.
///
/// The app uploads with checksums and conditions, and creates presigned URLs for clients that hold no key.
@main
struct S3Example: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "S3Example",
    abstract: "Uploads to S3 on conditions, compares checksums, downloads, and creates presigned URLs.",
    discussion: """
      By default it uses LocalCloud. A real bucket requires STORAGE_AUTH_LIVE=1, S3_BUCKET, S3_REGION and a key in the \
      environment.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await ExampleBucket.s3(localOnly: local)

    // Create a client. Without `credentials:` the key comes from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the
    // shared files, or the role of the container or the instance.
    let provider = S3Provider(bucket: place.bucket, region: place.region, endpoint: place.endpoint)
    let client = place.key.map { StorageClient(provider, credentials: $0) } ?? StorageClient(provider)

    // An upload sends its checksum, so that the service rejects bytes that changed in transit.
    let picture = Array("a picture of a cat".utf8)
    let stored = try await client.upload(picture, to: "example/cat.jpg", metadata: ["author": "alice"])
    say("stored:", stored.size, "bytes,", stored.checksum.map(String.init(describing:)) ?? "no checksum")

    // Upload only if the object does not exist yet; then only over the version that was stored.
    do {
      try await client.upload(picture, to: "example/cat.jpg", options: UploadOptions(forbidOverwrite: true))
    } catch let error as ServiceError where error.kind == .alreadyExists {
      say("not overwritten:", error.code)
    }
    try await client.upload(
      Array("a better picture".utf8), to: "example/cat.jpg", options: UploadOptions(ifMatch: stored.etag))

    // The download is compared with the checksum that the service stores.
    let folder = FilePath(NSTemporaryDirectory()).appending("s3-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    let info = try await client.download("example/cat.jpg", to: folder.appending("copy.jpg"))
    say("downloaded:", info.size ?? 0, "bytes")
    for try await entry in client.list(prefix: "example/") { say("listed:", entry.name) }

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
