// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import LocalCloud
import StorageClient

/// The bucket and the app server that the example uses: LocalCloud, unless a real server is specified.
struct Place {
  /// The provider for the bucket that the example uses.
  let bucket: OSSProvider

  /// The URL of the app server that issues temporary keys.
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

  /// Returns a temporary key, as the app's own callback would return it.
  func temporaryKey() async throws -> AccessKey {
    try await AppServerCredentialProvider.appServer(appServer).credential()
  }

  /// Runs a closure while LocalCloud reports every key as expired after one use.
  func expiringKeys(_ act: () async throws -> Void) async throws {
    cloud?.faults.requestsPerCredential = 1
    defer { cloud?.faults.requestsPerCredential = nil }
    try await act()
  }

  /// Stops LocalCloud, if the example started it.
  func close() async {
    await cloud?.stop()
  }
}
