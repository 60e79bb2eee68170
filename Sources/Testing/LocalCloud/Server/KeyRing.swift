// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The access keys of all accounts and all issued temporary credentials.
struct KeyRing: Sendable {
  private let accounts: [AccessKeyID: LocalCloud.Account]
  let tokens = TokenTable()

  init(_ accounts: [LocalCloud.Account]) {
    self.accounts = Dictionary(accounts.map { ($0.key.id, $0) }) { first, _ in first }
  }

  /// Returns an access key, or `nil` if it is unknown, disabled, or issued for another service.
  ///
  /// Without a limit, the lookup does not count as a use of an issued key.
  func key(
    _ id: AccessKeyID, of provider: LocalCloud.Provider, at date: Timestamp, counting limit: TokenTable.UseLimit? = nil
  ) -> AccessKey? {
    if let account = accounts[id] { return account.isDisabled ? nil : account.key }
    return tokens.key(id, of: provider, at: date, counting: limit)
  }

  func authority(of id: AccessKeyID) -> Authority? {
    if let account = accounts[id] {
      return account.isDisabled ? nil : account.number.map(Authority.guest) ?? Authority.everything
    }
    return tokens.authority(of: id)
  }

  /// The access keys of all accounts, including disabled ones.
  var accountKeys: [AccessKey] { accounts.values.map(\.key) }

  func isDisabled(_ id: AccessKeyID) -> Bool { accounts[id]?.isDisabled == true }
}
