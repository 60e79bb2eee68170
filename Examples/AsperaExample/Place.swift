// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient
import StoragePrograms

/// The node, the files and the logins that the example uses.
struct Place {
  let engine: AscpEngine
  private let node: ExampleNode
  private let key: DynamicKey
  private let picture: TransferPath
  private let folder: URL

  /// The LocalCloud user that logs in without a token.
  private static let localUser = (name: "mia", password: "example-password")

  init(localOnly: Bool) async throws {
    let key = try DynamicKey()
    node = try await .open(
      localOnly: localOnly,
      accounts: [
        .init("xfer", publicKeys: [key.publicKey]),
        .init(
          Self.localUser.name, password: Secret(Self.localUser.password), publicKeys: [key.publicKey],
          requiresToken: false),
      ])
    engine = try AscpEngine(program: node.ascp)
    self.key = key
    folder = FileManager.default.temporaryDirectory.appending(path: "aspera-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "cat.jpg")
    try Data("a picture of a cat".utf8).write(to: file, options: .atomic)
    picture = TransferPath(file.path, to: "example/cat.jpg")
  }

  var cloud: LocalCloud? { node.cloud }

  /// The host of the node, or an empty string if the URL is invalid.
  var host: String { URL(string: node.node)?.host() ?? "" }

  /// The transfer specification for uploading the example's picture.
  var upload: TransferSpec {
    var spec = TransferSpec(.send, [picture], destinationRoot: node.root)
    spec.createsFolder = true
    if node.cloud == nil { spec.publicKey = key.publicKey }
    return spec
  }

  /// The account that logs in with a password, or `nil` for a real server without a password in the environment.
  var passwordAccount: AsperaAccount? {
    get throws {
      if let cloud { return try account(Self.localUser.password, cloud) }
      guard let (host, user) = realAccount, let password = Self.setting("ASPERA_SCP_PASS") else { return nil }
      return try AsperaAccount(host: host, user: user, password: Secret(password))
    }
  }

  /// The account that logs in with a private key, or `nil` for a real server without a key in the environment.
  var keyAccount: AsperaAccount? {
    get throws {
      if let cloud { return try account(nil, cloud) }
      guard let (host, user) = realAccount, let file = Self.setting("ASPERA_KEY") else { return nil }
      return try AsperaAccount(host: host, user: user, privateKey: .file(file))
    }
  }

  /// Returns the account for transfers with tokens.
  ///
  /// Its key only proves that the node authorized the transfer before.
  func tokenAccount(at host: String, _ grant: TransferCredential?) throws -> AsperaAccount {
    try AsperaAccount(
      host: host, user: grant?.specification?.remoteUser ?? AsperaAccount.defaultTokenUser, privateKey: key.privateKey,
      sshPort: grant?.specification?.sshPort ?? AsperaAccount.defaultPort,
      udpPort: grant?.specification?.udpPort ?? AsperaAccount.defaultPort, requiresToken: true)
  }

  /// The token issuer, which requests tokens with the setup calls of the Node API.
  var issuer: SetupTokenIssuer {
    let access = node.accessKey.map { AsperaNodeAccess.accessKey(id: $0.id, secret: $0.secret) }
    return access.map { .setup(node: node.node, access: StaticCredentialProvider($0)) }
      ?? .setup(node: node.node, access: AsperaCredentials().chain)
  }

  /// A storage client for the node.
  var client: StorageClient<AsperaProvider> {
    StorageClient(
      .aspera(
        node: node.node, access: node.accessKey.map { .accessKey(id: $0.id, secret: $0.secret) }, root: node.root,
        transfers: AsperaTransferOptions(login: .dynamicKey, engine: engine)))
  }

  func close() async {
    try? FileManager.default.removeItem(at: folder)
    await node.close()
  }

  private func account(_ password: String?, _ cloud: LocalCloud) throws -> AsperaAccount {
    try AsperaAccount(
      host: "127.0.0.1", user: Self.localUser.name, password: password.map { Secret($0) },
      privateKey: password == nil ? key.privateKey : nil, sshPort: cloud.transferPort, udpPort: cloud.transferPort,
      hostKey: cloud.transferHostKey)
  }

  private var realAccount: (host: String, user: String)? {
    guard let host = Self.setting("ASPERA_HOST"), let user = Self.setting("ASPERA_USER") else { return nil }
    return (host, user)
  }

  private static func setting(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
