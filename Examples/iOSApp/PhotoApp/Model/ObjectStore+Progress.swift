// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageClient

extension ObjectStore {
  /// Uploads a file, and returns the fractions that have been sent, for an actor that shows them.
  ///
  /// A reader that is slower than the network gets only the latest fraction. The upload is cancelled with the task that
  /// reads the sequence.
  func uploading(_ file: FilePath, to key: String) -> AsyncThrowingStream<Double, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let upload = Task {
        do {
          try await self.upload(file, to: key) { continuation.yield($0.fractionCompleted) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in upload.cancel() }
    }
  }
}
