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

  let prefix = "storage-auth-live/\(LivePart.randomName())/"

  /// The size of the objects of all steps but the uploads in parts.
  static var size: Int { 1_000 }

  private var partBytes: Int64 { Int64(smallestPart + Self.size) }

  var location: String { "\(provider.name)://\(provider.bucket)/\(prefix)" }

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
  func client(
    _ key: AccessKey? = nil, configuration: StorageClientConfiguration? = nil, events: EventHub = EventHub(),
    time: (any SigningClock)? = nil
  ) -> StorageClient<Provider> {
    let time = time ?? context.time
    return StorageClient(
      provider, credentials: key.map { CredentialCache($0, events: events, time: time) } ?? keys.cache,
      configuration: configuration ?? context.configuration(), transport: context.transport, events: events, time: time)
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
