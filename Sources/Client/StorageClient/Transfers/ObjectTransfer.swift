// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// The upload or download of one object, which a ``TransferPipeline`` carries out.
///
/// The value describes the transfer and holds no resources, so that a sequence can yield a million transfers.
public struct ObjectTransfer: Sendable {
  /// The type of a function that carries out a transfer and reports its progress to the given handler.
  public typealias Operation =
    @Sendable @concurrent (_ progress: @escaping TransferProgress.Handler) async throws -> Void

  /// The name of the transfer in reports, such as the object key.
  public let name: String

  /// The number of bytes to transfer, or `nil` if it is unknown before the transfer begins.
  ///
  /// It counts when the transfer succeeds, unless the transfer reports another total.
  public let byteCount: Int64?

  let operation: Operation

  /// Creates a transfer that runs a function.
  ///
  /// - Parameters:
  ///   - name: The name of the transfer in reports, such as the object key.
  ///   - byteCount: The number of bytes to transfer, or `nil` if it is unknown before the transfer begins.
  ///   - operation: A function that transfers the object. If it throws or is cancelled, no partial result may remain.
  public init(_ name: String, byteCount: Int64? = nil, operation: @escaping Operation) {
    self.name = name
    self.byteCount = byteCount.map { max(0, $0) }
    self.operation = operation
  }

  /// Carries out the transfer without a pipeline, and reports its progress, one call at a time, on an arbitrary thread.
  ///
  /// - Throws: The error that the transfer throws.
  public func run(progress: TransferProgress.Handler? = nil) async throws {
    try await operation(progress ?? { _ in })
  }

  /// Returns a transfer that uploads an object and whose name is the object key.
  ///
  /// - Parameters:
  ///   - source: The bytes to upload: in memory, in a file, or as a stream.
  ///   - key: The key under which the object is stored.
  ///   - store: The store that receives the object.
  ///   - byteCount: The number of bytes to transfer, or `nil` if it is unknown before the transfer begins.
  ///   - options: The attributes to store with the object, such as its media type.
  public static func upload(
    _ source: UploadSource, to key: String, in store: some ObjectStore, byteCount: Int64? = nil,
    options: UploadOptions = UploadOptions()
  ) -> ObjectTransfer {
    ObjectTransfer(key, byteCount: byteCount) { progress in
      try await store.upload(source, to: key, options: options, progress: progress)
    }
  }

  /// Returns a transfer that downloads an object into a file and whose name is the object key.
  ///
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - store: The store that has the object.
  ///   - file: The destination file, which appears only when the download is complete.
  ///   - byteCount: The number of bytes to transfer, such as from a listing, or `nil` if it is unknown beforehand.
  ///   - options: The version of the object, and the conditions for the download.
  public static func download(
    _ key: String, from store: some ObjectStore, to file: FilePath, byteCount: Int64? = nil,
    options: DownloadOptions = DownloadOptions()
  ) -> ObjectTransfer {
    ObjectTransfer(key, byteCount: byteCount) { progress in
      try await store.download(key, to: file, options: options, progress: progress)
    }
  }
}
