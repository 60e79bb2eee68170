// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LocalCloud
public import StorageAuth
internal import StorageClient

/// The bucket that an example uses: a LocalCloud bucket, unless the environment selects a real bucket.
///
/// A real bucket is used only with `STORAGE_AUTH_LIVE=1` and the names of a bucket and a region (`OSS_BUCKET`,
/// `OSS_REGION`, `COS_BUCKET`, `COS_REGION`, `S3_BUCKET`, `S3_REGION`). Keys in the environment are never sufficient.
/// `OSS_APP_SERVER`, `COS_APP_SERVER` or `S3_APP_SERVER` is the URL of the app server that issues temporary keys for it.
public struct ExampleBucket: Sendable {
  /// The bucket name.
  public let bucket: String

  /// The region of the bucket, such as `cn-hangzhou`.
  public let region: String

  /// The endpoint of the service, which is that of LocalCloud or the region's public endpoint.
  public let endpoint: ServiceEndpoint

  /// The URL of the LocalCloud endpoint, or `nil` for the region's public endpoint.
  public var localEndpoint: String? { cloud.map { _ in "\(endpoint.scheme)://\(endpoint.authority)" } }

  /// The access key of LocalCloud, or `nil` to use the default credentials.
  public let key: AccessKey?

  /// The URL of the app server that issues temporary keys, or `nil` if there is none.
  public let appServer: String?

  private let cloud: LocalCloud?

  /// The number of signatures that LocalCloud verified, or `nil` for a real service, which does not report the number.
  public var verifiedSignatures: Int? { cloud?.statistics.verifiedCount }

  /// Opens an OSS bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func oss(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open(
      "OSS", localOnly, region: "cn-hangzhou", bucket: "photos", { try .oss(region: $0) },
      local: { ($0.ossEndpoint, $0.ossAppServer) })
  }

  /// Opens a COS bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func cos(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open(
      "COS", localOnly, region: "ap-guangzhou", bucket: "photos-1250000000", { try .cos(region: $0) },
      local: { ($0.cosEndpoint, $0.cosAppServer) })
  }

  /// Opens an S3 bucket for an example.
  ///
  /// - Parameter localOnly: Whether to use LocalCloud regardless of the environment.
  /// - Throws: An error if LocalCloud cannot start.
  public static func s3(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open(
      "S3", localOnly, region: "us-east-1", bucket: "photos", { try .s3(region: $0) },
      local: { ($0.s3Endpoint, $0.s3AppServer) })
  }

  private static func open(
    _ prefix: String, _ localOnly: Bool, region: String, bucket: String,
    _ endpoint: (String) throws -> ServiceEndpoint,
    local: (LocalCloud) -> (endpoint: ServiceEndpoint, appServer: String)
  ) async throws -> ExampleBucket {
    let environment = ProcessInfo.processInfo.environment
    if !localOnly, environment["STORAGE_AUTH_LIVE"] == "1", let bucket = environment["\(prefix)_BUCKET"],
      let region = environment["\(prefix)_REGION"]
    {
      return ExampleBucket(
        bucket: bucket, region: region, endpoint: try endpoint(region), key: nil,
        appServer: environment["\(prefix)_APP_SERVER"], cloud: nil)
    }
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: [bucket]))
    return ExampleBucket(
      bucket: bucket, region: region, endpoint: local(cloud).endpoint, key: key, appServer: local(cloud).appServer,
      cloud: cloud)
  }

  /// Runs a closure with the bucket's key, and stops LocalCloud afterwards.
  ///
  /// - Parameters:
  ///   - provider: The default credentials, for a real bucket.
  ///   - body: The closure.
  /// - Throws: An error if there is no key, or the closure's error.
  public func use(
    _ provider: some CredentialProvider<AccessKey>, _ body: (AccessKey) async throws -> Void
  ) async throws {
    do {
      if let key { try await body(key) } else { try await body(provider.credential()) }
    } catch {
      await close()
      throw error
    }
    await close()
  }

  /// Stops LocalCloud, if the example started it.
  public func close() async {
    await cloud?.stop()
  }
}
