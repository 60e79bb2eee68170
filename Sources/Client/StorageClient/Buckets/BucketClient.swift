// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageXML
internal import SystemPackage

/// The implementation of the bucket operations, which sends its requests through a storage client.
struct BucketClient<Provider: BucketProvider>: BucketStore {
  let client: StorageClient<Provider>

  var provider: Provider { client.provider }
  var configuration: StorageClientConfiguration { client.configuration }

  /// Creates a request for an object or the bucket, with a body in memory.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - key: The key of the object, or `nil` for the bucket.
  ///   - parameters: The query parameters.
  ///   - request: The kind of request, which selects the provider's headers. Empty if the request does not concern a
  ///     single object.
  ///   - headers: The headers of the operation.
  ///   - body: The body.
  ///   - checksum: The checksum that the provider's headers contain. If `nil`, the checksum of the body.
  ///   - isRepeatable: Whether the request may be sent again if it is unknown whether the service received it.
  func draft(
    _ method: HTTPRequest.Method, _ key: String? = nil, _ parameters: [RequestTarget.Parameter] = [],
    for request: HeaderScope = [], headers: HTTPFields = [:], body: [UInt8] = [], checksum: ObjectChecksum? = nil,
    isRepeatable: Bool = true
  ) throws(SigningError) -> RequestDraft {
    var digest = BodyDigest.of(body, provider.digests, provider.dialect.algorithm)
    if let checksum { digest.checksum = checksum }
    return try draft(
      method, key, parameters, headers: headers.adding(provider.headers(of: request, body: digest, alongside: headers)),
      body: body.isEmpty ? .none : .bytes(body), isRepeatable: isRepeatable)
  }

  /// Creates a request that stores a streamed body as an object or a part.
  func draft(
    putting payload: any UploadPayload, _ key: String, _ parameters: [RequestTarget.Parameter] = [],
    for request: HeaderScope, headers: HTTPFields, isRepeatable: Bool = true
  ) async throws -> RequestDraft {
    let digest = try await BodyDigest.of(payload, provider.digests, provider.dialect.algorithm)
    return try draft(
      .put, key, parameters, headers: headers.adding(provider.headers(of: request, body: digest, alongside: headers)),
      body: .none, isRepeatable: isRepeatable)
  }

  private func draft(
    _ method: HTTPRequest.Method, _ key: String?, _ parameters: [RequestTarget.Parameter], headers: HTTPFields,
    body: HTTPBody, isRepeatable: Bool
  ) throws(SigningError) -> RequestDraft {
    let endpoint = try provider.endpoint
    let request = try endpoint.request(
      method, bucket: provider.bucket, key: key, parameters: parameters, headers: headers)
    var draft = RequestDraft(
      request, to: endpoint, at: client.location(ofKey: key), body: body, isRepeatable: isRepeatable)
    if client.scoped != nil { draft.scope = CredentialScope(method, key, parameters, in: provider.bucket) }
    draft.proof = SuccessProof(method, key, parameters, isCopy: headers[provider.dialect.copySource] != nil)
    draft.requestID = provider.dialect.requestID
    draft.forbidsOverwriting = provider.dialect.forbidOverwrite.map { headers[$0.name] == $0.value } ?? false
    return draft
  }
}

extension HTTPFields {
  /// Returns the fields merged with other fields, which replace fields of the same name.
  fileprivate func adding(_ others: HTTPFields) -> HTTPFields {
    var fields = self
    for field in others { fields[field.name] = field.value }
    return fields
  }
}

