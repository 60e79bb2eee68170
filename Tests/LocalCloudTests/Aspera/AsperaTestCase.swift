// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// The value of an `Authorization` header for basic authentication.
func basicAuthorization(_ id: String, _ secret: String) -> String { "Basic " + base64("\(id):\(secret)") }

/// The Base64 encoding of a string's UTF-8.
func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

/// A base class of tests that use the local Aspera node.
class AsperaTestCase: CloudTestCase {
  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.aspera.users = [.init("node-user", password: Secret("node-password"))]
    configuration.aspera.transferAccounts = [
      .init("xfer", password: Secret("xfer-password")),
      .init("mia", password: Secret("mia-password"), requiresToken: false),
    ]
    return configuration
  }

  /// Runs a server and passes it and a client of its Node API to `body`.
  func withNode(
    _ configuration: LocalCloud.Configuration? = nil, _ body: (LocalCloud, NodeClient) async throws -> Void
  ) async throws {
    let cloud = try await LocalCloud.start(configuration ?? self.configuration)
    do {
      try await body(cloud, NodeClient(cloud))
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  /// A key that signs bearer tokens.
  func bearerKey() throws -> NodeBearerKey {
    try NodeBearerKey(pem: Secret(pem(of: PrivateKey.generateRSA(bits: 2048))))
  }

  /// The PEM encoding of a private key in PKCS #8.
  func pem(of key: PrivateKey) throws -> String {
    try XCTUnwrap(key.pkcs8PEM).withBytes { bytes in String(writing: { $0.append(bytes) }) }
  }

  /// A public key as a line of `authorized_keys`.
  func line(of key: PrivateKey) throws -> String {
    "key " + Data(try XCTUnwrap(key.publicKey.sshBlob)).base64EncodedString()
  }

  /// A bearer token for an access key that expires `duration` after the test clock's time.
  func bearer(
    _ key: NodeBearerKey, accessKey: String = "test-id", user: String = "mia", groups: [String] = [],
    role: String = NodeScope.user, lasting duration: Duration = .seconds(60)
  ) throws -> String {
    let claims = NodeBearerClaims(
      userID: user, scope: NodeScope(accessKey: accessKey, role: role),
      expiration: clock.now.advanced(by: duration), groupIDs: groups)
    return try NodeBearerToken(claims, signedWith: key).secret.reveal()
  }

  /// Registers a new key for bearer tokens of the client's access key, and returns a function that makes clients with
  /// bearer tokens of a user, of groups, and with a role.
  func bearerClients(
    _ client: NodeClient, accessKey: String = "test-id"
  ) async throws -> (_ user: String, _ groups: [String], _ role: String) throws -> NodeClient {
    let key = try bearerKey()
    let put = try await client.put("/access_keys/self", ["token_verification_key": .string(key.publicKeyPEM)])
    XCTAssertEqual(put.status, 204)
    return { user, groups, role in
      let token = try self.bearer(key, accessKey: accessKey, user: user, groups: groups, role: role)
      return NodeClient(
        client.cloud, headers: ["Authorization": "Bearer \(token)", "X-Aspera-AccessKey": accessKey])
    }
  }
}
