// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth

/// The users of the app and their bearer tokens, in memory.
///
/// A real app stores them elsewhere.
actor Logins {
  private let users: [String: Secret]
  private var tokens: [String: String] = [:]

  init(users: [String: String]) {
    self.users = users.mapValues { Secret($0) }
  }

  /// Logs a user in.
  ///
  /// - Returns: A bearer token for the user, or `nil` if the name or the password is wrong.
  func token(for name: String, _ password: Secret) -> String? {
    guard let known = users[name], known == password else { return nil }
    let token = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    tokens[token] = name
    return token
  }

  /// Returns the name of the user with the given bearer token, or `nil` if the token is unknown.
  func user(of token: String) -> String? { tokens[token] }
}
