public import SystemPackage

/// The transfer of one object, which a ``TransferPipeline`` carries out when its turn comes.
///
/// A value says what is to be done and holds nothing open, so that a sequence can yield a million of them.
public struct ObjectTransfer: Sendable {
  /// What a transfer runs; it reports its progress to what it is given.
  public typealias Operation =
    @Sendable @concurrent (_ progress: @escaping TransferProgress.Handler) async throws -> Void

  /// The name in reports, such as the key.
  public let name: String

  /// The number of bytes, or `nil` if it is not known before the transfer begins.
  public let byteCount: Int64?

  let operation: Operation

  /// Creates a transfer that runs a function.
  ///
  /// - Parameters:
  ///   - name: The name in reports, such as the key.
  ///   - byteCount: The number of bytes, or `nil` if it is not known before the transfer begins.
  ///   - operation: Transfers the object. It leaves nothing half done if it throws or its task is cancelled.
  public init(_ name: String, byteCount: Int64? = nil, operation: @escaping Operation) {
    self.name = name
    self.byteCount = byteCount.map { max(0, $0) }
    self.operation = operation
  }

  /// Carries out the transfer by itself.
  ///
  /// - Parameter progress: Called while the bytes are moved, one call after the other, on no particular thread.
  /// - Throws: What the transfer throws.
  public func run(progress: TransferProgress.Handler? = nil) async throws {
    try await operation(progress ?? { _ in })
  }

  /// Returns the upload of an object, named by its key.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - key: The key of the object.
  ///   - store: The store that gets the object.
  ///   - byteCount: The number of bytes, or `nil` if it is not known before the transfer begins.
  ///   - options: What is stored along with the bytes.
  public static func upload(
    _ source: UploadSource, to key: String, in store: some ObjectStore, byteCount: Int64? = nil,
    options: UploadOptions = UploadOptions()
  ) -> ObjectTransfer {
    ObjectTransfer(key, byteCount: byteCount) { progress in
      try await store.upload(source, to: key, options: options, progress: progress)
    }
  }

  /// Returns the download of an object into a file, named by the object's key.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - store: The store that has the object.
  ///   - file: The file, which appears when all of the object has arrived.
  ///   - byteCount: The number of bytes, such as a listing told, or `nil` if it is not known before the transfer begins.
  ///   - options: Which version, under which conditions.
  public static func download(
    _ key: String, from store: some ObjectStore, to file: FilePath, byteCount: Int64? = nil,
    options: DownloadOptions = DownloadOptions()
  ) -> ObjectTransfer {
    ObjectTransfer(key, byteCount: byteCount) { progress in
      try await store.download(key, to: file, options: options, progress: progress)
    }
  }
}
