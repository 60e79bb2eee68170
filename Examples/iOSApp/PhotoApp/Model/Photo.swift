// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A photo in the list of the app.
struct Photo: Identifiable, Sendable, Hashable {
  /// The name of the photo, which is the key of the object without the user's folder.
  let id: String

  var state: State

  /// The state of a photo on its way to the bucket.
  enum State: Sendable, Hashable {
    /// The app is sending the photo; the fraction is from 0 to 1.
    case uploading(Double)
    /// The system is sending the photo, even while the app is suspended.
    case inBackground
    case stored
    case cancelled
    /// The photo could not be sent, for the given reason.
    case failed(String)
  }
}
