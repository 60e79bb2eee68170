// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StorageAuth
import XCTest

@testable import storage_auth

/// Tests the permissions that the options of the token server describe.
final class RuleOptionTests: XCTestCase {
  func testActionsOfEveryAllowArePermitted() throws {
    for (arguments, actions) in [
      ([], [.write]), (["--allow", "read,list"], [.read, .list]),
      (["--allow", "read", "--allow", "list"], [.read, .list]),
    ] as [([String], Set<AccessAction>)] {
      let policy = try RuleOptions.parse(["--bucket", "photos"] + arguments).policy(of: "mia")
      XCTAssertEqual(policy.rules.first?.actions, actions, "\(arguments)")
    }
  }

  func testPolicyHasThePartitionOfTheRole() throws {
    let policy = try RuleOptions.parse(["--bucket", "photos"]).policy(of: "mia")
    for (role, partition) in [
      ("arn:aws:iam::123456789012:role/a", "aws"), ("arn:aws-cn:iam::123456789012:role/a", "aws-cn"),
      ("arn:aws-us-gov:iam::123456789012:role/a", "aws-us-gov"), ("arn:minio:iam:::role/a", "aws"),
    ] {
      let document = try S3Cloud().policyDocument(policy, role: role, region: "")
      XCTAssertTrue(document.contains("arn:\(partition):s3:::photos"), document)
    }
  }
}
