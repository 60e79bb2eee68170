internal import StorageAuth

extension SettingTable {
  /// Names under which the parts of a key stand.
  struct KeyNames {
    var id: String
    var secret: String
    var token: String?
    var expiration: String?
  }

  /// The key that the settings hold.
  ///
  /// - Returns: Nothing if neither the id nor the secret is there.
  /// - Throws: An error if only one of them is: a key that is half there is a mistake.
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

  /// The key that the settings have to hold.
  func requiredKey(_ names: KeyNames) throws(CredentialError) -> AccessKey {
    guard let key = try key(names) else { throw place.malformed("has no “\(names.id)” and no “\(names.secret)”") }
    return key
  }
}
