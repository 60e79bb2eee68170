// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// Narrowing of a user's policy by the rules that a client requests.
final class PolicyNarrowingTests: XCTestCase {
  private let policy = AccessPolicy([
    AccessRule(
      .write, .delete, objects: .prefix("u/alice/"), in: "photos", upTo: 100, types: ["image/*"],
      from: [AddressRange("10.0.0.0/8")].compactMap(\.self), until: Timestamp(unixSeconds: 1000)),
    AccessRule(.read, objects: .all, in: "public"),
  ])

  private func rule(
    _ actions: AccessAction..., keys: ObjectScope = .prefix("u/alice/2026/"), in bucket: String = "photos",
    upTo size: Int64? = 100, types: [String]? = ["image/png"], from address: String? = "10.1.0.0/16",
    until end: Int64? = 1000
  ) -> AccessRule {
    var rule = AccessRule(
      objects: keys, in: bucket, upTo: size, types: types, from: address.map { [AddressRange($0)].compactMap(\.self) },
      until: end.map { Timestamp(unixSeconds: $0) })
    rule.actions = Set(actions)
    return rule
  }

  func testNarrowerRulesAreAllowed() {
    for narrower in [
      rule(.write), rule(.write, .delete), rule(.delete, upTo: nil, types: nil), rule(.write, keys: .key("u/alice/x")),
      rule(.write, keys: .prefix("u/alice/")), rule(.write, upTo: 1, types: ["IMAGE/JPEG", "image/*"]),
      rule(.write, from: "10.1.2.3", until: 999),
      AccessRule(.read, objects: .prefix("a"), in: "public"), AccessRule(.read, objects: .all, in: "public"),
    ] { XCTAssertTrue(policy.allows(narrower), "\(narrower)") }
  }

  func testWiderRulesAreRejected() {
    for wider in [
      rule(.read), rule(.write, .read), rule(), rule(.write, in: "other"), rule(.write, keys: .all),
      rule(.write, keys: .prefix("u/")), rule(.write, keys: .prefix("u/alice")), rule(.write, keys: .key("u/alice")),
      rule(.write, upTo: 101), rule(.write, upTo: nil), rule(.write, types: nil), rule(.write, types: ["text/plain"]),
      rule(.write, types: ["image/png", "*/*"]), rule(.write, types: ["imagery/png"]), rule(.write, from: nil),
      rule(.write, from: "11.0.0.0/8"), rule(.write, from: "0.0.0.0/0"), rule(.write, until: nil),
      rule(.write, until: 1001), AccessRule(.list, objects: .all, in: "public"),
    ] { XCTAssertFalse(policy.allows(wider), "\(wider)") }
  }

  func testPolicyWithoutRulesAllowsNoAccess() {
    XCTAssertFalse(AccessPolicy([]).allows(AccessRule(.read, objects: .key("a"), in: "public")))
  }
}
