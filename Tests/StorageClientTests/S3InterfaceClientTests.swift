// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import LocalCloud
import StorageClient
import XCTest

/// Tests the client with buckets of OSS and COS that it reaches through their S3-compatible interfaces.
final class S3InterfaceClientTests: XCTestCase {
  private func client(_ provider: S3Provider) -> StorageClient<S3Provider> {
    StorageClient(provider, credentials: key, configuration: .test)
  }

  func testObjectsAreThoseOfTheServicesOwnInterface() async throws {
    let cloud = try await Cloud(self)
    let (oss, cos) = (cloud.server.ossEndpoint, cloud.server.cosEndpoint)
    let pairs: [(StorageClient<S3Provider>, any BucketStore)] = [
      (client(.ossThroughS3(bucket: Cloud.bucket, region: "cn-hangzhou", endpoint: oss)), cloud.oss()),
      (client(.cosThroughS3(bucket: Cloud.bucket, region: "ap-guangzhou", endpoint: cos)), cloud.cos()),
    ]
    for (client, own) in pairs {
      for count in [0, 1_000, 450_000] {
        let bytes = pattern(count, seed: UInt64(count))
        try await client.upload(bytes, to: "a b/\(count)")
        let seen = try await own.download("a b/\(count)", upTo: 1 << 20)
        XCTAssertEqual(seen, bytes)
        let back = try await client.download("a b/\(count)", upTo: 1 << 20)
        XCTAssertEqual(back, bytes)
      }
      try await client.copy(from: "a b/1000", to: "copy")
      var names: [String] = []
      for try await entry in client.list() { names.append(entry.name) }
      XCTAssertEqual(names, ["a b/0", "a b/1000", "a b/450000", "copy"])
      let report = try await client.delete(["copy", "a b/0"])
      XCTAssertTrue(report.failures.isEmpty)
      let head = try await own.head("a b/1000")
      XCTAssertEqual(head.size, 1_000)
    }
    XCTAssertTrue(Set(cloud.server.statistics.refused.keys).isSubset(of: ["InvalidRange"]))
    XCTAssertGreaterThan(cloud.server.statistics.verified[.s3V4] ?? 0, 20)
  }

  func testRequestsAreSentToTheInterfacesHosts() async throws {
    let oss = StorageClient(.ossThroughS3(bucket: "photos", region: "cn-hangzhou"), credentials: key)
    let cos = StorageClient(.cosThroughS3(bucket: "photos-1250000000", region: "ap-guangzhou"), credentials: key)
    for (client, start) in [
      (oss, "https://photos.s3.oss-cn-hangzhou.aliyuncs.com/a?X-Amz-"),
      (cos, "https://photos-1250000000.cos.ap-guangzhou.myqcloud.com/a?X-Amz-"),
    ] {
      let link = try await client.presign(.get, "a", validFor: .seconds(60))
      XCTAssertTrue(link.url.hasPrefix(start), link.url)
    }
  }
}
