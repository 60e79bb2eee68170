// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A multipart upload that the service has initiated, and its requests.
struct MultipartUpload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let id: ResponseValue
  /// The headers of the whole upload; each header is sent with the requests that it applies to.
  let headers: HTTPFields

  typealias Part = UploadCheckpoint.Part

  /// Initiates a multipart upload, or throws an error if a header applies only to the upload of a whole object.
  ///
  /// If a lost response causes a second initiation, the first multipart upload remains without parts.
  static func begin(_ bucket: BucketClient<Provider>, key: String, headers: HTTPFields) async throws -> MultipartUpload
  {
    let scopes = bucket.provider.conventions.scopes
    try headers.requireApplicable(to: [.initiate, .part, .complete, .abort], named: "a multipart upload", in: scopes)
    let draft = try bucket.draft(
      .post, key, [.init("uploads")], for: .initiate, headers: headers.applying(to: .initiate, scopes))
    let request = DocumentRequest(bucket: bucket.provider.bucket, key: key)
    let id = try await bucket.document(from: draft) { try $0.uploadID(in: $1, of: request) }
    return MultipartUpload(bucket: bucket, key: key, id: try ResponseValue(id, named: "UploadId"), headers: headers)
  }

  private var documentRequest: DocumentRequest {
    DocumentRequest(bucket: bucket.provider.bucket, key: key, uploadID: id.text)
  }

  /// Returns the headers of the upload that apply to a kind of request.
  func headers(of request: HeaderScope) -> HTTPFields {
    headers.applying(to: request, bucket.provider.conventions.scopes)
  }

  /// The headers of requests about what is stored, without the conditions, which are those of the completion.
  private var inspectionHeaders: HTTPFields {
    var headers = headers(of: .head)
    for name in [HTTPField.Name.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince] { headers[name] = nil }
    return headers
  }

  /// Uploads a part, and returns it with the entity tag with which the completion refers to it.
  func upload(_ payload: any UploadPayload, number: Int, progress: ProgressMeter) async throws -> Part {
    let parameters: [RequestTarget.Parameter] = [.init("partNumber", "\(number)"), .init("uploadId", id.text)]
    let draft = try await bucket.draft(putting: payload, key, parameters, for: .part, headers: headers(of: .part))
    let (response, _, checksum) = try await bucket.send(payload, with: draft, progress: progress)
    guard let etag = response.headerFields[.eTag] else {
      throw StorageError.malformedResponse("part \(number) has no ETag")
    }
    return Part(
      number: number, length: payload.length, etag: try ResponseValue(etag, named: "ETag").text, checksum: checksum)
  }

  /// Completes the upload, so that the object exists with the bytes of the parts in the order of their numbers.
  func complete(_ parts: [Part]) async throws -> UploadedObject {
    let parts = parts.sorted { $0.number < $1.number }
    let (size, checksum) = sizeAndChecksum(of: parts)
    do {
      let draft = try completion(of: parts, checksum)
      let (response, body, etag) = try await requestCompletion(draft)
      try checksum.verifyUpload(of: "the object \(key)", against: response, bucket.provider.conventions)
      return UploadedObject(
        key: key, size: size, etag: etag, checksum: checksum, response, bucket.provider.conventions,
        callbackReply: draft.callbackReply(in: body, bucket.provider.conventions))
    } catch let error as ServiceError
      where error.attempts > 1 && [.noSuchUpload, .alreadyExists, .preconditionFailed].contains(error.kind)
    {
      // The service reports these errors if an attempt whose response was lost completed the upload.
      return try await objectIfStored(parts, unless: error)
    }
  }

  private func sizeAndChecksum(of parts: [Part]) -> (size: Int64, checksum: ObjectChecksum) {
    let empty = ObjectChecksum(bucket.provider.conventions.algorithm, of: [])
    return (parts.byteCount, parts.reduce(empty) { $0.followed(by: $1.checksum, byteCount: $1.length) })
  }

  private func completion(of parts: [Part], _ checksum: ObjectChecksum) throws(SigningError) -> RequestDraft {
    let format = bucket.provider.conventions.format
    var headers = headers(of: .complete)
    headers[.contentType] = format.mediaType
    let parts = parts.map { StoredPart(number: $0.number, etag: $0.etag, size: $0.length) }
    return try bucket.draft(
      .post, key, [.init("uploadId", id.text)], for: .complete, headers: headers, body: format.completion(of: parts),
      checksum: checksum)
  }

  /// Sends the request that completes the upload; after a callback, the response may have no entity tag.
  private func requestCompletion(_ draft: RequestDraft) async throws -> (HTTPResponse, [UInt8], etag: String?) {
    let conventions = bucket.provider.conventions
    return try await bucket.sender.exchange(draft) { response, body in
      if draft.replacesDocument(conventions) {
        if let error = conventions.format.error(in: body, of: response, subject: draft.subject) { throw error }
        return (response, body, response.headerFields[.eTag])
      }
      let etag = try conventions.read(body, of: response, subject: draft.subject) {
        try $0.completedTag(in: $1, of: documentRequest)
      }
      return (response, body, response.headerFields[.eTag] ?? etag)
    }
  }

  /// Returns the description of the stored object if it consists of the given parts, or throws the given error.
  func objectIfStored(_ parts: [Part], unless error: ServiceError) async throws -> UploadedObject {
    let (size, checksum) = sizeAndChecksum(of: parts)
    let (response, _) = try await bucket.sender.exchange(
      bucket.draft(.head, key, for: .head, headers: inspectionHeaders))
    let info = ObjectInfo(key: key, response: response, conventions: bucket.provider.conventions)
    let hasSameBytes =
      info.checksum.map { $0 == checksum } ?? (info.etag != nil && info.etag == Self.commonTag(of: parts))
    guard info.size == size, hasSameBytes else { throw error }
    return UploadedObject(
      key: key, size: size, etag: info.etag, checksum: checksum, response, bucket.provider.conventions)
  }

  /// Returns the usual entity tag, which is the MD5 of the parts' MD5 digests, or `nil` if a part has another digest.
  private static func commonTag(of parts: [Part]) -> String? {
    var digests: [UInt8] = []
    for part in parts {
      guard let digest = [UInt8](hex: part.etag.filter { $0 != "\"" }), digest.count == 16 else { return nil }
      digests += digest
    }
    return "\"\(MD5.hash(digests).hex)-\(parts.count)\""
  }

  /// Aborts the multipart upload after an error, even if the task is cancelled; the parts remain if the abort fails.
  func abort() async { await Task { _ = try? await requestAbort() }.value }

  /// Aborts the multipart upload, and succeeds if it does not exist any more.
  func requestAbort() async throws {
    do {
      _ = try await bucket.sender.exchange(
        bucket.draft(.delete, key, [.init("uploadId", id.text)], for: .abort, headers: headers(of: .abort)))
    } catch let error as ServiceError where error.kind == .noSuchUpload { return }
  }

  /// Requests the list of the stored parts; the service reports `noSuchUpload` if the upload was completed or aborted.
  func storedParts() async throws -> [StoredPart] {
    var parts: [StoredPart] = []
    var marker = 0
    while true {
      var parameters: [RequestTarget.Parameter] = [.init("uploadId", id.text), .init("max-parts", "1000")]
      if marker > 0 { parameters.append(.init("part-number-marker", "\(marker)")) }
      // Services accept the headers of HEAD, such as a requester-pays header, with a list of parts.
      let draft = try bucket.draft(.get, key, parameters, headers: inspectionHeaders)
      let page = try await bucket.document(from: draft) { try $0.parts(in: $1, of: documentRequest) }
      // The first marker is 0, so that the numbers ascend across the pages as well.
      for part in page.parts {
        guard part.number > max(marker, parts.last?.number ?? 0), part.number <= PartSizes.partLimit else {
          throw StorageError.contradiction("the part numbers do not ascend at part \(part.number)")
        }
        _ = try ResponseValue(part.etag, named: "ETag")
        parts.append(part)
      }
      guard let next = page.next else { return parts }
      guard next > marker, next <= PartSizes.partLimit else {
        throw StorageError.malformedResponse("a truncated list of parts has no next part")
      }
      marker = next
    }
  }

  /// Returns the description of the object if an earlier process completed the upload, or `nil` if there is no object.
  func objectOfEarlierProcess(_ parts: [Part], unless error: ServiceError) async throws -> UploadedObject? {
    do {
      return try await objectIfStored(parts.sorted { $0.number < $1.number }, unless: error)
    } catch let error as ServiceError where error.kind == .noSuchUpload || error.kind == .noSuchKey { return nil }
  }
}

