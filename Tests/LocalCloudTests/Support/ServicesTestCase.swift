// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// A base class of tests of the token services, the app server and the metadata.
class ServicesTestCase: CloudTestCase {
  static let alibabaRole = LocalCloud.Role.alibaba.arn
  static let tencentRole = LocalCloud.Role.tencent.arn
  static let identityToken = "identity.token.signed"

  /// A role that only another key may assume.
  static let foreignAlibabaRole = LocalCloud.Role("acs:ram::1:role/foreign", trustedKeys: ["somebody-else"])
  static let foreignTencentRole = LocalCloud.Role("qcs::cam::uin/1:roleName/foreign", trustedKeys: ["somebody-else"])

  /// A key of an account that has no roles here.
  static let keyOfAnotherAccount = AccessKey(id: "other-id", secret: "other-secret")

  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.accounts.append(.init(AccessKey(id: "disabled-id", secret: "disabled-secret"), isDisabled: true))
    configuration.accounts.append(.init(Self.keyOfAnotherAccount, number: "1300000000"))
    configuration.services.roles += [Self.foreignAlibabaRole, Self.foreignTencentRole]
    configuration.services.identityTokens = [Secret(Self.identityToken)]
    return configuration
  }

  /// Runs a server and passes a client of its services to `body`.
  func withServices(
    _ configuration: LocalCloud.Configuration? = nil, _ body: (ServicesClient) async throws -> Void
  ) async throws {
    let cloud = try await LocalCloud.start(configuration ?? self.configuration)
    do {
      try await body(ServicesClient(cloud: cloud, clock: clock))
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  /// A client of a storage service with an issued key.
  func storage(_ provider: LocalCloud.Provider, of client: ServicesClient, with key: AccessKey) -> TestClient {
    TestClient(cloud: client.cloud, provider: provider, key: key, clock: clock)
  }
}
