// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import LocalCloud
package import StorageClient
package import XCTest

/// A running LocalCloud with one permanent and one temporary account.
package struct Cloud {
  package static let bucket = "photos-1250000000"

  package let server: LocalCloud

  package init(_ test: XCTestCase, isStrict: Bool = true) async throws {
    SecretWatch.install()
    var configuration = LocalCloud.Configuration(
      accounts: [.init(key), .init(temporaryKey)], buckets: [Self.bucket], isStrict: isStrict)
    configuration.allowsSmallParts = true
    let server = try await LocalCloud.start(configuration)
    test.addTeardownBlock { await server.stop() }
    self.server = server
  }

  package func oss(
    _ signature: OSSSignatureVersion = .v4, key: AccessKey = key, bucket: String = Self.bucket,
    configuration: StorageClientConfiguration = .test, over transport: any HTTPTransport = NetworkTransport.shared
  ) -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(bucket: bucket, region: "cn-hangzhou", signature: signature, endpoint: server.ossEndpoint), credentials: key,
      configuration: configuration, transport: transport)
  }

  package func cos(
    key: AccessKey = key, bucket: String = Self.bucket, configuration: StorageClientConfiguration = .test,
    over transport: any HTTPTransport = NetworkTransport.shared
  ) -> StorageClient<COSProvider> {
    StorageClient(
      .cos(bucket: bucket, region: "ap-guangzhou", endpoint: server.cosEndpoint), credentials: key,
      configuration: configuration, transport: transport)
  }

  package func s3(
    key: AccessKey = key, bucket: String = Self.bucket, configuration: StorageClientConfiguration = .test,
    over transport: any HTTPTransport = NetworkTransport.shared
  ) -> StorageClient<S3Provider> {
    StorageClient(
      .s3(bucket: bucket, region: "us-east-1", endpoint: server.s3Endpoint), credentials: key,
      configuration: configuration, transport: transport)
  }

  /// Returns a client for each signature scheme.
  package func stores(key: AccessKey = key, bucket: String = Self.bucket) -> [(name: String, store: any BucketStore)] {
    [
      ("OSS V4", oss(.v4, key: key, bucket: bucket)), ("OSS V1", oss(.v1, key: key, bucket: bucket)),
      ("COS V5", cos(key: key, bucket: bucket)), ("S3 V4", s3(key: key, bucket: bucket)),
    ]
  }
}
