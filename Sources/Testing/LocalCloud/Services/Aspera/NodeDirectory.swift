// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import Synchronization

/// The users, access keys and transfer accounts of the simulated Aspera node.
final class NodeDirectory: Sendable {
  private struct State {
    var accessKeys: [LocalCloud.NodeAccessKey]
    /// The public keys that each user can log in with, by the UTF-8 bytes of the user name.
    var publicKeys: [[UInt8]: [String]]
  }

  private static let accessKeyLimit = 1_000

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

  /// The name of the transfer user that setup responses contain.
  var transferUser: String { accounts.first?.user ?? "xfer" }

  /// Returns the transfer account with a user name, or `nil` if no such account exists.
  func transferAccount(_ user: String) -> LocalCloud.TransferAccount? {
    accounts.first { $0.user.utf8.elementsEqual(user.utf8) }
  }

  /// Returns whether a node user with the given name and password exists.
  func isUser(_ name: String, _ password: Secret) -> Bool {
    users.contains { $0.name.utf8.elementsEqual(name.utf8) && $0.password == password }
  }

  /// All access keys of the node: the keys of the local server's accounts, followed by the keys in the node's
  /// configuration.
  var accessKeys: [LocalCloud.NodeAccessKey] { state.withLock { $0.accessKeys } }

  /// Returns the access key with an ID, or `nil` if no such access key exists.
  func accessKey(_ id: String) -> LocalCloud.NodeAccessKey? {
    state.withLock { $0.accessKeys.first { $0.id.utf8.elementsEqual(id.utf8) } }
  }

  /// Adds an access key.
  ///
  /// - Throws: A 409 (Conflict) error if an access key with the ID exists, or a 400 (Bad Request) error if there are too
  ///   many access keys.
  func add(_ key: LocalCloud.NodeAccessKey) throws(ErrorResponse) {
    try state.withLock { state throws(ErrorResponse) in
      if state.accessKeys.contains(where: { $0.id.utf8.elementsEqual(key.id.utf8) }) {
        throw .node(.conflict, "The access key exists already.")
      }
      guard state.accessKeys.count < Self.accessKeyLimit else {
        throw .nodeBadRequest("There are \(Self.accessKeyLimit) access keys, which is the limit; delete some.")
      }
      state.accessKeys.append(key)
    }
  }

  /// Removes the access key with an ID.
  func removeAccessKey(_ id: String) {
    state.withLock { $0.accessKeys.removeAll { $0.id.utf8.elementsEqual(id.utf8) } }
  }

  /// Sets the public key for verifying bearer tokens of an access key.
  ///
  /// - Parameters:
  ///   - pem: The public key in PEM format, or `nil` to remove the key.
  ///   - id: The ID of the access key.
  func setTokenVerificationKey(_ pem: String?, of id: String) {
    state.withLock { state in
      guard let index = state.accessKeys.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return }
      state.accessKeys[index].tokenVerificationKey = pem
    }
  }

  /// Adds a public key that a transfer user can log in with.
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

  /// Returns whether a transfer user can log in with a password or one of several public keys.
  ///
  /// - Parameters:
  ///   - user: The user name.
  ///   - password: The password, or `nil` if the client sent no password.
  ///   - publicKeys: The public keys that the client offers, in SSH's wire format, encoded as Base64.
  func admits(_ user: String, password: Secret?, publicKeys: [String]) -> Bool {
    guard let account = transferAccount(user) else { return false }
    if let password, account.password == password { return true }
    let known = state.withLock { $0.publicKeys[Array(user.utf8)] ?? [] }.compactMap { Self.blob(of: $0) }
    return publicKeys.contains { known.contains($0) }
  }

  /// Returns the public key in a line of `authorized_keys`, or `nil` if the line is malformed.
  ///
  /// - Returns: The second field of the line: the key in SSH's wire format, encoded as Base64.
  private static func blob(of line: String) -> String? {
    let fields = line.words(between: " ")
    guard fields.count >= 2, !fields[0].isEmpty, [UInt8](base64: String(fields[1])) != nil else { return nil }
    return String(fields[1])
  }
}
