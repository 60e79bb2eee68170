// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import StorageAuth
import XCTest

/// Recognition of COS hosts, with and without a bucket.
final class COSHostsTests: XCTestCase {
  func testBucketIsParsedFromCOSHosts() {
    for (host, bucket) in [
      ("cos.ap-x.myqcloud.com", nil), ("service.cos.myqcloud.com", nil),
      ("photos-1.cos.ap-x.myqcloud.com", "photos-1"), ("Cos.example.com:8080", nil), ("oss.example.com", "oss"),
    ] {
      XCTAssertEqual(ServiceHosts.cos.bucket(in: host), bucket, host)
    }
  }
}