extension BucketClient {
  /// Uploads parts concurrently and completes the multipart upload, or aborts it if an error occurs.
  func uploadInParts(
    _ source: some PartSource, to key: String, headers: HTTPFields, length: Int64?, progress: ProgressMeter
  ) async throws -> UploadedObject {
    let upload = try await MultipartUpload.begin(self, key: key, headers: headers)
    do {
      let parts = try await uploadParts(source, of: upload, progress: progress)
      if let length, parts.byteCount != length { throw StorageError.sourceChanged(from: length, to: parts.byteCount) }
      return try await upload.complete(parts)
    } catch let error as ServiceError where error.isStored {
      throw error
    } catch {
      await upload.abort()
      throw error
    }
  }

  /// Uploads parts within the concurrency limit, and returns them in the order in which they were stored.
  ///
  /// A part is requested from the source only when it can be sent. `didUpload` is called for one stored part at a time.
  func uploadParts(
    _ source: some PartSource, of upload: MultipartUpload<Provider>, progress: ProgressMeter,
    didUpload: (UploadCheckpoint.Part) async throws -> Void = { _ in }
  ) async throws -> [UploadCheckpoint.Part] {
    try await withThrowingTaskGroup(of: UploadCheckpoint.Part.self) { group in
      var source = source
      var parts: [UploadCheckpoint.Part] = []
      var startedCount = 0
      while true {
        if startedCount - parts.count >= configuration.partsInFlight, let part = try await group.next() {
          parts.append(part)
          try await didUpload(part)
        }
        guard let next = try await source.next() else { break }
        startedCount += 1
        guard next.number <= PartSizes.partLimit else {
          throw StorageError(
            .tooLarge, "The stream needs more than \(PartSizes.partLimit) parts.",
            remedy: "Give its length, or choose a larger part size.")
        }
        group.addTask { try await upload.upload(next.payload, number: next.number, progress: progress) }
      }
      for try await part in group {
        parts.append(part)
        try await didUpload(part)
      }
      return parts
    }
  }
}
