// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Decisions of access policies and the reasons of their refusals.
final class AccessPolicyTests: XCTestCase {
  private let date = Timestamp(unixSeconds: 1_795_161_600)

  private func refusal(_ policy: AccessPolicy, _ access: AccessRequest) -> AccessRefusal.Reason? {
    do throws(AccessRefusal) {
      try policy.check(access)
      return nil
    } catch {
      XCTAssertEqual(error.access, access)
      return error.reason
    }
  }

  private func refusal(_ rule: AccessRule, _ access: AccessRequest) -> AccessRefusal.Reason? {
    refusal(AccessPolicy([rule]), access)
  }

  func testAccessRequiresARuleForItsBucketActionAndKey() {
    let rule = AccessRule(.write, .list, objects: .prefix("uploads/alice/"), in: "photos")
    for (action, key, bucket, reason) in [
      (AccessAction.write, "uploads/alice/a", "photos", nil), (.write, "uploads/alice/", "photos", nil),
      (.list, "uploads/alice/", "photos", nil), (.list, "uploads/alice/2026", "photos", nil),
      (.write, "uploads/alice", "photos", .key), (.write, "uploads/alice2/a", "photos", .key),
      (.write, "Uploads/alice/a", "photos", .key), (.list, "", "photos", .key),
      (.read, "uploads/alice/a", "photos", .action), (.delete, "uploads/alice/a", "photos", .action),
      (.write, "uploads/alice/a", "photo", .bucket), (.write, "uploads/alice/a", "Photos", .bucket),
    ] as [(AccessAction, String, String, AccessRefusal.Reason?)] {
      XCTAssertEqual(
        refusal(rule, AccessRequest(action, key, in: bucket, at: date)), reason, "\(action) \(key) \(bucket)")
    }
    XCTAssertEqual(refusal(AccessPolicy([]), AccessRequest(.read, "a", in: "photos", at: date)), .action)
  }

  func testRefusalDescribesTheMissingPermission() throws {
    let office = try XCTUnwrap(AddressRange("203.0.113.0/24"))
    let rule = AccessRule(
      .write, objects: .prefix("secret/"), in: "photos", upTo: 5, types: ["text/*"], from: [office], until: date)
    let fits = AccessRequest(
      .write, "secret/a", in: "photos", size: 5, contentType: "text/plain", from: NetworkAddress("203.0.113.7"),
      at: date.advanced(by: .seconds(-1)))
    XCTAssertNil(refusal(rule, fits))
    for (words, change) in [
      ("no rule covers the bucket", { $0.bucket = "cats" }),
      ("no rule for the bucket allows it", { $0.action = .read }),
      ("no rule covers the key", { $0.key = "b" }), ("the permission has expired", { [date] in $0.date = date }),
      ("no rule covers the client's address", { $0.address = nil }),
      ("the object is too large, or the request does not bind its size", { $0.size = 6 }),
      ("no rule allows the media type, or the request does not bind it", { $0.contentType = nil }),
    ] as [(String, (inout AccessRequest) -> Void)] {
      var access = fits
      change(&access)
      XCTAssertThrowsError(try AccessPolicy([rule]).check(access)) {
        XCTAssertEqual("\($0)", "The policy does not allow the action \(access.action): \(words).")
      }
    }
  }

  func testKeysAreComparedByteForByte() {
    XCTAssertFalse(ObjectScope.key("\u{e9}").contains("e\u{301}"))
    XCTAssertFalse(ObjectScope.prefix("e").contains("\u{e9}"))
    XCTAssertTrue(ObjectScope.prefix("e").contains("e\u{301}"))
    XCTAssertTrue(ObjectScope.all.contains(""))
    XCTAssertFalse(ObjectScope.key("a").contains("a/"))
  }

  func testBucketsAreComparedByteForByte() {
    // U+212A (KELVIN SIGN) is canonically equivalent to `K`, and so are two spellings of `é`.
    for (bucket, equivalent) in [("AK", "A\u{212a}"), ("\u{e9}", "e\u{301}")] {
      let rule = AccessRule(.read, objects: .all, in: bucket)
      XCTAssertNil(refusal(rule, AccessRequest(.read, "a", in: bucket, at: date)))
      XCTAssertEqual(refusal(rule, AccessRequest(.read, "a", in: equivalent, at: date)), .bucket)
      XCTAssertFalse(AccessPolicy([rule]).allows(AccessRule(.read, objects: .all, in: equivalent)))
    }
  }

