// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import OSSAuth
import StorageAuth
import XCTest

/// Recognition of OSS hosts, with and without a bucket.
final class OSSHostsTests: XCTestCase {
  func testBucketIsParsedFromOSSHosts() {
    for (host, bucket) in [
      ("oss-cn-hangzhou.aliyuncs.com", nil), ("OSS-cn-hangzhou.Aliyuncs.com:443", nil),
      ("photos.oss-cn-hangzhou.aliyuncs.com", "photos"), ("oss.oss-cn-hangzhou.aliyuncs.com", "oss"),
      ("photos.oss.aliyuncs.com", "photos"), ("photos.cn-hangzhou.oss.aliyuncs.com", "photos"),
      ("oss.example.com", nil), ("photos.example.com", "photos"), ("cos.example.com", "cos"), ("localhost", nil),
    ] {
      XCTAssertEqual(ServiceHosts.oss.bucket(in: host), bucket, host)
      XCTAssertEqual(ServiceHosts.oss.isService(host), bucket == nil, host)
      XCTAssertEqual(ServiceHosts.oss.own(host), host.lowercased().contains("aliyuncs"), host)
    }
  }
}
