internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// A multipart upload under way: its id, and the four requests that it is made of.
struct MultipartUpload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let id: AnswerValue
  /// The headers of the whole upload.
  let fields: HTTPFields

  /// A part that has been stored.
  struct Part: Sendable {
    let number: Int
    let etag: AnswerValue
    let length: Int64
    let checksum: ObjectChecksum
  }

  /// Begins an upload; one that begins twice, because an answer got lost, leaves an upload without parts.
  ///
  /// - Parameters:
  ///   - bucket: The bucket.
  ///   - key: The key of the object.
  ///   - fields: The headers of the upload; each goes with the requests that it belongs to.
  /// - Throws: ``StorageError/Code/invalidOption`` if a header is of the whole body, which no request has.
  static func begin(
    _ bucket: BucketClient<Provider>, key: String, fields: HTTPFields
  ) async throws -> MultipartUpload {
    let scopes = bucket.provider.dialect.scopes
    try fields.check(for: [.initiate, .part, .complete, .abort], named: "an upload in parts", scopes)
    let draft = try bucket.draft(
      .post, key, [.init("uploads")], for: .initiate, headers: fields.belonging(to: .initiate, scopes))
    let (_, body) = try await bucket.client.exchange(draft)
    guard let text = try XMLNode.answer(body)["UploadId"]?.text, !text.isEmpty else {
      throw StorageError.malformedAnswer("it has no UploadId")
    }
    let id = try AnswerValue(text, named: "UploadId")
    return MultipartUpload(bucket: bucket, key: key, id: id, fields: fields)
  }

  /// The headers that belong to a request of the upload.
  private func fields(of request: HeaderScope) -> HTTPFields {
    fields.belonging(to: request, bucket.provider.dialect.scopes)
  }

  /// Stores a part and compares its checksum.
  func upload(_ payload: any UploadPayload, number: Int, progress: ProgressMeter) async throws -> Part {
    let parameters: [RequestTarget.Parameter] = [.init("partNumber", "\(number)"), .init("uploadId", id.text)]
    let draft = try await bucket.draft(
      putting: payload, key, parameters, for: .part, headers: fields(of: .part))
    let (response, checksum) = try await bucket.put(payload, draft, progress: progress)
    guard let etag = response.headerFields[.eTag] else {
      throw StorageError.malformedAnswer("part \(number) has no ETag")
    }
    return Part(number: number, etag: try AnswerValue(etag, named: "ETag"), length: payload.length, checksum: checksum)
  }

  /// Makes the parts one object and compares its checksum.
  func complete(_ parts: [Part]) async throws -> UploadedObject {
    let parts = parts.sorted { $0.number < $1.number }
    let size = parts.reduce(0) { $0 + $1.length }
    let empty = ObjectChecksum(bucket.provider.dialect.algorithm, of: [])
    let checksum = parts.reduce(empty) { $0.followed(by: $1.checksum, byteCount: $1.length) }
    do {
      let (response, body) = try await bucket.client.exchange(completion(of: parts, checksum))
      try bucket.compare(checksum, with: response, subject: "the object \(key)")
      let etag = response.headerFields[.eTag] ?? (try? XMLNode.answer(body))?["ETag"]?.text
      return UploadedObject(key: key, size: size, etag: etag, checksum: checksum, response, bucket.provider.dialect)
    } catch let error as ServiceError where error.attempts > 1 && Self.mayHaveSucceeded(error) {
      return try await stored(size: size, checksum, parts, unless: error)
    }
  }

  private func completion(of parts: [Part], _ checksum: ObjectChecksum) throws(SigningError) -> RequestDraft {
    let list = parts.map { part in
      XMLNode("Part", children: [XMLNode("PartNumber", "\(part.number)"), XMLNode("ETag", part.etag.text)])
    }
    var fields = fields(of: .complete)
    fields[.contentType] = "application/xml"
    var draft = try bucket.draft(
      .post, key, [.init("uploadId", id.text)], for: .complete, headers: fields,
      body: XMLNode("CompleteMultipartUpload", children: list).serialized(), checksum: checksum)
    bucket.findErrorInside(&draft)
    return draft
  }

  /// Whether an error is what a service says of an upload that it has completed before.
  private static func mayHaveSucceeded(_ error: ServiceError) -> Bool {
    error.kind == .noSuchUpload || error.kind == .alreadyExists
  }

  /// Looks whether the object was made by an attempt whose answer got lost.
  ///
  /// - Throws: The error, if there is no object with exactly these bytes.
  private func stored(
    size: Int64, _ checksum: ObjectChecksum, _ parts: [Part], unless error: ServiceError
  ) async throws -> UploadedObject {
    let (response, _) = try await bucket.client.exchange(
      bucket.draft(.head, key, for: .head, headers: fields(of: .head)))
    let info = ObjectInfo(key: key, response: response, dialect: bucket.provider.dialect)
    let isTheSame =
      info.checksum.map { $0 == checksum } ?? (info.etag != nil && info.etag == Self.commonTag(of: parts))
    guard info.size == size, isTheSame else { throw error }
    return UploadedObject(
      key: key, size: size, etag: info.etag, checksum: checksum, response, bucket.provider.dialect)
  }

  /// The entity tag that most services give an object of parts whose tags are MD5s: the MD5 of those and their number.
  private static func commonTag(of parts: [Part]) -> String? {
    var digests: [UInt8] = []
    for part in parts {
      guard let digest = [UInt8](hex: part.etag.text.filter { $0 != "\"" }), digest.count == 16 else { return nil }
      digests += digest
    }
    return "\"\(MD5.hash(digests).hex)-\(parts.count)\""
  }

  /// Gives the parts up, so that nobody pays for them.
  ///
  /// It runs to its end even if the task is cancelled. If it fails, the parts stay until a rule of the bucket removes
  /// them; the error that led here is the one to report.
  func abort() async {
    await Task {
      _ = try? await bucket.client.exchange(
        bucket.draft(.delete, key, [.init("uploadId", id.text)], for: .abort, headers: fields(of: .abort)))
    }.value
  }
}

extension XMLNode {
  /// Reads the body of an answer.
  static func answer(_ body: [UInt8]) throws(StorageError) -> XMLNode {
    do {
      return try parse(body)
    } catch {
      throw StorageError.malformedAnswer(error.message)
    }
  }
}

extension RequestTarget.Parameter {
  init(_ name: String, _ value: String? = nil) {
    self.init(name: name, value: value)
  }
}
