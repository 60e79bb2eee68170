// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension SettingTable {
  /// The names of the settings that together form an access key.
  struct KeyNames {
    var id: String
    var secret: String
    var token: String?
    var expiration: String?
  }

  /// Returns the access key that the settings contain.
  ///
  /// - Returns: The key, or `nil` if both the ID and the secret are missing.
  /// - Throws: An error if only the ID or only the secret is present, because an incomplete key is a mistake, or if the
  ///   key is invalid.
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
      try key.check(idWithout: [])
    } catch {
      throw place.malformed("has a key that cannot be used (\(error.message.dropLast()))")
    }
    return key
  }

  /// Returns the access key that the settings contain, or throws an error if both the ID and the secret are missing.
  func requiredKey(_ names: KeyNames) throws(CredentialError) -> AccessKey {
    guard let key = try key(names) else { throw place.malformed("has no “\(names.id)” and no “\(names.secret)”") }
    return key
  }
}
