// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import OSSAuth
internal import StorageAuth
internal import StorageAuthTesting
internal import XCTest

@testable internal import LocalCloud

/// Tests that the documents derived from a policy allow what the policy allows, for random policies and requests.
final class PolicyEquivalenceTests: XCTestCase {
  private static let date = Timestamp(unixSeconds: 1_795_161_600)
  private static let buckets = ["photos-1250000000", "archive-1250000001"]
  private static let keys = ["a", "a/", "a/b", "a/b/c", "ab", "b:a/b", "é", "e\u{301}", "a.b", "[a]", "a/b/"]
  private static let networks = ["10.0.0.0/8", "10.1.0.0/16", "192.0.2.7"].compactMap { AddressRange($0) }
  private static let addresses = ["10.1.2.3", "10.2.0.1", "192.0.2.7", "192.0.2.8"]
  private static let types = ["image/png", "image/jpeg", "text/plain"]

  private func maybe<Value>(_ value: Value, _ generator: inout SeededGenerator) -> Value? {
    Int.random(in: 0..<3, using: &generator) == 0 ? value : nil
  }

  private func pick<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  private func rule(_ generator: inout SeededGenerator, withLimits: Bool) -> AccessRule {
    let key = pick(Self.keys, &generator)
    var rule = AccessRule(
      objects: pick([.all, .prefix(""), .prefix(key), .prefix(key), .key(key)], &generator),
      in: pick(Self.buckets, &generator),
      from: maybe([pick(Self.networks, &generator), pick(Self.networks, &generator)], &generator),
      until: maybe(Self.date.advanced(by: .seconds(pick([-1, 0, 1], &generator))), &generator))
    rule.actions = Set(AccessAction.allCases.filter { _ in Bool.random(using: &generator) })
    if withLimits {
      rule.maximumSize = maybe(pick([0, 4, 5], &generator), &generator)
      rule.contentTypes = maybe([pick(Self.types + ["image/*"], &generator)], &generator)
    }
    return rule
  }

  private func access(_ generator: inout SeededGenerator) -> AccessRequest {
    AccessRequest(
      pick(AccessAction.allCases, &generator), pick(Self.keys, &generator), in: pick(Self.buckets, &generator),
      size: pick([0, 4, 5], &generator), contentType: pick(Self.types, &generator),
      from: NetworkAddress(pick(Self.addresses, &generator)), at: Self.date)
  }

  private func text(_ address: NetworkAddress?) -> String {
    Self.addresses.first { NetworkAddress($0) == address } ?? ""
  }

  func testRAMAllowsWhatThePolicyAllows() throws {
    let actions: [AccessAction: [String]] = [
      .read: ["oss:GetObject"], .write: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
      .delete: ["oss:DeleteObject"], .list: ["oss:ListObjects"],
    ]
    func read(_ policy: AccessPolicy) throws -> PolicyDocument {
      try PolicyDocument(policy.ramDocument(upTo: nil), in: .ram)
    }
    try compare(seed: 7, withLimits: false, read) { session, access in
      var facts = ["acs:SourceIp": text(access.address), "acs:CurrentTime": access.date.iso8601]
      if access.action == .list { facts["oss:Prefix"] = access.key }
      let name = access.action == .list ? access.bucket : "\(access.bucket)/\(access.key)"
      return try XCTUnwrap(actions[access.action]).map { action in
        session.allows(
          PolicyInput(action: action, resource: ["acs", "oss", "cn-hangzhou", "1", name], facts: facts))
      }
    }
  }

  func testCAMAllowsWhatThePolicyAllows() throws {
    let actions: [AccessAction: [String]] = [
      .read: ["cos:GetObject", "cos:HeadObject"], .write: ["cos:PutObject", "cos:PostObject"],
      .delete: ["cos:DeleteObject", "cos:DeleteMultipleObjects"], .list: ["cos:GetBucket"],
    ]
    func read(_ policy: AccessPolicy) throws -> PolicyDocument {
      try PolicyDocument(policy.camDocument(region: "ap-guangzhou", options: .dates), in: .cam)
    }
    try compare(seed: 8, withLimits: true, read) { session, access in
      let facts = [
        "qcs:ip": text(access.address), "qcs:current_time": access.date.iso8601,
        "cos:content-length": String(access.size ?? 0), "cos:content-type": access.contentType ?? "",
      ]
      let number = access.bucket.suffix(10)
      return try XCTUnwrap(actions[access.action]).map { action in
        session.allows(
          PolicyInput(
            action: action,
            resource: ["qcs", "", "cos", "ap-guangzhou", "uid/\(number)", "\(access.bucket)/\(access.key)"],
            facts: facts))
      }
    }
  }

  private func compare(
    seed: UInt64, withLimits: Bool, _ read: (AccessPolicy) throws -> PolicyDocument,
    _ answers: (PolicyDocument, AccessRequest) throws -> [Bool]
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var counts = [true: 0, false: 0]
    for _ in 0..<300 {
      var rules = (0..<Int.random(in: 1...3, using: &generator)).map { _ in rule(&generator, withLimits: withLimits) }
      rules.append(AccessRule(.read, objects: .key("never"), in: "nothing-1250000000"))
      let policy = AccessPolicy(rules)
      let session = try read(policy)
      for _ in 0..<30 {
        let access = access(&generator)
        let isAllowed = (try? policy.check(access)) != nil
        counts[isAllowed, default: 0] += 1
        for answer in try answers(session, access) {
          XCTAssertEqual(answer, isAllowed, "\(policy) \(access)")
          if answer != isAllowed { return }
        }
      }
    }
    XCTAssertGreaterThan(counts[true] ?? 0, 500)
    XCTAssertGreaterThan(counts[false] ?? 0, 500)
  }
}
