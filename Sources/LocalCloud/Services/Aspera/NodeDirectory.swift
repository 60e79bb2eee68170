// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// The users, access keys and transfer accounts of the node.
final class NodeDirectory: Sendable {
  private struct State {
    var accessKeys: [LocalCloud.NodeAccessKey]
    /// The accepted public keys, by the UTF-8 bytes of the user name.
    var publicKeys: [[UInt8]: [String]]
  }

  private let users: [LocalCloud.NodeUser]
  private let accounts: [LocalCloud.TransferAccount]
  private let state: Mutex<State>

  init(_ configuration: LocalCloud.Configuration) {
    let aspera = configuration.aspera
    let own = configuration.accounts.filter { account in
      !account.isDisabled && account.key.sessionToken == nil
        && !aspera.accessKeys.contains { account.key.id == AccessKeyID($0.id) }
    }
    users = aspera.users
    accounts =
      aspera.transferAccounts.isEmpty
      ? [LocalCloud.TransferAccount("xfer", password: configuration.accounts.first?.key.secret)]
      : aspera.transferAccounts
    state = Mutex(
      State(
        accessKeys: own.map { LocalCloud.NodeAccessKey(id: $0.key.id.string, secret: $0.key.secret) }
          + aspera.accessKeys,
        publicKeys: Dictionary(accounts.map { (Array($0.user.utf8), $0.publicKeys) }) { first, _ in first }))
  }

  /// The transfer user that setup responses name.
  var transferUser: String { accounts.first?.user ?? "xfer" }

  /// Returns the transfer account of a user.
  func transferAccount(_ user: String) -> LocalCloud.TransferAccount? {
    accounts.first { $0.user.utf8.elementsEqual(user.utf8) }
  }

  /// Returns whether a name and a password are those of a node user.
  func isUser(_ name: String, _ password: Secret) -> Bool {
    users.contains { $0.name.utf8.elementsEqual(name.utf8) && $0.password == password }
  }

  /// All access keys in the order of configuration, those of the server's accounts first.
  var accessKeys: [LocalCloud.NodeAccessKey] { state.withLock { $0.accessKeys } }

  /// Returns the access key with an id.
  func accessKey(_ id: String) -> LocalCloud.NodeAccessKey? {
    state.withLock { $0.accessKeys.first { $0.id.utf8.elementsEqual(id.utf8) } }
  }

  /// Sets the public key that verifies the bearer tokens of an access key; `nil` removes it.
  func setTokenVerificationKey(_ pem: String?, of id: String) {
    state.withLock { state in
      guard let index = state.accessKeys.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
      state.accessKeys[index].tokenVerificationKey = pem
    }
  }

  /// Adds an accepted public key.
  ///
  /// - Returns: `false` if the line is not in the format of `authorized_keys`, or the user is unknown.
  func add(publicKey line: String, of user: String) -> Bool {
    guard Self.blob(of: line) != nil, transferAccount(user) != nil else { return false }
    let user = Array(user.utf8)
    state.withLock { state in
      guard state.publicKeys[user]?.contains(line) != true else { return }
      state.publicKeys[user, default: []].append(line)
    }
    return true
  }

  /// Returns whether a user can log in with any of the given credentials.
  ///
  /// - Parameters:
  ///   - user: The user name.
  ///   - password: The password, if one is given.
  ///   - publicKeys: The offered public keys in SSH's wire format, in Base64.
  func admits(_ user: String, password: Secret?, publicKeys: [String]) -> Bool {
    guard let account = transferAccount(user) else { return false }
    if let password, account.password == password { return true }
    let known = state.withLock { $0.publicKeys[Array(user.utf8)] ?? [] }.compactMap { Self.blob(of: $0) }
    return publicKeys.contains { known.contains($0) }
  }

  /// Returns the second field of a line of `authorized_keys`: the key in SSH's wire format, in Base64.
  private static func blob(of line: String) -> String? {
    let fields = line.words(between: " ")
    guard fields.count >= 2, !fields[0].isEmpty, [UInt8](base64: String(fields[1])) != nil else { return nil }
    return String(fields[1])
  }
}
