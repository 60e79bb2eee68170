// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import OSSAuth
internal import StorageAuth
internal import XCTest

/// Tests the documents of access policies in the policy languages of both clouds.
final class PolicyDocumentTests: XCTestCase {
  private func check(
    _ intent: PolicyIntent, _ answer: PolicyIntent.Answer, version: String,
    _ document: (AccessPolicy) throws(PolicyError) -> String
  ) {
    let name = "\(version): \(intent.meaning)"
    do throws(PolicyError) {
      let text = try document(AccessPolicy(intent.rules))
      guard case .statements(let statements) = answer else { return XCTFail("\(name): \(text)") }
      XCTAssertEqual(text, PolicyIntent.written(statements, version: version, name), name)
    } catch {
      guard case .error(let code) = answer else { return XCTFail("\(name): \(error)") }
      XCTAssertEqual(error.code, code, "\(name): \(error)")
      XCTAssertFalse(error.remedy.isEmpty)
    }
  }

  func testEveryIntentIsExpressedExactlyOrRejected() {
    let intents = PolicyIntent.scopes + PolicyIntent.conditions
    XCTAssertGreaterThanOrEqual(intents.count, 40)
    for intent in intents {
      check(intent, intent.ram, version: "1") { policy throws(PolicyError) in try policy.ramDocument() }
      check(intent, intent.cam, version: "2.0") { policy throws(PolicyError) in
        try policy.camDocument(region: "ap-guangzhou")
      }
    }
  }

  /// Covers the document in Tencent's guide for keys that write to `doc` and read from `doc2`, except that reading is
  /// only GetObject there.
  func testPolicyOfTencentsGuide() throws {
    let bucket = "examplebucket-1250000000"
    let policy = AccessPolicy([
      AccessRule(.write, objects: .prefix("doc/"), in: bucket),
      AccessRule(.read, objects: .prefix("doc2/"), in: bucket),
    ])
    let guide = #"""
      {"version": "2.0",
       "statement": [
         {"action": ["name/cos:PutObject", "name/cos:PostObject", "name/cos:InitiateMultipartUpload",
                     "name/cos:ListMultipartUploads", "name/cos:ListParts", "name/cos:UploadPart",
                     "name/cos:CompleteMultipartUpload", "name/cos:AbortMultipartUpload"],
          "effect": "allow",
          "resource": ["qcs::cos:ap-beijing:uid/1250000000:examplebucket-1250000000/doc/*"]},
         {"action": ["name/cos:GetObject", "name/cos:HeadObject"],
          "effect": "allow",
          "resource": ["qcs::cos:ap-beijing:uid/1250000000:examplebucket-1250000000/doc2/*"]}]}
      """#
    let document = try policy.camDocument(region: "ap-beijing")
    XCTAssertEqual(try JSONValue(parsing: document.utf8), try JSONValue(parsing: guide.utf8))
  }

  /// Covers the document in Alibaba's description of StringLike, for a directory that is read and listed.
  func testPolicyOfAlibabasDescriptionOfConditions() throws {
    let policy = AccessPolicy([AccessRule(.read, .list, objects: .prefix("hangzhou/2015/"), in: "myphotos")])
    let guide = #"""
      {"Version": "1",
       "Statement": [
         {"Effect": "Allow", "Action": ["oss:GetObject"], "Resource": ["acs:oss:*:*:myphotos/hangzhou/2015/*"]},
         {"Effect": "Allow", "Action": ["oss:ListObjects"], "Resource": ["acs:oss:*:*:myphotos"],
          "Condition": {"StringLike": {"oss:Prefix": "hangzhou/2015/*"}}}]}
      """#
    XCTAssertEqual(try JSONValue(parsing: policy.ramDocument().utf8), try JSONValue(parsing: guide.utf8))
  }

  func testExpirationIsACAMDateWhenRequested() throws {
    let policy = AccessPolicy([PolicyIntent.rule(.list, on: .all, until: PolicyIntent.end)])
    let expected =
      #"{"effect":"allow","action":["name/cos:GetBucket"],"resource":["$C/*"],"condition":{"date_less_than":{"qcs:current_time":"2026-11-20T09:00:00Z"}}}"#
    XCTAssertEqual(
      try policy.camDocument(region: "ap-guangzhou", options: .dates),
      PolicyIntent.written([expected], version: "2.0", ""))
  }

  func testDataProcessingIsAllowedWhereObjectsAreReadAndWritten() throws {
    func document(_ rules: AccessRule...) throws(PolicyError) -> String {
      try AccessPolicy(rules).camDocument(region: "ap-guangzhou", options: .dataProcessing)
    }
    let processing =
      #"{"effect":"allow","action":["name/ci:*"],"resource":["qcs::ci:ap-guangzhou:uid/1250000000:bucket/photos-1250000000/uploads/alice/*"]}"#
    XCTAssertTrue(try document(PolicyIntent.rule(.read, .write)).hasSuffix(",\(processing)]}"))
    XCTAssertFalse(try document(PolicyIntent.rule(.write)).contains("ci:*"))
    XCTAssertThrowsError(try document(PolicyIntent.rule(.read, .write, upTo: 10))) { error in
      XCTAssertEqual((error as? PolicyError)?.code, .unsupportedCondition)
    }
  }

  func testEachCAMBucketHasItsRegion() throws {
    let policy = AccessPolicy([
      PolicyIntent.rule(.list, on: .all), PolicyIntent.rule(.list, on: .all, in: "archive-1250000000"),
    ])
    let regions = [PolicyIntent.bucket: "ap-guangzhou", "archive-1250000000": "ap-beijing"]
    let document = try policy.camDocument(regions: regions)
    XCTAssertTrue(document.contains("qcs::cos:ap-guangzhou:uid/1250000000:photos-1250000000/*"), document)
    XCTAssertTrue(document.contains("qcs::cos:ap-beijing:uid/1250000000:archive-1250000000/*"), document)
    for regions in [[PolicyIntent.bucket: "ap-guangzhou"], regions.merging(["archive-1250000000": "*"]) { $1 }] {
      XCTAssertThrowsError(try policy.camDocument(regions: regions)) { error in
        XCTAssertEqual((error as? PolicyError)?.code, .unknownRegion)
      }
    }
  }

  func testDocumentForAlibabaSTSHasAtMost2048Bytes() throws {
    func policy(_ count: Int) -> AccessPolicy {
      AccessPolicy((0..<count).map { PolicyIntent.rule(.delete, on: .prefix("uploads/user-\($0 + 1000)/")) })
    }
    let fitting = (1...60).last { (try? policy($0).ramDocument()) != nil } ?? 0
    let bytes = try policy(fitting).ramDocument(upTo: nil).utf8.count
    XCTAssertLessThanOrEqual(bytes, 2048)
    XCTAssertThrowsError(try policy(fitting + 1).ramDocument()) { error in
      XCTAssertEqual((error as? PolicyError)?.code, .tooLong)
      XCTAssertTrue("\(error)".contains("2048"), "\(error)")
    }
    XCTAssertNoThrow(try policy(fitting).ramDocument(upTo: bytes))
    XCTAssertThrowsError(try policy(fitting).ramDocument(upTo: bytes - 1))
    XCTAssertNoThrow(try policy(fitting + 1).ramDocument(upTo: nil))
  }
}