extension BucketClient {
  /// Uploads an object, in parts if its size is at least the configured threshold.
  @concurrent
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await client.transfer("upload", key, progress) { ledger in
      try await checkOverwriting(
        of: key, isForbidden: options.forbidOverwrite, checksVersioning: options.checksVersioning)
      switch source.storage {
      case .bytes(let bytes):
        let fields = try options.fields(in: provider.dialect, named: key)
        return try await upload(BytesPayload(bytes: bytes), to: key, options, fields, ledger)
      case .file(let path):
        return try await upload(FilePayload(path), to: key, options, ledger)
      case .opened(let file):
        return try await upload(file, to: key, options, ledger)
      case .stream(let stream, let length):
        let fields = try options.fields(in: provider.dialect, named: key)
        return try await upload(stream, length: length, to: key, options, fields, ledger)
      }
    }
  }

  private func upload(
    _ file: FilePayload, to key: String, _ options: UploadOptions, _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let fields = try options.fields(in: provider.dialect, file: file.path, key: key)
    return try await upload(file, to: key, options, fields, ledger)
  }

  private func upload(
    _ payload: some UploadPayload, to key: String, _ options: UploadOptions, _ fields: HTTPFields,
    _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let meter = ledger.meter(total: payload.length)
    guard configuration.uploadsInParts(payload.length) else {
      return try await upload(whole: payload, to: key, options, fields, meter)
    }
    let sizes = try PartSizes(length: payload.length, preferred: configuration.partSize)
    return try await uploadInParts(
      SlicedParts(payload, ranges: sizes.ranges(of: payload.length)), to: key, fields: fields, length: payload.length,
      progress: meter)
  }

  private func upload(
    _ stream: ByteStream, length: Int64?, to key: String, _ options: UploadOptions, _ fields: HTTPFields,
    _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let meter = ledger.meter(total: length)
    var parts = CollectedParts(stream, sizes: try PartSizes(length: length, preferred: configuration.partSize))
    guard let bytes = try await parts.onlyPart() else {
      return try await uploadInParts(parts, to: key, fields: fields, length: length, progress: meter)
    }
    guard length == nil || length == Int64(bytes.count) else {
      throw StorageError(
        .sourceChanged, "The stream had \(bytes.count) bytes, not the \(length ?? 0) that were announced.",
        remedy: "Give the length only if it is certain.")
    }
    return try await upload(whole: BytesPayload(bytes: bytes), to: key, options, fields, meter)
  }

  /// Uploads a payload as an object with a single request.
  func upload(
    whole payload: some UploadPayload, to key: String, _ options: UploadOptions, _ fields: HTTPFields,
    _ progress: ProgressMeter
  ) async throws -> UploadedObject {
    let draft = try await draft(
      putting: payload, key, for: .put, headers: fields.belonging(to: .put, provider.dialect.scopes),
      isRepeatable: !options.forbidOverwrite && options.ifMatch == nil)
    let (response, body, checksum) = try await put(payload, draft, progress: progress)
    return UploadedObject(
      key: key, size: payload.length, etag: response.headerFields[.eTag], checksum: checksum, response,
      provider.dialect, callbackReply: draft.callbackReply(body, provider.dialect))
  }
}

extension BucketClient {
  /// Uploads a payload and compares its checksum with the checksum that the service calculated.
  ///
  /// - Returns: The head and the body of the response, and the checksum of the payload.
  func put(
    _ payload: any UploadPayload, _ draft: RequestDraft, progress: ProgressMeter
  ) async throws -> (HTTPResponse, [UInt8], ObjectChecksum) {
    var draft = draft
    if payload.length <= payloadChunkSize {
      let bytes = try await payload.collected()
      let checksum = ObjectChecksum(provider.dialect.algorithm, of: bytes)
      draft.body = .bytes(bytes)
      let (response, answer) = try await client.exchange(draft)
      progress.advance(by: payload.length)
      try compare(checksum, with: response, subject: draft.subject)
      return (response, answer, checksum)
    }
    let meter = BodyMeter(length: payload.length, provider.dialect.algorithm, progress: progress)
    draft.body = meter.body(of: payload.stream)
    draft.meter = meter
    let (response, answer) = try await client.exchange(draft)
    try compare(meter.checksum, with: response, subject: draft.subject)
    return (response, answer, meter.checksum)
  }

