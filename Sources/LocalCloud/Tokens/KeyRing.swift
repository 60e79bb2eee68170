internal import StorageAuth

/// All keys: those of the accounts, and those that were issued.
struct KeyRing: Sendable {
  private let accounts: [AccessKeyID: LocalCloud.Account]
  let tokens: TokenTable

  init(_ accounts: [LocalCloud.Account], _ tokens: TokenTable) {
    self.accounts = Dictionary(accounts.map { ($0.key.id, $0) }) { first, _ in first }
    self.tokens = tokens
  }

  /// The key of an id; nothing if nobody has it, it is disabled, or it was issued by the other cloud.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - provider: The cloud that is asked.
  ///   - date: The present.
  ///   - limit: After how many uses an issued key counts as expired; nothing does not count this as a use.
  func key(
    _ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp, counting limit: TokenTable.UseLimit? = nil
  ) -> AccessKey? {
    if let account = accounts[id] { return account.isDisabled ? nil : account.key }
    return tokens.key(id, of: provider, at: date, counting: limit)
  }

  /// What the holder of a key may do; nothing if there is no such key.
  func authority(of id: AccessKeyID) -> Authority? {
    if let account = accounts[id] { return account.isDisabled ? nil : .everything }
    return tokens.authority(of: id)
  }

  /// Whether the id is that of an account that is switched off.
  func isDisabled(_ id: AccessKeyID) -> Bool { accounts[id]?.isDisabled == true }
}
