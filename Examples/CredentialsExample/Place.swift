import LocalCloud
import StorageClient

/// Where the example works: LocalCloud with the server of an app, unless a real one is named.
struct Place {
  /// The bucket.
  let bucket: OSSProvider

  /// The URL of the app's server.
  let appServer: String

  private let cloud: LocalCloud?

  init(appServer: String?, bucket: String?, region: String?) async throws {
    if let appServer, let bucket, let region {
      self.appServer = appServer
      self.bucket = OSSProvider(bucket: bucket, region: region)
      cloud = nil
      return
    }
    let key = AccessKey(id: "example-id", secret: "example-secret")
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    self.appServer = cloud.ossAppServer
    self.bucket = OSSProvider(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint)
    self.cloud = cloud
  }

  /// A temporary key, as an app that has its own way gets one.
  func temporaryKey() async throws -> AccessKey {
    try await AppServerCredentialProvider.appServer(appServer).credential()
  }

  /// Lets LocalCloud call every key expired that was used once, while something is done.
  func expiringKeys(_ act: () async throws -> Void) async throws {
    cloud?.faults.requestsPerToken = 1
    defer { cloud?.faults.requestsPerToken = nil }
    try await act()
  }

  /// Stops LocalCloud, if that is what this is.
  func close() async {
    await cloud?.stop()
  }
}
