// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import XCTest

/// Form policies that are derived from access rules, and rules that a form cannot express.
final class FormPolicyTests: XCTestCase {
  private let end = Timestamp(unixSeconds: 1_795_161_600)

  private func rule(_ change: (inout AccessRule) -> Void = { _ in }) -> AccessRule {
    var rule = AccessRule(
      .write, .read, objects: .prefix("uploads/"), in: "photos", upTo: 1_000, types: ["image/*"], until: end)
    change(&rule)
    return rule
  }

  func testPolicyExpressesItsRule() throws {
    let policy = try FormPolicy(rule(), response: .created)
    XCTAssertEqual(
      policy,
      FormPolicy(
        bucket: "photos", objects: .prefix("uploads/"), sizes: 0...1_000, contentType: .startsWith("image/"),
        response: .created, until: end))
    let types: [([String]?, FormCondition.Rule?)] = [
      (nil, nil), (["image/png"], .equals("image/png")), (["a/b", "c/d"], .oneOf(["a/b", "c/d"])),
    ]
    for (named, expected) in types {
      XCTAssertEqual(try FormPolicy(rule { $0.contentTypes = named }).contentType, expected)
    }
    XCTAssertNil(try FormPolicy(rule { $0.maximumSize = nil }).sizes)
  }

  func testPolicyExpiresAtTheEarlierTime() throws {
    let earlier = end.advanced(by: .seconds(-60))
    let later = end.advanced(by: .seconds(60))
    XCTAssertEqual(try FormPolicy(rule(), until: earlier).expiration, earlier)
    XCTAssertEqual(try FormPolicy(rule(), until: later).expiration, end)
    XCTAssertEqual(try FormPolicy(rule { $0.end = nil }, until: later).expiration, later)
  }

  func testRulesThatAFormCannotExpressAreRejected() {
    let changes: [(inout AccessRule) -> Void] = [
      { $0.actions = [.read] }, { $0.addresses = [AddressRange("203.0.113.0/24")].compactMap { $0 } },
      { $0.addresses = [] }, { $0.contentTypes = ["image/*", "text/plain"] }, { $0.contentTypes = [] },
      { $0.contentTypes = ["image/*", "video/*"] }, { $0.end = nil }, { $0.maximumSize = -1 },
    ]
    for (index, change) in changes.enumerated() {
      XCTAssertThrowsError(try FormPolicy(rule(change)), "\(index)") { error in
        XCTAssertEqual((error as? SigningError)?.code, .invalidRequest)
      }
    }
  }

  func testDescriptionsOfConditionsMaskTheToken() {
    let condition = FormCondition("x-oss-security-token", .equals("M4RK"))
    XCTAssertFalse("\(condition)".contains("M4RK"))
    XCTAssertEqual("\(FormCondition("key", .startsWith("a\"b")))", #"["starts-with","$key","a\"b"]"#)
    XCTAssertEqual("\(FormCondition("x", .oneOf(["a", "b"])))", #"["in","$x",["a","b"]]"#)
    XCTAssertEqual("\(FormCondition("x", .noneOf(["a"])))", #"["not-in","$x",["a"]]"#)
  }

  func testFieldLookupIgnoresCase() {
    let form = SubmittedForm(bucket: "photos", fields: [FormField("Key", "a")])
    XCTAssertEqual(form["kEY"], "a")
    XCTAssertNil(form["key2"])
  }

  /// A `$` and the accent after it are one character, but the accent belongs to the name of the field.
  func testNameInAConditionStartsAfterTheByteOfTheDollarSign() throws {
    let policy = #"{"expiration":"2026-11-20T08:00:00.000Z","conditions":[["eq","$\u0301key","a"]]}"#
    let document = try FormDocument(base64: Data(policy.utf8).base64EncodedString())
    let reading = FormDocument.Reading(required: [], own: ["key"], contentTypes: [], contentType: nil, hasLists: false)
    let date = end.advanced(by: .seconds(-60))
    func verify(_ fields: [FormField]) throws -> VerifiedForm {
      try document.verify(
        SubmittedForm(bucket: "photos", fields: fields), of: "id", as: reading, within: VerificationLimits(),
        since: date, at: date)
    }
    XCTAssertThrowsError(try verify([FormField("key", "a")])) {
      XCTAssertEqual(($0 as? VerificationError)?.code, .conditionFailed)
    }
    XCTAssertEqual(try verify([FormField("key", "b"), FormField("\u{301}key", "a")]).unlistedFields, [])
  }

  func testFieldsAreListedByTheirBytes() throws {
    let policy = #"{"expiration":"2026-11-20T08:00:00.000Z","conditions":[["eq","$x-meta-\u00e9",""]]}"#
    let document = try FormDocument(base64: Data(policy.utf8).base64EncodedString())
    let fields = ["key", "x-meta-\u{e9}", "x-meta-e\u{301}"].map { FormField($0, $0 == "key" ? "a" : "") }
    let reading = FormDocument.Reading(required: [], own: ["key"], contentTypes: [], contentType: nil, hasLists: false)
    let date = end.advanced(by: .seconds(-60))
    let form = try document.verify(
      SubmittedForm(bucket: "photos", fields: fields), of: "id", as: reading, within: VerificationLimits(), since: date,
      at: date)
    XCTAssertEqual(form.unlistedFields.map { Array($0.utf8) }, [Array("x-meta-e\u{301}".utf8)])
  }
}
