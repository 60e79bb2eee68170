// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension SettingTable {
  /// The names of the settings that form a key.
  struct KeyNames {
    var id: String
    var secret: String
    var token: String?
    var expiration: String?
  }

  /// Returns the key in the settings.
  ///
  /// - Returns: The key, or `nil` if both the ID and the secret are missing.
  /// - Throws: An error if only one of them is present: an incomplete key is a mistake.
  func key(_ names: KeyNames) throws(CredentialError) -> AccessKey? {
    let (id, secret) = (try text(names.id), try text(names.secret))
    if id == nil && secret == nil { return nil }
    guard let id, let secret else {
      let (missing, present) = id == nil ? (names.id, names.secret) : (names.secret, names.id)
      throw place.malformed("has “\(present)” but no “\(missing)”")
    }
    var token: String?
    if let name = names.token { token = try text(name) }
    var expiration: Timestamp?
    if let name = names.expiration { expiration = try instant(name) }
    let key = AccessKey(id: id, secret: secret, sessionToken: token, expiration: expiration)
    do {
      try key.check()
    } catch {
      throw place.malformed("has a key that cannot be used (\(error.message.dropLast()))")
    }
    return key
  }

  /// Returns the key in the settings, which must be present.
  func requiredKey(_ names: KeyNames) throws(CredentialError) -> AccessKey {
    guard let key = try key(names) else { throw place.malformed("has no “\(names.id)” and no “\(names.secret)”") }
    return key
  }
}
