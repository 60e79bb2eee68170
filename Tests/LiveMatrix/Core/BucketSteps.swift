// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The steps that every bucket must pass, with one signature version.
struct BucketSteps<Provider: PresigningProvider<AccessKey>>: Sendable where Provider.URLSigner: FormSigner {
  let service: String
  let provider: Provider
  let context: LiveContext
  let keys: LiveKeys

  /// The smallest part that the service accepts, except for the last one.
  let smallestPart: Int

  /// The steps of this service alone.
  var ownSteps: [Step] = []

  private let prefix = "storage-auth-live/\(LivePart.randomName())/"

  /// The size of the objects of all steps but the uploads in parts.
  private static var size: Int { 1_000 }

  private var partBytes: Int64 { Int64(smallestPart + Self.size) }

  private var location: String { "\(provider.name)://\(provider.bucket)/\(prefix)" }

  var part: LivePart {
    let object = Int64(Self.size)
    let steps = [
      Step("temporary key", Cost(requests: 2)) { try await keys.checkTemporaryKey() },
      Step("signed upload, head and download", Cost(requests: 3, objects: 1, bytes: 2 * object)) {
        try await transferSigned()
      },
      Step("presigned download", Cost(requests: 2, objects: 1, bytes: 2 * object)) { try await downloadPresigned() },
      Step("presigned upload", Cost(requests: 2, objects: 1, bytes: 2 * object)) { try await uploadPresigned() },
      Step("expired presigned URL is refused", Cost(requests: 2, objects: 1, bytes: object)) {
        try await refuseExpiredURL()
      },
      Step("form upload", Cost(requests: 2, objects: 1, bytes: 2 * object)) { try await uploadForm() },
      Step("form upload over the size is refused", Cost(requests: 1, bytes: object)) { try await refuseLargeForm() },
      Step("wrong secret is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        try await refuse(
          AccessKey(id: key.id, secret: LivePart.randomName(), sessionToken: key.sessionToken?.reveal()),
          as: [.signatureMismatch])
      },
      Step("unknown key is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        let id = key.id.string.prefix(4) + LivePart.randomName().uppercased().prefix(16)
        try await refuse(AccessKey(id: String(id), secret: LivePart.randomName()), as: [.unknownAccessKey])
      },
      Step("temporary key without its token is refused", Cost(requests: 1)) {
        let key = try await keys.current()
        guard key.sessionToken != nil else {
          throw StepError.skipped("the key is not temporary; set \(keys.roleVariable)")
        }
        try await refuse(
          AccessKey(id: key.id, secret: key.secret), as: [.unknownAccessKey, .invalidCredential, .accessDenied])
      },
      Step("expired temporary key is refused", Cost(requests: 1)) {
        // A service that has forgotten the key does not know its ID either.
        try await refuse(try keys.expired(), as: [.credentialExpired, .unknownAccessKey])
      },
      Step("slow clock is corrected", Cost(requests: 2, objects: 1, bytes: 2 * object)) {
        try await correctClock(.seconds(-7_200))
      },
      Step("fast clock is corrected", Cost(requests: 2, objects: 1, bytes: 2 * object)) {
        try await correctClock(.seconds(7_200))
      },
      Step("list in pages and by folder", Cost(requests: 7, objects: 3, bytes: 3)) { try await list() },
      Step("multipart upload", Cost(requests: 5, objects: 1, bytes: 2 * partBytes)) { try await uploadInParts() },
      Step("interrupted multipart upload is aborted", Cost(requests: 4, bytes: Int64(smallestPart))) {
        try await abortUpload()
      },
    ]
    return LivePart(
      service: service, location: location, steps: steps + ownSteps,
      cleanup: Step("cleanup", Cost(requests: 6)) { try await cleanUp() })
  }

  /// Returns a client with the key of this run, or with another key and clock.
  private func client(
    _ key: AccessKey? = nil, configuration: StorageClientConfiguration? = nil, events: EventHub = EventHub(),
    time: (any SigningClock)? = nil
  ) -> StorageClient<Provider> {
    let time = time ?? context.time
    return StorageClient(
      provider, credentials: key.map { CredentialCache($0, events: events, time: time) } ?? keys.cache,
      configuration: configuration ?? context.configuration(), transport: context.transport, events: events, time: time)
  }

  // MARK: Signatures

  private func transferSigned() async throws {
    let (client, key, bytes) = (client(), prefix + "signed/a b+c%2F猫.txt", sample(Self.size))
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

  private func downloadPresigned() async throws {
    let (client, key, bytes) = (client(), prefix + "presigned/down.bin", sample(Self.size))
    try await client.upload(bytes, to: key)
    let link = try await client.presign(.get, key, validFor: .seconds(60))
    let object = try await link.open(configuration: context.configuration(), transport: context.transport)
    try expect(try await object.body.collected(upTo: bytes.count), toBe: bytes)
  }

  private func uploadPresigned() async throws {
    let (client, key, bytes) = (client(), prefix + "presigned/up.txt", sample(Self.size))
    let link = try await client.presign(.put, key, contentType: "text/plain", validFor: .seconds(60))
    try await link.upload(.bytes(bytes), configuration: context.configuration(), transport: context.transport)
    try expect(try await client.download(key, upTo: bytes.count), toBe: bytes)
  }

  /// Uses a URL that was valid for a second, ten minutes ago: no time passes.
  private func refuseExpiredURL() async throws {
    let key = prefix + "presigned/expired.bin"
    try await client().upload(sample(Self.size), to: key)
    let link = try provider.presigner.presign(
      try provider.endpoint.request(.get, bucket: provider.bucket, key: key), with: try await keys.withoutDates(),
      validFor: .seconds(1), in: SigningContext(date: context.time.now.advanced(by: .seconds(-600))))
    try await expectRefusal(as: [.requestExpired]) {
      _ = try await link.open(configuration: context.configuration(), transport: context.transport)
    }
  }

  // MARK: Forms

  private func uploadForm() async throws {
    let (key, bytes) = (prefix + "form/small.txt", sample(Self.size))
    try await post(bytes, as: key)
    try expect(try await client().download(key, upTo: bytes.count), toBe: bytes)
  }

  private func refuseLargeForm() async throws {
    try await expectRefusal(as: [.invalidRequest, .accessDenied]) {
      try await post(sample(Self.size + 1), as: prefix + "form/large.txt")
    }
  }

  /// Uploads bytes as a browser does, with a form that permits one key, one media type and a size.
  private func post(_ bytes: [UInt8], as key: String) async throws {
    let now = context.time.now
    let policy = FormPolicy(
      bucket: provider.bucket, objects: .key(key), sizes: 0...Int64(Self.size), contentType: .equals("text/plain"),
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

  // MARK: Refusals and clocks

  /// Requires that the service refuses a key.
  private func refuse(_ key: AccessKey, as kinds: [ServiceError.Kind]) async throws {
    let client = client(key)
    try await expectRefusal(as: kinds) { for try await _ in client.list(prefix: prefix) {} }
  }

  /// Uploads with a wrong clock, which the client must learn from the service's refusal.
  private func correctClock(_ offset: Duration) async throws {
    let events = EventHub()
    let skews = SkewLog()
    let observation = events.observe { if case .skew(let skew) = $0 { skews.add(skew.offset) } }
    defer { observation.cancel() }
    let client = client(
      try await keys.withoutDates(), events: events, time: ShiftedClock(base: context.time, offset: offset))
    try await client.upload(sample(Self.size), to: prefix + "clock/\(offset < .zero ? "slow" : "fast").bin")
    guard let learnt = skews.last else {
      throw StepError.deviation("The service accepted a signature of a clock that is \(offset) wrong.")
    }
    guard (learnt + offset).magnitude < .seconds(60) else {
      throw StepError.deviation(
        "The clock was corrected by \(learnt), but it is \(offset) wrong; check this machine's clock.")
    }
  }

  // MARK: Lists and parts

  private func list() async throws {
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

  private func uploadInParts() async throws {
    let client = client(configuration: context.configuration(partSize: Int64(smallestPart)))
    let (key, bytes) = (prefix + "parts.bin", sample(smallestPart + Self.size))
    try await client.upload(bytes, to: key)
    try expect(try await client.download(key, upTo: bytes.count), toBe: bytes)
  }

  /// Ends an upload after its first part, and requires that the service keeps no part.
  private func abortUpload() async throws {
    let client = client(configuration: context.configuration(partSize: Int64(smallestPart)))
    let key = prefix + "interrupted.bin"
    let chunks = AsyncThrowingStream<[UInt8], any Error> { [bytes = sample(smallestPart + 1)] continuation in
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

  /// Removes every object and every unfinished upload below the prefix, and requires that the service lists none.
  private func cleanUp() async throws {
    let client = client()
    var problems: [String] = []
    func attempt(_ removal: () async throws -> Void) async {
      do { try await removal() } catch { problems.append("\(error)") }
    }
    await attempt {
      var keys: [String] = []
      for try await entry in client.list(prefix: prefix) { keys.append(entry.name) }
      for failure in try await client.delete(keys).failures { throw StepError.deviation("\(failure)") }
      for try await entry in client.list(prefix: prefix) { throw StepError.deviation("\(entry.name) is still there.") }
    }
    await attempt {
      for try await upload in client.unfinishedUploads(prefix: prefix) { try await client.abort(upload) }
      for try await upload in client.unfinishedUploads(prefix: prefix) {
        throw StepError.deviation("An unfinished upload of \(upload.key) is still there.")
      }
    }
    guard problems.isEmpty else {
      throw StepError.deviation("Remove what is left below \(location) by hand. \(problems.joined(separator: " "))")
    }
  }
}

/// The error of a stream that ends in the middle.
private struct Interruption: Error {}
