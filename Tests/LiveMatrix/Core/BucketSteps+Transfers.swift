// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

extension BucketSteps {
  // MARK: Signatures

  func transferSigned() async throws {
    let (client, key, bytes) = (client(), prefix + "signed/a b+c%2F猫.txt", sampleBytes(Self.objectSize))
    let uploaded = try await client.upload(bytes, to: key, contentType: "text/plain", metadata: ["purpose": "live"])
    if let version = uploaded.versionID, version != "null" {
      try await client.delete(key, versionID: version)
      throw StepError.obstacle("the bucket keeps versions, which the cleanup would leave; name one without versioning")
    }
    let info = try await client.head(key)
    try expect("The size", info.size, toBe: Int64(bytes.count))
    try expect("The media type", info.contentType, toBe: "text/plain")
    try expect("The metadata", info.metadata["purpose"], toBe: "live")
    try expect(try await client.download(key, upTo: bytes.count), toBe: bytes)
  }

  func downloadPresigned() async throws {
    let (client, key, bytes) = (client(), prefix + "presigned/down.bin", sampleBytes(Self.objectSize))
    try await client.upload(bytes, to: key)
    let link = try await client.presign(.get, key, validFor: .seconds(60))
    let object = try await link.open(configuration: context.configuration(), transport: context.transport)
    try expect(try await object.body.collected(upTo: bytes.count), toBe: bytes)
  }

  func uploadPresigned() async throws {
    let (client, key, bytes) = (client(), prefix + "presigned/up.txt", sampleBytes(Self.objectSize))
    let link = try await client.presign(.put, key, contentType: "text/plain", validFor: .seconds(60))
    try await link.upload(.bytes(bytes), configuration: context.configuration(), transport: context.transport)
    try expect(try await client.download(key, upTo: bytes.count), toBe: bytes)
  }

  // MARK: Forms

  func uploadForm() async throws {
    let (key, bytes) = (prefix + "form/small.txt", sampleBytes(Self.objectSize))
    try await post(bytes, as: key)
    try expect(try await client().download(key, upTo: bytes.count), toBe: bytes)
  }

  func refuseLargeForm() async throws {
    try await expectRefusal(as: [.invalidRequest, .accessDenied]) {
      try await post(sampleBytes(Self.objectSize + 1), as: prefix + "form/large.txt")
    }
  }

  /// Uploads bytes as a browser does, with a form that permits one key, one media type and a size.
  func post(_ bytes: [UInt8], as key: String) async throws {
    let now = context.time.now
    let policy = FormPolicy(
      bucket: provider.bucket, objects: .key(key), sizes: 0...Int64(Self.objectSize),
      contentType: .equals("text/plain"),
      response: .created, until: now.advanced(by: .seconds(300)))
    let form = try provider.presigner.sign(
      policy, to: try provider.endpoint, with: try await keys.current(), in: SigningContext(date: now))
    let (request, body) = try FormPost.request(form, file: bytes)
    let reply = try await context.transport.send(request, body: .bytes(body))
    let text = try await reply.body.collected(upTo: ServiceError.bodyLimit)
    guard reply.response.status == .created else {
      throw provider.error(in: reply.response, body: text ?? [], subject: "POST \(location)")
    }
  }

  // MARK: Lists and parts

  func list() async throws {
    let client = client(configuration: context.configuration(keysPerPage: 2))
    let folder = prefix + "list/"
    for name in ["a", "b/1", "c"] { try await client.upload([1], to: folder + name) }
    var keys: [String] = []
    for try await entry in client.list(prefix: folder) { keys.append(entry.name) }
    try expect("The list", keys, toBe: ["a", "b/1", "c"].map { folder + $0 })
    var names: [String] = []
    for try await entry in client.list(prefix: folder, delimiter: "/") { names.append(entry.name) }
    try expect("The folder", names, toBe: ["a", "b/", "c"].map { folder + $0 })
  }

  func uploadInParts() async throws {
    let client = client(configuration: context.configuration(partSize: Int64(minimumPartSize)))
    let (key, bytes) = (prefix + "parts.bin", sampleBytes(minimumPartSize + Self.objectSize))
    try await client.upload(bytes, to: key)
    try expect(try await client.download(key, upTo: bytes.count), toBe: bytes)
  }

  /// Ends an upload after its first part, and requires that the service keeps no part.
  func abortUpload() async throws {
    let client = client(configuration: context.configuration(partSize: Int64(minimumPartSize)))
    let key = prefix + "interrupted.bin"
    let chunks = AsyncThrowingStream<[UInt8], any Error> { [bytes = sampleBytes(minimumPartSize + 1)] continuation in
      continuation.yield(bytes)
      continuation.finish(throwing: Interruption())
    }
    do {
      try await client.upload(chunks, to: key)
      throw StepError.deviation("The upload of a stream that failed succeeded.")
    } catch is Interruption {}
    for try await upload in client.unfinishedUploads(prefix: key) {
      throw StepError.deviation("The parts of an aborted upload of \(upload.key) are still there.")
    }
  }
}

/// The error of a stream that ends in the middle.
private struct Interruption: Error {}
