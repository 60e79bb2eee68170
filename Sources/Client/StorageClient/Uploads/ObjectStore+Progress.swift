// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

extension ObjectStore {
  /// Uploads a file, and returns its progress as an asynchronous sequence, for an actor that shows it.
  ///
  /// A reader that is slower than the network receives only the latest progress. The upload is cancelled with the task
  /// that reads the sequence, and the sequence ends when the object is complete.
  ///
  /// ```swift
  /// for try await progress in client.uploading("film.mov", to: "film.mov") { show(progress.fractionCompleted) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - key: The key of the object.
  ///   - options: The headers, metadata and part sizes of the upload.
  /// - Returns: The progress. The sequence throws the error of the upload.
  public func uploading(
    _ file: FilePath, to key: String, options: UploadOptions = UploadOptions()
  ) -> AsyncThrowingStream<TransferProgress, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let transfer = Task {
        do {
          try await upload(file, to: key, options: options) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in transfer.cancel() }
    }
  }
}