  /// Compares a checksum with the checksum in a response, if the response has one.
  func compare(_ checksum: ObjectChecksum, with response: HTTPResponse, subject: String) throws(StorageError) {
    let headers = provider.dialect.checksums.filter { $0.algorithm == checksum.algorithm }
    guard let expected = response.headerFields.checksum(in: headers) else { return }
    guard expected == checksum else {
      throw StorageError.checksumMismatch(
        of: subject, expected: expected, found: checksum, remedy: "Upload it again; what the service holds is damaged.")
    }
  }
}

extension BucketClient {
  /// Downloads an object into a file that appears only when complete, and large objects in several concurrent ranges.
  @concurrent
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await download(key, to: FilePlace(file), options: options, progress: progress)
  }

  /// Downloads an object into a place, and large objects in several concurrent ranges.
  @concurrent
  func download(
    _ key: String, to place: FilePlace, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await client.transfer("download", key, progress) { ledger in
      try await FileReplacement.write(place) { replacement in
        try await FileDownload(bucket: self, key: key, options: options, file: replacement, ledger: ledger).run()
      }
    }
  }

  /// Starts to download an object, or a range of its bytes, and emits a transfer event when the download ends.
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    let ledger = client.ledger("download", key, nil)
    do {
      let object = try await ledger.run { try await fetch(key, options: options) }
      return DownloadedObject(
        info: object.info, contentLength: object.contentLength, body: object.body.entered(into: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Starts to download an object, or a range of its bytes, and resumes the download if the connection is lost.
  func fetch(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    let draft = try draft(options, for: key)
    let reply = try await client.send(draft)
    let info = ObjectInfo(key: key, response: reply.response, dialect: provider.dialect)
    let length = reply.response.headerFields[.contentLength].flatMap { Int64(digits: $0) }
    let isWhole = reply.response.status != .partialContent && options.parameters.isEmpty
    let body = resumed(reply, info, options, length: length).checked(
      draft.subject, length: length, checksum: isWhole || length == info.size ? info.checksum : nil,
      endsWithConnection: reply.endsWithConnection)
    return DownloadedObject(info: info, contentLength: length, body: body)
  }

  /// Requests the description of an object from the service.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try headers.check(for: .head, named: "a request for the description of an object", provider.dialect.scopes)
    let (response, _) = try await client.exchange(draft(.head, key, for: .head, headers: headers))
    return ObjectInfo(key: key, response: response, dialect: provider.dialect)
  }

  /// Requests the description of an object with a `HEAD` request, as a download with the given options would report it.
  ///
  /// - Returns: The description, or `nil` if the service refuses the request without a reason. A response to `HEAD` has
  ///   no body, so only the download itself can report the reason.
  func described(_ key: String, options: DownloadOptions) async throws -> ObjectInfo? {
    let scopes = provider.dialect.scopes
    let headers = try options.fields(in: provider.dialect).belonging(to: .head, scopes)
    let parameters = options.versionID.map { [RequestTarget.Parameter("versionId", $0)] } ?? []
    do {
      let (response, _) = try await client.exchange(draft(.head, key, parameters, for: .head, headers: headers))
      return ObjectInfo(key: key, response: response, dialect: provider.dialect)
    } catch let error as ServiceError where !error.isExplained && error.status.kind == .clientError {
      return nil
    }
  }

  /// Creates the request to download an object, or a range of its bytes.
  func draft(_ options: DownloadOptions, for key: String) throws -> RequestDraft {
    var parameters = options.parameters
    if let versionID = options.versionID { parameters.append(.init("versionId", versionID)) }
    return try draft(.get, key, parameters, for: .get, headers: options.fields(in: provider.dialect))
  }
}

extension BucketClient {
  /// Lists objects in the byte order of their keys, and fetches pages as they are needed.
  func list(prefix: String, delimiter: String?) -> ObjectListing {
    ObjectListing { [self] continuation in
      try await page(prefix: prefix, delimiter: delimiter, continuation: continuation, limit: configuration.keysPerPage)
    }
  }

  /// Returns whether the bucket exists.
  func bucketExists() async throws -> Bool {
    do {
      _ = try await page(prefix: "", delimiter: nil, continuation: nil, limit: 1)
      return true
    } catch let error as ServiceError where error.kind == .noSuchBucket {
      return false
    }
  }

  /// Creates the bucket as a private bucket, which only its owner can access.
  func createBucket() async throws {
    let body = provider.bucketConfiguration
    var headers = HTTPFields()
    if !body.isEmpty { headers[.contentType] = "application/xml" }
    _ = try await client.exchange(draft(.put, headers: headers, body: body))
  }

  private func page(
    prefix: String, delimiter: String?, continuation: String?, limit: Int
  ) async throws -> ListPage {
    var parameters: [RequestTarget.Parameter] = [.init("encoding-type", "url"), .init("max-keys", "\(limit)")]
    if !prefix.isEmpty { parameters.append(.init("prefix", prefix)) }
    if let delimiter { parameters.append(.init("delimiter", delimiter)) }
    switch provider.dialect.paging {
    case .continuationToken:
      parameters.append(.init("list-type", "2"))
      if let continuation { parameters.append(.init("continuation-token", continuation)) }
    case .marker:
      if let continuation { parameters.append(.init("marker", continuation)) }
    }
    let (_, document) = try await document(from: draft(.get, nil, parameters), named: "ListBucketResult")
    let request = ListRequest(
      bucket: provider.bucket, prefix: prefix, delimiter: delimiter, continuation: continuation)
    return try ListPage(document, of: request, provider.dialect)
  }
}

extension BucketClient {
  /// Copies an object inside the service, and emits a transfer event.
  func copy(_ source: CopySource, to key: String, options: CopyOptions) async throws -> CopiedObject {
    try await client.transfer("copy", key, nil) { _ in try await copyQuietly(source, to: key, options: options) }
  }

  private func copyQuietly(
    _ source: CopySource, to key: String, options: CopyOptions
  ) async throws -> CopiedObject {
    let dialect = provider.dialect
    _ = try draft(.get, source.key)
    try options.headers.check(for: .copy, named: "a copy", dialect.scopes)
    var headers = HTTPFields()
    if let attributes = options.attributes {
      try attributes.headers.check(for: .copy, named: "a copy", dialect.scopes)
      headers = try attributes.fields(in: dialect, named: key)
      headers[dialect.metadataDirective] = dialect.replaceMetadata
    }
    for field in options.headers { headers[field.name] = field.value }
    let forbidsOverwrite = options.forbidOverwrite || options.attributes?.forbidOverwrite == true
    if forbidsOverwrite { try headers.forbidOverwrite(in: dialect) }
    try await checkOverwriting(
      of: key, isForbidden: forbidsOverwrite,
      checksVersioning: options.checksVersioning || options.attributes?.checksVersioning == true)
    headers[dialect.copySource] = provider.copySource(source)
    var draft = try draft(.put, key, for: .copy, headers: headers, isRepeatable: !forbidsOverwrite)
    draft.scope = draft.scope?.reading(source, in: provider.bucket)
    let (response, answer) = try await document(from: draft, named: "CopyObjectResult")
    guard let etag = try answer.text("ETag") else { throw StorageError.malformedAnswer("it has no ETag") }
    return CopiedObject(
      key: key, etag: etag, lastModified: try answer.text("LastModified").flatMap { Timestamp(iso8601: $0) },
      checksum: response.headerFields.checksum(in: dialect.checksums),
      versionID: response.headerFields[dialect.versionID])
  }

  /// Sends a request whose successful response is an XML document.
  ///
  /// - Parameters:
  ///   - draft: The unsigned request.
  ///   - name: The name of the document's root element.
  /// - Returns: The head of the response, and the document.
  func document(from draft: RequestDraft, named name: String) async throws -> (HTTPResponse, ServiceDocument) {
    try await client.exchange(draft) { response, body in
      (
        response,
        try ServiceDocument(body, named: name, of: response, subject: draft.subject, provider.dialect)
      )
    }
  }
}
