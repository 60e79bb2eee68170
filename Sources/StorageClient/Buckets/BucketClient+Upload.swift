internal import HTTPTypes
internal import StorageAuth
internal import SystemPackage

extension BucketClient {
  /// Uploads an object; in parts from the configured threshold on.
  @concurrent
  func upload(
    _ source: UploadSource, to key: String, options: UploadOptions, progress: TransferProgress.Handler?
  ) async throws -> UploadedObject {
    try await client.transfer("upload", key, progress) { ledger in
      switch source.storage {
      case .bytes(let bytes):
        let fields = try options.fields(in: provider.dialect, named: key)
        return try await upload(BytesPayload(bytes: bytes), to: key, options, fields, ledger)
      case .file(let path):
        return try await upload(path, to: key, options, ledger)
      case .stream(let stream, let length):
        let fields = try options.fields(in: provider.dialect, named: key)
        return try await upload(stream, length: length, to: key, options, fields, ledger)
      }
    }
  }

  private func upload(
    _ path: FilePath, to key: String, _ options: UploadOptions, _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let name = path.lastComponent.flatMap { $0.extension == nil ? nil : $0.string } ?? key
    let fields = try options.fields(in: provider.dialect, named: name)
    return try await FilePayload.read(path) { payload in
      try await upload(payload, to: key, options, fields, ledger)
    }
  }

  private func upload(
    _ payload: some UploadPayload, to key: String, _ options: UploadOptions, _ fields: HTTPFields,
    _ ledger: TransferLedger
  ) async throws -> UploadedObject {
    let meter = ledger.meter(total: payload.length)
    if payload.length < max(configuration.multipartThreshold, 1) || payload.length <= configuration.partSize {
      return try await upload(whole: payload, to: key, options, fields, meter)
    }
    let sizes = try PartSizes(length: payload.length, preferred: configuration.partSize)
    return try await uploadInParts(
      SlicedParts(payload, sizes: sizes), to: key, fields: fields, length: payload.length, progress: meter)
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

  /// Uploads with one request.
  private func upload(
    whole payload: some UploadPayload, to key: String, _ options: UploadOptions, _ fields: HTTPFields,
    _ progress: ProgressMeter
  ) async throws -> UploadedObject {
    let draft = try await draft(
      putting: payload, key, for: .put, headers: fields.belonging(to: .put, provider.dialect.scopes),
      isRepeatable: !options.forbidOverwrite && options.ifMatch == nil)
    let (response, checksum) = try await put(payload, draft, progress: progress)
    return UploadedObject(
      key: key, size: payload.length, etag: response.headerFields[.eTag], checksum: checksum, response,
      provider.dialect)
  }
}

extension BucketClient {
  /// Sends bytes and compares their checksum with the one that the service calculated.
  ///
  /// - Returns: The head of the answer, and the checksum.
  func put(
    _ payload: any UploadPayload, _ draft: RequestDraft, progress: ProgressMeter
  ) async throws -> (HTTPResponse, ObjectChecksum) {
    let meter = BodyMeter(length: payload.length, provider.dialect.algorithm, progress: progress)
    var draft = draft
    draft.body = meter.body(of: payload.stream)
    draft.meter = meter
    let (response, _) = try await client.exchange(draft)
    try compare(meter.checksum, with: response, subject: draft.subject)
    return (response, meter.checksum)
  }

  /// Compares a checksum with the one in an answer, if there is one.
  func compare(_ checksum: ObjectChecksum, with response: HTTPResponse, subject: String) throws(StorageError) {
    let headers = provider.dialect.checksums.filter { $0.algorithm == checksum.algorithm }
    guard let expected = response.headerFields.checksum(in: headers) else { return }
    guard expected == checksum else {
      throw StorageError.checksumMismatch(
        of: subject, expected: expected, found: checksum, remedy: "Upload it again; what the service holds is damaged.")
    }
  }
}
