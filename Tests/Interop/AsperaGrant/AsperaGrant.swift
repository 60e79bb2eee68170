// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import Foundation
import LocalCloud
import StorageAuth
import StorageClient

/// Requests tokens with JWT grants, or serves the token endpoints of Aspera on Cloud and Faspex 5.
///
/// With the argument `grant`, each line of the input describes a grant, and the output for each line is the expiration
/// of the token in Unix time, or the error. With the argument `serve`, the first line describes the applications; the
/// output is their URLs, and the end of the input stops the server.
@main
enum AsperaGrant {
  struct Grant: Decodable {
    let tokenURL: String
    let issuer: String
    let subject: String
    let audience: String
    let clientID: String
    let clientSecret: String?
    let scope: String?
    let claims: [String: String]?
    let algorithm: String?
    let key: String
    let passphrase: String?
  }

  struct Applications: Decodable {
    let organization: String
    let client: String
    let secret: String
    let user: String
    let publicKeys: [String]
    let algorithms: [String]
    let nodeKey: String
  }

  struct Answer: Encodable {
    var expires: Int64?
    var error: String?
  }

  struct Addresses: Encodable {
    let onCloud: String
    let faspex: String
    let node: String
  }

  static func main() async throws {
    if CommandLine.arguments.dropFirst().first == "serve" { return try await serve() }
    while let text = readLine() {
      let grant = try JSONDecoder().decode(Grant.self, from: Data(text.utf8))
      try write(await answer(to: grant))
    }
  }

  private static func write(_ value: some Encodable) throws {
    FileHandle.standardOutput.write(try JSONEncoder().encode(value) + Data("\n".utf8))
  }

  private static func answer(to line: Grant) async -> Answer {
    do {
      var grant = JWTGrant(
        tokenURL: line.tokenURL, issuer: line.issuer, subject: line.subject, audience: line.audience,
        clientID: line.clientID, clientSecret: line.clientSecret.map { Secret($0) }, scope: line.scope)
      for (name, value) in line.claims ?? [:] { grant.claims[name] = .string(value) }
      grant.algorithm = line.algorithm.flatMap { JWTAlgorithm($0) }
      let key = try JWTSigningKey(pem: Secret(line.key), passphrase: line.passphrase.map { Secret($0) })
      let provider = JWTGrantProvider(grant, key: key).bound(to: ProviderContext(transport: AsyncHTTPClientTransport()))
      return Answer(expires: try await provider.credential().expiration?.unixSeconds)
    } catch {
      return Answer(error: "\(error)")
    }
  }

  private static func serve() async throws {
    guard let text = readLine() else { return }
    let line = try JSONDecoder().decode(Applications.self, from: Data(text.utf8))
    var configuration = LocalCloud.Configuration(
      accounts: [LocalCloud.Account(AccessKey(id: "test-id", secret: "test-secret"))])
    let clients = [LocalCloud.OAuthClient(line.client, secret: Secret(line.secret))]
    let users = [LocalCloud.OAuthUser(line.user, publicKeys: line.publicKeys)]
    let rules = LocalCloud.GrantRules(algorithms: line.algorithms.compactMap { JWTAlgorithm($0) })
    configuration.aspera.onCloud = LocalCloud.AsperaOnCloud(
      organization: line.organization, clients: clients, users: users, accessKey: "test-id",
      nodeKey: try NodeBearerKey(pem: Secret(line.nodeKey)), rules: rules)
    configuration.aspera.faspex = LocalCloud.Faspex(clients: clients, users: users, rules: rules)
    let cloud = try await LocalCloud.start(configuration)
    try write(Addresses(onCloud: cloud.asperaOnCloudURL, faspex: cloud.faspexURL, node: cloud.nodeURL))
    while readLine() != nil {}
    await cloud.stop()
  }
}
