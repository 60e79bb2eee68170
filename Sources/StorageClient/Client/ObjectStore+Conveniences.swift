public import SystemPackage

extension ObjectStore {
  /// Downloads an object into a file, which appears only when all of it has arrived.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - file: The file; one that exists is replaced.
  ///   - progress: Called while the bytes come in, one call after the other, on no particular thread.
  /// - Returns: What the service says about the object.
  @discardableResult
  public func download(
    _ key: String, to file: FilePath, progress: TransferProgress.Handler? = nil
  ) async throws -> ObjectInfo {
    try await download(key, to: file, options: DownloadOptions(), progress: progress)
  }

  /// Downloads an object, or a range of it, into memory.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - limit: The most bytes that are taken.
  ///   - options: Which range, which version, under which conditions.
  /// - Returns: The bytes.
  /// - Throws: ``StorageError/Code/tooLarge`` if there are more bytes than `limit`, and what every operation throws.
  public func download(
    _ key: String, upTo limit: Int, options: DownloadOptions = DownloadOptions()
  ) async throws -> [UInt8] {
    let object = try await open(key, options: options)
    guard let bytes = try await object.body.collected(upTo: limit) else {
      throw StorageError(
        .tooLarge, "\(key) has more than \(limit) bytes.",
        remedy: "Raise the limit, or download it into a file or as a stream.")
    }
    return bytes
  }

  /// Starts to download an object.
  ///
  /// - Parameter key: The key of the object.
  /// - Returns: What the service says about the object, and its bytes as they arrive.
  public func open(_ key: String) async throws -> DownloadedObject {
    try await open(key, options: DownloadOptions())
  }

  /// Asks about an object.
  ///
  /// - Parameter key: The key of the object.
  public func head(_ key: String) async throws -> ObjectInfo {
    try await head(key, headers: [:])
  }

  /// Lists all objects, or those whose keys start with a prefix.
  ///
  /// - Parameter prefix: What the keys start with.
  public func list(prefix: String = "") -> ObjectListing {
    list(prefix: prefix, delimiter: nil)
  }
}
