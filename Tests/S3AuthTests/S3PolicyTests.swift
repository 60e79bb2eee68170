// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import S3Auth
import StorageAuth
import XCTest

/// Conversion of access policies into IAM policy documents.
final class S3PolicyTests: XCTestCase {
  private let end = Timestamp(unixSeconds: 1_795_165_200)

  private func document(_ rules: AccessRule..., partition: String = "aws") throws -> String {
    try AccessPolicy(rules).iamDocument(partition: partition)
  }

  private func written(_ statements: String...) -> String {
    #"{"Version":"2012-10-17","Statement":["# + statements.joined(separator: ",") + "]}"
  }

  private func error(_ rule: AccessRule, upTo limit: Int? = nil) -> PolicyError? {
    do throws(PolicyError) {
      XCTFail(try AccessPolicy([rule]).iamDocument(upTo: limit))
      return nil
    } catch {
      XCTAssertFalse(error.message.isEmpty || error.remedy.isEmpty)
      return error
    }
  }

  func testEveryActionMapsToItsIAMActions() throws {
    let objects = #""Resource":["arn:aws:s3:::photos/a/*"]"#
    XCTAssertEqual(
      try document(AccessRule(.read, objects: .prefix("a/"), in: "photos")),
      written(#"{"Effect":"Allow","Action":["s3:GetObject"],\#(objects)}"#))
    XCTAssertEqual(
      try document(AccessRule(.write, .delete, objects: .prefix("a/"), in: "photos")),
      written(
        #"{"Effect":"Allow","Action":["s3:PutObject","s3:AbortMultipartUpload","s3:ListMultipartUploadParts","s3:DeleteObject"],\#(objects)}"#
      ))
    XCTAssertEqual(
      try document(AccessRule(.read, objects: .key("a b/ü"), in: "photos"), partition: "aws-cn"),
      written(#"{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws-cn:s3:::photos/a b/ü"]}"#))
  }

  /// "Bucket policy examples using condition keys", the part on prefixes, and "Identity-based policy examples".
  func testListIsRestrictedToItsPrefix() throws {
    let bucket = #"{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::photos"]"#
    XCTAssertEqual(try document(AccessRule(.list, objects: .all, in: "photos")), written(bucket + "}"))
    XCTAssertEqual(try document(AccessRule(.list, objects: .prefix(""), in: "photos")), written(bucket + "}"))
    XCTAssertEqual(
      try document(AccessRule(.list, objects: .prefix("home/bob/"), in: "photos")),
      written(bucket + #","Condition":{"StringLike":{"s3:prefix":"home/bob/*"}}}"#))
    XCTAssertEqual(
      try document(AccessRule(.list, objects: .key("home/bob"), in: "photos")),
      written(bucket + #","Condition":{"StringEquals":{"s3:prefix":"home/bob"}}}"#))
  }

  func testAddressesAndExpirationBecomeConditions() throws {
    let addresses = try [XCTUnwrap(AddressRange("192.0.2.0/24")), XCTUnwrap(AddressRange("2001:db8::/32"))]
    XCTAssertEqual(
      try document(AccessRule(.read, .list, objects: .all, in: "photos", from: addresses, until: end)),
      written(
        #"{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::photos/*"],"Condition":{"IpAddress":{"aws:SourceIp":["192.0.2.0/24","2001:db8::/32"]},"DateLessThan":{"aws:CurrentTime":"2026-11-20T09:00:00Z"}}}"#,
        #"{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::photos"],"Condition":{"IpAddress":{"aws:SourceIp":["192.0.2.0/24","2001:db8::/32"]},"DateLessThan":{"aws:CurrentTime":"2026-11-20T09:00:00Z"}}}"#
      ))
  }

  func testRulesThatDifferOnlyInResourcesShareAStatement() throws {
    XCTAssertEqual(
      try document(
        AccessRule(.read, objects: .prefix("a/"), in: "photos"), AccessRule(.read, objects: .key("b"), in: "films")),
      written(
        #"{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::photos/a/*","arn:aws:s3:::films/b"]}"#))
  }

  func testBucketNamesWithDotsAreSupported() throws {
    XCTAssertEqual(
      try document(AccessRule(.read, .list, objects: .prefix("a/"), in: "www.example.com")),
      written(
        #"{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::www.example.com/a/*"]}"#,
        #"{"Effect":"Allow","Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::www.example.com"],"Condition":{"StringLike":{"s3:prefix":"a/*"}}}"#
      ))
    for bucket in ["a..b", ".ab", "ab.", "1.2.3.4", "-a.b", "A.b", "a.b/c", "*.b", ""] {
      XCTAssertEqual(error(AccessRule(.read, objects: .all, in: bucket))?.code, .invalidBucket, bucket)
    }
  }

  func testRulesThatIAMCannotExpressAreRejected() {
    XCTAssertEqual(
      error(AccessRule(.write, objects: .all, in: "photos", upTo: 10))?.code, .unsupportedCondition)
    XCTAssertEqual(
      error(AccessRule(.write, objects: .all, in: "photos", types: ["image/*"]))?.code, .unsupportedCondition)
    XCTAssertNoThrow(try document(AccessRule(.read, objects: .all, in: "photos", upTo: 10, types: ["image/*"])))
    for key in ["a*b", "a?", "${aws:username}/", "*\u{301}"] {
      XCTAssertEqual(error(AccessRule(.read, objects: .prefix(key), in: "photos"))?.code, .unsupportedKey, key)
      XCTAssertEqual(error(AccessRule(.list, objects: .key(key), in: "photos"))?.code, .unsupportedKey, key)
    }
    XCTAssertEqual(error(AccessRule(.read, objects: .all, in: "photos/*"))?.code, .invalidBucket)
    XCTAssertEqual(error(AccessRule(objects: .all, in: "photos"))?.code, .empty)
    XCTAssertThrowsError(try document(AccessRule(.read, objects: .all, in: "photos"), partition: "aws:s3:::x/*\""))
  }

  func testDocumentLengthIsLimitedForTheTokenService() throws {
    let rule = AccessRule(.read, objects: .prefix(String(repeating: "x", count: 2048)), in: "photos")
    XCTAssertThrowsError(try AccessPolicy([rule]).iamDocument()) {
      XCTAssertEqual(($0 as? PolicyError)?.code, .tooLong)
    }
    XCTAssertGreaterThan(try AccessPolicy([rule]).iamDocument(upTo: nil).utf8.count, 2048)
    let short = AccessRule(.read, objects: .all, in: "photos")
    let length = try document(short).utf8.count
    XCTAssertNoThrow(try AccessPolicy([short]).iamDocument(upTo: length))
    XCTAssertEqual(error(short, upTo: length - 1)?.code, .tooLong)
  }
}
