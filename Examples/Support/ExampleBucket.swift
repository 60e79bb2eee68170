internal import Foundation
internal import LocalCloud
public import StorageAuth

/// The bucket that an example works with: one of LocalCloud, unless a real one is asked for.
///
/// A real bucket is used only with `STORAGE_AUTH_LIVE=1` and a bucket and a region named (`OSS_BUCKET`, `OSS_REGION`,
/// `COS_BUCKET`, `COS_REGION`, `S3_BUCKET`, `S3_REGION`). Keys that happen to be in the environment are never enough.
public struct ExampleBucket: Sendable {
  /// The name of the bucket.
  public let bucket: String

  /// The region of the bucket.
  public let region: String

  /// The endpoint; nothing for the public one of the region.
  public let endpoint: String?

  /// The key; nothing for the one in the environment.
  public let key: AccessKey?

  private let cloud: LocalCloud?

  /// How many signatures LocalCloud has verified; nothing for a real service, which does not say.
  public var verifiedSignatures: Int? { cloud?.statistics.verifiedCount }

  /// A bucket of OSS.
  ///
  /// - Parameter localOnly: Whether to take LocalCloud, whatever the environment says.
  public static func oss(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open("OSS", localOnly, region: "cn-hangzhou", bucket: "photos") { $0.ossEndpoint }
  }

  /// A bucket of COS.
  ///
  /// - Parameter localOnly: Whether to take LocalCloud, whatever the environment says.
  public static func cos(localOnly: Bool = false) async throws -> ExampleBucket {
    try await open("COS", localOnly, region: "ap-guangzhou", bucket: "photos-1250000000") { $0.cosEndpoint }
  }

  /// A bucket of S3.
  ///
  /// - Parameter localOnly: Whether to take LocalCloud, whatever the environment says.
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

  /// Stops LocalCloud, if that is what this is.
  public func close() async {
    await cloud?.stop()
  }
}
