internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML

/// A multipart upload under way: its id, and the four requests that it is made of.
struct MultipartUpload<Provider: StorageProvider>: Sendable {
  let client: StorageClient<Provider>
  let key: String
  let id: String
  let fields: HTTPFields

  /// A part that has been stored.
  struct Part: Sendable {
    let number: Int
    let etag: String
    let length: Int64
    let checksum: UInt64
  }

  /// Begins an upload.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - key: The key of the object.
  ///   - fields: The headers of the object; those that act on the finished object are kept for ``complete(_:)``.
  static func begin(
    _ client: StorageClient<Provider>, key: String, fields: HTTPFields
  ) async throws -> MultipartUpload {
    let dialect = client.provider.dialect
    let beginning = HTTPFields(fields.filter { !dialect.callbacks.contains($0.name) })
    let draft = RequestDraft(.post, key, [.init("uploads")], headers: beginning, isRepeatable: false)
    let (_, body) = try await client.exchange(draft)
    guard let id = try XMLNode.answer(body)["UploadId"]?.text, !id.isEmpty else {
      throw StorageError.malformedAnswer("it has no UploadId")
    }
    let kept = HTTPFields(
      fields.filter { dialect.callbacks.contains($0.name) || $0.name == dialect.forbidOverwrite })
    return MultipartUpload(client: client, key: key, id: id, fields: kept)
  }

  /// Stores a part and compares its checksum.
  func upload(_ payload: any UploadPayload, number: Int, progress: ProgressMeter) async throws -> Part {
    let parameters: [RequestTarget.Parameter] = [.init("partNumber", "\(number)"), .init("uploadId", id)]
    let draft = RequestDraft(.put, key, parameters)
    let (response, checksum) = try await client.put(payload, draft, progress: progress)
    guard let etag = response.headerFields[.eTag] else {
      throw StorageError.malformedAnswer("part \(number) has no ETag")
    }
    return Part(number: number, etag: etag, length: payload.length, checksum: checksum)
  }

  /// Makes the parts one object and compares its checksum.
  func complete(_ parts: [Part]) async throws -> UploadedObject {
    let parts = parts.sorted { $0.number < $1.number }
    let list = parts.map { part in
      XMLNode("Part", children: [XMLNode("PartNumber", "\(part.number)"), XMLNode("ETag", part.etag)])
    }
    var fields = fields
    fields[.contentType] = "application/xml"
    let draft = RequestDraft(
      .post, key, [.init("uploadId", id)], headers: fields,
      body: .bytes(XMLNode("CompleteMultipartUpload", children: list).serialized()), isRepeatable: false)
    let (response, body) = try await client.exchange(draft)
    let answer = try? XMLNode.answer(body)
    if let answer, let error = client.errorInside(answer, of: response, draft) { throw error }
    let checksum = parts.dropFirst().reduce(parts.first?.checksum ?? 0) { checksum, part in
      CRC64.combine(checksum, part.checksum, byteCount: UInt64(part.length))
    }
    try client.compare(checksum, with: response, subject: "the object \(key)")
    return UploadedObject(
      key: key, size: parts.reduce(0) { $0 + $1.length },
      etag: response.headerFields[.eTag] ?? answer?["ETag"]?.text,
      checksum: checksum, versionID: response.headerFields[client.provider.dialect.versionID],
      requestID: response.headerFields[client.provider.dialect.requestID])
  }

  /// Gives the parts up, so that nobody pays for them.
  ///
  /// It runs to its end even if the task is cancelled. If it fails, the parts stay until a rule of the bucket removes
  /// them; the error that led here is the one to report.
  func abort() async {
    let draft = RequestDraft(.delete, key, [.init("uploadId", id)])
    await Task { _ = try? await client.exchange(draft) }.value
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
