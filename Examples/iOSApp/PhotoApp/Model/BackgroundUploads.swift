// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageClient

/// Uploads that continue while the app is suspended, because the system performs them.
///
/// The system gets a presigned URL, and so needs neither the app nor its keys while it sends a file.
protocol BackgroundUploads: Sendable {
  /// Hands a file over to the system.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must exist until the upload ends.
  ///   - request: The presigned request that sends the file.
  ///   - key: The key of the object, which the end of the upload is reported for.
  func start(_ file: FilePath, with request: PresignedRequest, for key: String) async throws

  /// The ends of uploads, including those that were started before the app was launched.
  var results: AsyncStream<BackgroundResult> { get }
}

/// The end of an upload that the system performed.
struct BackgroundResult: Sendable {
  /// The key of the object.
  let key: String

  /// The reason for which the photo is not stored, or `nil`.
  let failure: String?
}
