// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageClient

/// The steps that every bucket must pass, with one signature version.
struct BucketSteps<Provider: PresigningProvider<AccessKey>>: Sendable where Provider.URLSigner: FormSigner {
  let service: String
  let provider: Provider
  let context: LiveContext
  let keys: LiveKeys

  /// The smallest part that the service accepts, except for the last one.
  let minimumPartSize: Int

  /// The steps of this service alone.
  var ownSteps: [Step] = []

  let prefix = "storage-auth-live/\(ServiceSteps.randomName())/"

  /// The size of the objects of all steps but the uploads in parts.
  static var objectSize: Int { 1_000 }

  private var multipartByteCount: Int64 { Int64(minimumPartSize + Self.objectSize) }

  var location: String { "\(provider.name)://\(provider.bucket)/\(prefix)" }

  var serviceSteps: ServiceSteps {
    let size = Int64(Self.objectSize)
    let transferSteps = [
      Step("temporary key", Cost(requests: 2)) { try await keys.checkTemporaryKey() },
      Step("signed upload, head and download", Cost(requests: 3, objects: 1, bytes: 2 * size)) {
        try await transferSigned()
      },
      Step("presigned download", Cost(requests: 2, objects: 1, bytes: 2 * size)) { try await downloadPresigned() },
      Step("presigned upload", Cost(requests: 2, objects: 1, bytes: 2 * size)) { try await uploadPresigned() },
      Step("expired presigned URL is refused", Cost(requests: 2, objects: 1, bytes: size)) {
        try await refuseExpiredURL()
      },
      Step("form upload", Cost(requests: 2, objects: 1, bytes: 2 * size)) { try await uploadForm() },
      Step("form upload over the size is refused", Cost(requests: 1, bytes: size)) { try await refuseLargeForm() },
    ]
    let listSteps = [
      Step("list in pages and by folder", Cost(requests: 7, objects: 3, bytes: 3)) { try await list() },
      Step("multipart upload", Cost(requests: 5, objects: 1, bytes: 2 * multipartByteCount)) {
        try await uploadInParts()
      },
      Step("interrupted multipart upload is aborted", Cost(requests: 4, bytes: Int64(minimumPartSize))) {
        try await abortUpload()
      },
    ]
    return ServiceSteps(
      service: service, location: location, steps: transferSteps + refusalSteps + listSteps + ownSteps,
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
