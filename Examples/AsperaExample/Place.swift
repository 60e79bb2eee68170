// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ExampleSupport
import Foundation
import LocalCloud
import StorageClient
import StoragePrograms

/// The node, the files and the logins that the example uses.
struct Place {
  /// The address of a transfer server, and the name of a user who logs in without a token.
  struct Server {
    let host: String
    let user: String
    let port: Int
    let hostKey: HostKeyFingerprint?
  }

  let engine: AscpEngine

  /// The server for logins without a token, or `nil` if the environment names none.
  let server: Server?

  /// The password of the server's user, or `nil` if the environment contains none.
  let password: String?

  /// The text of the private key of the server's user and its passphrase, or `nil` if the environment names no file.
  let key: (text: String, passphrase: String?)?

  private let node: ExampleNode
  private let tokenKey: DynamicKey
  private let picture: TransferPath
  private let folder: URL

  init(localOnly: Bool) async throws {
    tokenKey = try DynamicKey()
    let localKey = AsperaPrivateKey.pem(Secret(LocalUser.key), passphrase: Secret(LocalUser.passphrase))
    node = try await .open(
      localOnly: localOnly,
      accounts: [
        .init("xfer", publicKeys: [tokenKey.publicKey]),
        .init(
          LocalUser.name, password: Secret(LocalUser.password),
          publicKeys: [try await localKey.check(on: .system).publicKey], requiresToken: false),
      ])
    if let cloud = node.cloud {
      server = Server(
        host: "127.0.0.1", user: LocalUser.name, port: cloud.transferPort, hostKey: cloud.transferHostKey)
      (password, key) = (LocalUser.password, (LocalUser.key, LocalUser.passphrase))
    } else {
      let host = Self.setting("ASPERA_HOST")
      let user = Self.setting("ASPERA_USER")
      server = host.flatMap { host in
        user.map { Server(host: host, user: $0, port: AsperaAccount.defaultPort, hostKey: nil) }
      }
      password = Self.setting("ASPERA_SCP_PASS")
      key = try Self.setting("ASPERA_KEY").map { file in
        (try String(contentsOfFile: file, encoding: .utf8), Self.setting("ASPERA_KEY_PASSPHRASE"))
      }
    }
    engine = try AscpEngine(program: node.ascp)
    folder = FileManager.default.temporaryDirectory.appending(path: "aspera-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "cat.jpg")
    try Data("a picture of a cat".utf8).write(to: file, options: .atomic)
    picture = TransferPath(file.path, to: "example/cat.jpg")
  }

  /// The transfer specification for uploading the example's picture.
  var upload: TransferSpec {
    var spec = TransferSpec(.send, [picture], destinationRoot: node.root)
    spec.createsFolder = true
    if node.cloud == nil { spec.publicKey = tokenKey.publicKey }
    return spec
  }

  /// The token issuer, which requests tokens with the setup calls of the Node API.
  var issuer: SetupTokenIssuer {
    let access = node.accessKey.map { AsperaNodeAccess.accessKey(id: $0.id, secret: $0.secret) }
    return access.map { .setup(node: node.node, access: StaticCredentialProvider($0)) }
      ?? .setup(node: node.node, access: AsperaCredentials().chain)
  }

  /// Returns the account for transfers with tokens, at the server that a grant names, or that of the node.
  ///
  /// Its key only proves that the node authorized the transfer before.
  func tokenAccount(for grant: TransferCredential?) throws -> AsperaAccount {
    let spec = grant?.specification
    return try AsperaAccount(
      host: spec?.remoteHost ?? URL(string: node.node)?.host() ?? "",
      user: spec?.remoteUser ?? AsperaAccount.defaultTokenUser, privateKey: tokenKey.privateKey,
      sshPort: spec?.sshPort ?? AsperaAccount.defaultPort, udpPort: spec?.udpPort ?? AsperaAccount.defaultPort,
      requiresToken: true)
  }

  /// Makes LocalCloud report the next token as expired, as a real server does when a token has expired.
  func rejectFirstToken() {
    node.cloud?.faults.transfers = [.tokenExpired(.first(1))]
  }

  func close() async {
    try? FileManager.default.removeItem(at: folder)
    await node.close()
  }

  private static func setting(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The LocalCloud user who logs in without a token, with a key that is used nowhere else.
private enum LocalUser {
  static let name = "mia"
  static let password = "example-password"
  static let passphrase = "example passphrase"
  static let key = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh2Rkv/9ucbTQICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEC83lis01uRy0oliclplFUEgZCZ
    Hd486t5nqYg88Jqy0vzXNT+LUmaqgZfprrEAGqBIiOxo7qarLDFGbrGbPsyasYq4
    fIBGsB2v4AgZTZ4lA42Y8zO9nitN0fJx76tVNqrt4/n9yrAPH8aLG6694y2ETZz7
    vslgZtnDr6SC7e1IN1pGdWw2adAQmL2+z8qtGxhBLeI9S2jcqXCWoDQwt6f7PgM=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}
