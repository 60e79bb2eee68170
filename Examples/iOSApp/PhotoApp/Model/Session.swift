// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The session of a user who has logged in.
struct Session: Sendable, Codable, Hashable {
  let user: String

  /// The token that the app's server has issued.
  let token: String

  /// The start of the keys of the user's photos, to which the server's policy limits the user.
  var folder: String { "users/\(user)/" }
}

/// The place that keeps the session between two launches of the app.
protocol SessionStore: Sendable {
  func load() -> Session?

  /// Replaces the session, or removes it.
  func save(_ session: Session?)
}
