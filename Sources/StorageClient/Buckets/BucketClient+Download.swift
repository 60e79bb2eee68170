internal import HTTPTypes
internal import StorageAuth
internal import SystemPackage

extension BucketClient {
  /// Downloads an object into a file, which appears only when all of it has arrived; large ones in several ranges at a
  /// time.
  @concurrent
  func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await client.transfer("download", key, progress) { ledger in
      try await FileReplacement.write(file) { replacement in
        try await FileDownload(bucket: self, key: key, options: options, file: replacement, ledger: ledger).run()
      }
    }
  }

  /// Starts to download an object, or a range of it.
  func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    let ledger = client.ledger("download", key, nil)
    do {
      let object = try await fetch(key, options: options)
      return DownloadedObject(
        info: object.info, contentLength: object.contentLength, body: object.body.entered(into: ledger))
    } catch {
      ledger.close(failure: error)
      throw error
    }
  }

  /// Starts to download an object, or a range of it, and takes it up again where it breaks off.
  func fetch(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    let draft = try draft(options, for: key)
    let reply = try await client.send(draft)
    let info = ObjectInfo(key: key, response: reply.response, dialect: provider.dialect)
    let length = reply.response.headerFields[.contentLength].flatMap { Int64(digits: $0) }
    let isWhole = reply.response.status != .partialContent && options.parameters.isEmpty
    let body = resumed(reply, key, options, length: length).checked(
      draft.subject, length: length, checksum: isWhole || length == info.size ? info.checksum : nil)
    return DownloadedObject(info: info, contentLength: length, body: body)
  }

  /// Asks about an object.
  func head(_ key: String, headers: HTTPFields) async throws -> ObjectInfo {
    try headers.check(for: .head, named: "a question about an object", provider.dialect.scopes)
    let (response, _) = try await client.exchange(draft(.head, key, for: .head, headers: headers))
    return ObjectInfo(key: key, response: response, dialect: provider.dialect)
  }

  /// Asks about an object as a download does: with its conditions, its version and the headers that go with a question.
  ///
  /// - Returns: What the service says, or `nil` if it refuses without a reason: an answer to HEAD has no body, so that the
  ///   download itself has to bring the reason.
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

  /// The request for an object, or for a range of it.
  func draft(_ options: DownloadOptions, for key: String) throws -> RequestDraft {
    var parameters = options.parameters
    if let versionID = options.versionID { parameters.append(.init("versionId", versionID)) }
    return try draft(.get, key, parameters, for: .get, headers: options.fields(in: provider.dialect))
  }
}