  func testMalformedContentTypeMatchesNoRule() {
    let rule = AccessRule(.write, objects: .all, in: "photos", types: ["image/*", "text/plain"])
    for type in ["image/png", " image/svg+xml ", "image/png; a=b", "text/plain;charset=utf-8"] {
      XCTAssertNil(refusal(rule, AccessRequest(.write, "a", in: "photos", contentType: type, at: date)), type)
    }
    for type in [
      "image/png, text/html", "text/plain;,text/html", "text/plain; a=b, text/html", "image/png text/html",
      "image/pn g", "image/", "image", "image/<b>", "image/png/x", "text/plain,", ",text/plain", "", ";text/plain",
    ] {
      XCTAssertEqual(
        refusal(rule, AccessRequest(.write, "a", in: "photos", contentType: type, at: date)), .contentType, type)
    }
  }

  func testEveryConditionOfTheRuleMustBeMet() throws {
    let office = try XCTUnwrap(AddressRange("203.0.113.0/24"))
    let rule = AccessRule(
      .write, .read, objects: .all, in: "photos", upTo: 10, types: ["image/*", "text/plain"], from: [office],
      until: date.advanced(by: .seconds(1)))
    let inside = NetworkAddress("203.0.113.7")
    func access(
      _ action: AccessAction = .write, size: Int64? = 10, type: String? = "image/png", from address: NetworkAddress?,
      after seconds: Int = 0
    ) -> AccessRequest {
      AccessRequest(
        action, "a", in: "photos", size: size, contentType: type, from: address,
        at: date.advanced(by: .seconds(seconds)))
    }
    XCTAssertNil(refusal(rule, access(from: inside)))
    XCTAssertNil(refusal(rule, access(size: 0, type: "TEXT/Plain ; charset=utf-8", from: inside)))
    XCTAssertNil(
      refusal(rule, access(.read, size: nil, type: nil, from: inside)), "size and type limits apply to writes only")
    XCTAssertEqual(refusal(rule, access(size: 11, from: inside)), .size)
    XCTAssertEqual(refusal(rule, access(size: nil, from: inside)), .size)
    for type in [
      "text/html", "image", "image/", "imagex/png", "text/plainx", nil, "image/png,text/html",
      "text/plain;a,text/html", "text/plain, text/html", "text /plain", "te xt/plain", ",image/png",
    ] {
      XCTAssertEqual(refusal(rule, access(type: type, from: inside)), .contentType, type ?? "none")
    }
    XCTAssertEqual(refusal(rule, access(from: NetworkAddress("203.0.114.7"))), .address)
    XCTAssertEqual(refusal(rule, access(from: nil)), .address)
    XCTAssertEqual(refusal(rule, access(from: inside, after: 1)), .time)
    XCTAssertEqual(
      refusal(AccessRule(.read, objects: .all, in: "photos", from: []), access(.read, from: inside)), .address)
  }

  func testOneMatchingRuleIsEnoughAndTheClosestExplainsTheRefusal() {
    let policy = AccessPolicy([
      AccessRule(.read, objects: .prefix("a/"), in: "photos"),
      AccessRule(.write, objects: .prefix("a/"), in: "photos", upTo: 10),
      AccessRule(.write, objects: .key("b"), in: "videos"),
    ])
    XCTAssertNil(refusal(policy, AccessRequest(.read, "a/x", in: "photos", at: date)))
    XCTAssertNil(refusal(policy, AccessRequest(.write, "a/x", in: "photos", size: 9, at: date)))
    XCTAssertNil(refusal(policy, AccessRequest(.write, "b", in: "videos", at: date)))
    XCTAssertEqual(refusal(policy, AccessRequest(.write, "a/x", in: "photos", size: 11, at: date)), .size)
    XCTAssertEqual(refusal(policy, AccessRequest(.write, "b", in: "photos", size: 1, at: date)), .key)
    XCTAssertEqual(refusal(policy, AccessRequest(.delete, "a/x", in: "photos", at: date)), .action)
    XCTAssertEqual(refusal(policy, AccessRequest(.read, "a/x", in: "music", at: date)), .bucket)
  }
}
