// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// A clock that advances only when a test moves it.
final class TestClock: Sendable {
  private let instant = Lock(Timestamp(unixSeconds: 1_795_161_600))

  var now: Timestamp { instant.withLock { $0 } }

  func advance(by duration: Duration) {
    instant.withLock { $0 = $0.advanced(by: duration) }
  }
}

/// A base class of tests with their own server.
class CloudTestCase: XCTestCase {
  static let key = AccessKey(id: "test-id", secret: "test-secret")
  static let bucket = "photos-1250000000"

  let clock = TestClock()

  /// A configuration with one account, one bucket and the clock of the test, which allows small parts.
  var configuration: LocalCloud.Configuration {
    var configuration = LocalCloud.Configuration(
      accounts: [LocalCloud.Account(Self.key)], buckets: [Self.bucket], clock: { [clock] in clock.now })
    configuration.allowsSmallParts = true
    return configuration
  }

  /// Runs a server for each of the given services and passes a client of it to `body`.
  func withEachService(
    _ configuration: LocalCloud.Configuration? = nil,
    of providers: [LocalCloud.Provider] = LocalCloud.Provider.allCases,
    _ body: (TestClient) async throws -> Void
  ) async throws {
    let cloud = try await LocalCloud.start(configuration ?? self.configuration)
    do {
      for provider in providers {
        try await body(TestClient(cloud: cloud, provider: provider, key: Self.key, clock: clock))
      }
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }

  /// Creates a directory for one test, which is removed when the test ends.
  func makeDirectory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("localcloud-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    addTeardownBlock { try? FileManager.default.removeItem(at: url) }
    return url.path
  }

  /// The files below a directory that contain the bytes of objects.
  func contentFiles(below root: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
      let parts = path.split(separator: "/")
      return parts.count == 3 && parts[1] == "content" && parts[2] != ".lock"
    }
  }
}
