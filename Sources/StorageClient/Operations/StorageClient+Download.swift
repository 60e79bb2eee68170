internal import HTTPTypes
internal import StorageAuth
public import SystemPackage

extension StorageClient {
  /// Downloads an object into a file, which appears only when all of it has arrived; large ones in several ranges at a
  /// time.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - options: Which version, under which conditions.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  @concurrent
  public func download(
    _ key: String, to file: FilePath, options: DownloadOptions, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    try await FileReplacement.write(file) { replacement in
      try await FileDownload(client: self, key: key, options: options, file: replacement, progress: progress).run()
    }
  }

  /// Starts to download an object, or a range of it.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:GetObject`.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  public func open(_ key: String, options: DownloadOptions) async throws -> DownloadedObject {
    let draft = try options.draft(for: key)
    let reply = try await send(draft)
    let info = ObjectInfo(key: key, response: reply.response, dialect: provider.dialect)
    let length = reply.response.headerFields[.contentLength].flatMap { Int64($0) }
    let isWhole = reply.response.status != .partialContent && options.parameters.isEmpty
    let body = reply.body.checked(
      subject(of: draft), length: length, checksum: isWhole || length == info.size ? info.checksum : nil)
    return DownloadedObject(info: info, contentLength: length, body: body)
  }

  /// Asks about an object.
  ///
  /// The signer needs `oss:GetObject` or `name/cos:HeadObject`.
  ///
  /// - Parameter key: The key of the object.
  public func head(_ key: String) async throws -> ObjectInfo {
    let (response, _) = try await exchange(RequestDraft(.head, key))
    return ObjectInfo(key: key, response: response, dialect: provider.dialect)
  }
}
