// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsperaClient
import ExampleSupport
import Foundation
import FoundationTransport
import LocalCloud
import StorageClient

/// The name of a provider on the command line.
enum ProviderName: String, CaseIterable, ExpressibleByArgument {
  case ossV4 = "oss-v4"
  case ossV1 = "oss-v1"
  case cos
  case s3
  case aspera
}

/// The name of a transport on the command line.
enum TransportName: String, CaseIterable, ExpressibleByArgument {
  case asynchttp
  case urlsession

  var transport: any HTTPTransport {
    switch self {
    case .asynchttp: AsyncHTTPClientTransport.shared
    case .urlsession: URLSessionTransport.shared
    }
  }
}

/// A bucket or an Aspera node, opened as an object store without provider-specific members.
struct Place {
  let store: any ObjectStore

  /// A closure that returns the number of signatures or tokens that LocalCloud verified.
  ///
  /// It returns `nil` for a real service, which does not report the number.
  private let countVerified: @Sendable () -> String?
  private let end: @Sendable () async -> Void

  init(_ provider: ProviderName, localOnly: Bool, transport: any HTTPTransport) async throws {
    switch provider {
    case .ossV4, .ossV1:
      let bucket = try await ExampleBucket.oss(localOnly: localOnly)
      let signature: OSSSignatureVersion = provider == .ossV1 ? .v1 : .v4
      self.init(
        bucket,
        Self.client(
          .oss(bucket: bucket.bucket, region: bucket.region, signature: signature, endpoint: bucket.localEndpoint),
          bucket.key, transport))
    case .cos:
      let bucket = try await ExampleBucket.cos(localOnly: localOnly)
      self.init(
        bucket,
        Self.client(
          .cos(bucket: bucket.bucket, region: bucket.region, endpoint: bucket.localEndpoint), bucket.key, transport))
    case .s3:
      let bucket = try await ExampleBucket.s3(localOnly: localOnly)
      self.init(
        bucket,
        Self.client(
          .s3(bucket: bucket.bucket, region: bucket.region, endpoint: bucket.localEndpoint), bucket.key, transport)
      )
    case .aspera:
      let node = try await ExampleNode.open(localOnly: localOnly)
      self.init(
        node,
        StorageClient(
          .aspera(
            node: node.node, access: node.accessKey.map { .accessKey(id: $0.id, secret: $0.secret) }, root: node.root,
            transfers: AsperaTransferOptions(login: .dynamicKey, ascp: node.ascp)), transport: transport))
    }
  }

  private init(_ bucket: ExampleBucket, _ store: any ObjectStore) {
    self.store = store
    countVerified = { bucket.verifiedSignatures.map { "\($0) signatures" } }
    end = { await bucket.close() }
  }

  private init(_ node: ExampleNode, _ store: any ObjectStore) {
    self.store = store
    countVerified = { node.verifiedSessions.map { "\($0) tokens" } }
    end = { await node.close() }
  }

  /// Returns a client that uses the given key of LocalCloud, or the default credentials if the key is `nil`.
  private static func client<Provider: BucketProvider<AccessKey>>(
    _ provider: Provider, _ key: AccessKey?, _ transport: any HTTPTransport
  ) -> StorageClient<Provider> {
    key.map { StorageClient(provider, credentials: $0, transport: transport) }
      ?? StorageClient(provider, transport: transport)
  }

  var verified: String? { countVerified() }

  func close() async { await end() }
}
