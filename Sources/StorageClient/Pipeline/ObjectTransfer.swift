// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// The transfer of one object, for a ``TransferPipeline``.
///
/// The value describes the transfer and holds no resources, so that a sequence can yield a million of them.
public struct ObjectTransfer: Sendable {
  /// A function that carries out a transfer and reports its progress to the given handler.
  public typealias Operation =
    @Sendable @concurrent (_ progress: @escaping TransferProgress.Handler) async throws -> Void

  /// The name of the transfer in reports, such as the key.
  public let name: String

  /// The number of bytes, or `nil` if it is unknown before the transfer begins.
  public let byteCount: Int64?

  let operation: Operation

  /// Creates a transfer that runs a function.
  ///
  /// - Parameters:
  ///   - name: The name of the transfer in reports, such as the key.
  ///   - byteCount: The number of bytes, or `nil` if it is unknown before the transfer begins.
  ///   - operation: Transfers the object. If it throws or its task is cancelled, it must leave no partial result.
  public init(_ name: String, byteCount: Int64? = nil, operation: @escaping Operation) {
    self.name = name
    self.byteCount = byteCount.map { max(0, $0) }
    self.operation = operation
  }

  /// Carries out the transfer without a pipeline.
  ///
  /// - Parameter progress: Called as bytes are transferred, one call at a time, on an arbitrary thread.
  /// - Throws: The error of the transfer.
  public func run(progress: TransferProgress.Handler? = nil) async throws {
    try await operation(progress ?? { _ in })
  }

  /// Returns the upload of an object, named by its key.
  ///
  /// - Parameters:
  ///   - source: The source of the bytes.
  ///   - key: The key of the object.
  ///   - store: The store that receives the object.
  ///   - byteCount: The number of bytes, or `nil` if it is unknown before the transfer begins.
  ///   - options: The attributes that are stored with the object.
  /// - Returns: The transfer.
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
  ///   - file: The file, which appears only when the object has arrived completely.
  ///   - byteCount: The number of bytes, for example from a listing, or `nil` if it is unknown before the transfer
  ///     begins.
  ///   - options: The version, and the conditions of the download.
  /// - Returns: The transfer.
  public static func download(
    _ key: String, from store: some ObjectStore, to file: FilePath, byteCount: Int64? = nil,
    options: DownloadOptions = DownloadOptions()
  ) -> ObjectTransfer {
    ObjectTransfer(key, byteCount: byteCount) { progress in
      try await store.download(key, to: file, options: options, progress: progress)
    }
  }
}
