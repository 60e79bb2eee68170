// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LocalCloud
public import StorageAuth

/// The bucket that an example uses: a LocalCloud bucket, unless the environment selects a real bucket.
///
/// A real bucket is used only with `STORAGE_AUTH_LIVE=1` and the names of a bucket and a region (`OSS_BUCKET`,
/// `OSS_REGION`, `COS_BUCKET`, `COS_REGION`, `S3_BUCKET`, `S3_REGION`). Keys in the environment are never sufficient.
public struct ExampleBucket: Sendable {
  /// The bucket name.
  public let bucket: String

  /// The region of the bucket, such as `cn-hangzhou`.
  public let region: String

  /// The URL of the LocalCloud endpoint, or `nil` for the region's public endpoint.
  public let endpoint: String?

  /// The access key of LocalCloud, or `nil` to use the default credentials.
  public let key: AccessKey?

  private let cloud: LocalCloud?

  /// The number of signatures that LocalCloud verified, or `nil` for a real service, which does not report the number.
  public var verifiedSignatures: Int? { cloud?.statistics.verifiedCount }

  /// Opens an OSS bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func oss(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open("OSS", localOnly, region: "cn-hangzhou", bucket: "photos") { $0.ossEndpoint }
  }

  /// Opens a COS bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func cos(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open("COS", localOnly, region: "ap-guangzhou", bucket: "photos-1250000000") { $0.cosEndpoint }
  }

  /// Opens an S3 bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func s3(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open("S3", localOnly, region: "us-east-1", bucket: "photos") { $0.s3Endpoint }
  }

  private static func open(
    _ prefix: String, _ localOnly: Bool, region: String, bucket: String,
    endpoint: (LocalCloud) -> ServiceEndpoint
  ) async throws -> ExampleBucket {
    let environment = ProcessInfo.processInfo.environment
    if !localOnly, environment["STORAGE_AUTH_LIVE"] == "1", let bucket = environment["\(prefix)_BUCKET"],
      let region = environment["\(prefix)_REGION"]
    {
      return ExampleBucket(bucket: bucket, region: region, endpoint: nil, key: nil, cloud: nil)
    }
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: [bucket]))
    let url = endpoint(cloud)
    return ExampleBucket(
      bucket: bucket, region: region, endpoint: "\(url.scheme)://\(url.authority)", key: key, cloud: cloud)
  }

  /// Stops LocalCloud, if the example started it.
  public func close() async {
    await cloud?.stop()
  }
}
