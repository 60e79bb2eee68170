// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import LocalCloud
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto
internal import XCTest

/// A base class of tests with temporary keys that were requested with a policy.
class PolicyTestCase: ServicesTestCase {
  static let otherBucket = "archive-1250000000"

  /// A policy that allows everything below one folder.
  static let alice = AccessPolicy([PolicyIntent.rule(.read, .write, .delete, .list)])

  override var configuration: LocalCloud.Configuration {
    var configuration = super.configuration
    configuration.buckets = [Self.bucket, Self.otherBucket]
    return configuration
  }

  /// The document of a policy for a service.
  func document(of policy: AccessPolicy, for provider: LocalCloud.Provider) throws(PolicyError) -> String {
    switch provider {
    case .oss: try policy.ramDocument()
    case .s3: try policy.iamDocument()
    case .cos: try policy.camDocument(region: "ap-guangzhou", options: .dates)
    }
  }

  /// Requests a key with a policy from a token service and returns the response.
  func ask(_ provider: LocalCloud.Provider, of client: ServicesClient, policy: String) async throws -> Reply {
    switch provider {
    case .oss:
      try await client.send(
        client.acs3(["RoleArn": Self.alibabaRole, "RoleSessionName": "alice", "Policy": policy]))
    case .s3: try await client.send(client.sts(["Action": "AssumeRole", "Policy": policy]))
    case .cos:
      try await client.send(
        client.v1(["Action": "GetFederationToken", "Name": "alice", "Policy": policy.percentEncoded()]))
    }
  }

  /// A client of a service with a key that is limited by a policy.
  func client(
    of provider: LocalCloud.Provider, _ services: ServicesClient, policy: String
  ) async throws -> TestClient {
    let reply = try await ask(provider, of: services, policy: policy)
    let key = provider == .oss ? reply.alibabaKey : provider == .s3 ? try reply.amazonKey : reply.tencentKey
    return storage(provider, of: services, with: try XCTUnwrap(key, reply.text))
  }

  /// Runs a server and passes, for each service, a client with a key limited by a policy and one with the account's
  /// key.
  func withEachScope(
    _ policy: AccessPolicy, of providers: [LocalCloud.Provider] = [.oss, .cos],
    _ body: (_ scoped: TestClient, _ owner: TestClient) async throws -> Void
  ) async throws {
    try await withServices { services in
      for provider in providers {
        let scoped = try await client(of: provider, services, policy: document(of: policy, for: provider))
        try await body(scoped, storage(provider, of: services, with: Self.key))
      }
    }
  }
}
