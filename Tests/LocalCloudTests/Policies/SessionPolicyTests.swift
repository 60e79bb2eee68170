// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import XCTest

@testable internal import LocalCloud

/// Tests the evaluation of a session policy for one request.
final class SessionPolicyTests: XCTestCase {
  private static let object = "photos-1250000000/uploads/alice/cat.jpg"

  private func allows(
    _ language: PolicyLanguage, _ statements: String, _ action: String, _ name: String = object,
    _ facts: [String: String] = [:]
  ) throws -> Bool {
    let text =
      language.versions == ["1"]
      ? #"{"Version":"1","Statement":[\#(statements)]}"# : #"{"version":"2.0","statement":[\#(statements)]}"#
    let policy: PolicyDocument
    do {
      policy = try PolicyDocument(text, in: language)
    } catch {
      XCTFail("\(error.reason): \(text)")
      return false
    }
    let resource =
      language.versions == ["1"]
      ? ["acs", "oss", "cn-hangzhou", "1250000000", name] : ["qcs", "", "cos", "ap-guangzhou", "uid/1250000000", name]
    return policy.allows(PolicyInput(action: action, resource: resource, facts: facts))
  }

  private func ram(
    _ effect: String = "Allow", _ action: String = #""Action":"*""#, _ resource: String = "*",
    if condition: String? = nil
  ) -> String {
    #"{"Effect":"\#(effect)",\#(action),"Resource":"\#(resource)""#
      + (condition.map { #","Condition":{\#($0)}"# } ?? "") + "}"
  }

  private func cam(
    _ effect: String = "allow", _ action: String = "*", _ resource: String = "*", if condition: String? = nil
  ) -> String {
    #"{"effect":"\#(effect)","action":["\#(action)"],"resource":["\#(resource)"]"#
      + (condition.map { #","condition":{\#($0)}"# } ?? "") + "}"
  }

  func testRequestIsDeniedWithoutAnAllowAndDenyTakesPrecedence() throws {
    XCTAssertFalse(try allows(.ram, "", "oss:GetObject"))
    XCTAssertTrue(try allows(.ram, ram(), "oss:GetObject"))
    XCTAssertFalse(try allows(.ram, ram() + "," + ram("Deny"), "oss:GetObject"))
    XCTAssertFalse(try allows(.ram, ram("Deny") + "," + ram(), "oss:GetObject"))
    XCTAssertFalse(try allows(.ram, ram("Deny"), "oss:GetObject"))
    let denial = ram("Deny", #""Action":"oss:Put*""#)
    XCTAssertTrue(try allows(.ram, ram() + "," + denial, "oss:GetObject"))
    XCTAssertFalse(try allows(.ram, ram() + "," + denial, "oss:PutObject"))
    XCTAssertFalse(try allows(.cam, cam() + "," + cam("deny", "name/cos:PutObject"), "cos:PutObject"))
    XCTAssertTrue(try allows(.cam, cam() + "," + cam("deny", "name/cos:PutObject"), "cos:GetObject"))
  }

  func testActionsMatchByNameAndByPattern() throws {
    for (pattern, fits) in [
      ("oss:GetObject", true), ("oss:Get*", true), ("oss:*", true), ("OSS:getobject", true), ("oss:GetObject?", false),
      ("oss:Get?bject", true), ("oss:PutObject", false), ("oss:GetObjectAcl", false), ("ecs:*", false),
    ] {
      XCTAssertEqual(try allows(.ram, ram("Allow", #""Action":"\#(pattern)""#), "oss:GetObject"), fits, pattern)
    }
    for (pattern, fits) in [
      ("name/cos:GetObject", true), ("cos:GetObject", true), ("name/cos:*", true), ("name/cos:getObject", false),
      ("name/ci:*", false),
    ] {
      XCTAssertEqual(try allows(.cam, cam("allow", pattern), "cos:GetObject"), fits, pattern)
    }
    let others = ram("Allow", #""NotAction":["oss:Delete*","oss:PutObject"]"#)
    XCTAssertTrue(try allows(.ram, others, "oss:GetObject"))
    XCTAssertFalse(try allows(.ram, others, "oss:DeleteObject"))
    XCTAssertFalse(try allows(.ram, others, "oss:PutObject"))
  }

  func testResourcesMatchPartByPart() throws {
    for (pattern, name, fits) in [
      ("acs:oss:*:*:photos-1250000000/uploads/alice/*", Self.object, true),
      ("acs:oss:*:*:*", Self.object, true), ("acs:oss:cn-hangzhou:*:*", Self.object, true),
      ("acs:oss:oss-cn-hangzhou:1250000000:*", Self.object, true), ("acs:oss:cn-beijing:*:*", Self.object, false),
      ("acs:oss:*:7:*", Self.object, false), ("acs:ecs:*:*:*", Self.object, false),
      ("acs:oss:*:*:photos-1250000000", Self.object, false),
      ("acs:oss:*:*:photos-1250000000/uploads/al?ce/cat.jpg", Self.object, true),
      ("acs:oss:*:*:photos-1250000000/uploads/alice/*", "archive/x:photos-1250000000/uploads/alice/a", false),
      ("acs:oss:*:*:photos-1250000000/é", "photos-1250000000/e\u{301}", false),
    ] {
      XCTAssertEqual(
        try allows(.ram, ram("Allow", #""Action":"*""#, pattern), "oss:GetObject", name), fits, "\(pattern) \(name)")
    }
    for (pattern, fits) in [
      ("qcs::cos:ap-guangzhou:uid/1250000000:photos-1250000000/uploads/alice/*", true), ("qcs::cos:*:*:*", true),
      ("qcs::cos:ap-guangzhou:uid/1250000000:prefix//1250000000/photos/uploads/alice/*", true),
      ("qcs::cos:ap-guangzhou:uid/1250000000:prefix//1250000001/photos/uploads/alice/*", false),
      ("qcs::cos:ap-guangzhou:uid/1250000000:photos/uploads/alice/*", false),
      ("qcs::cos:ap-beijing:uid/1250000000:photos-1250000000/*", false),
      ("qcs::cos:ap-guangzhou:uid/1250000001:photos-1250000000/*", false),
      ("qcs::ci:ap-guangzhou:uid/1250000000:bucket/photos-1250000000/*", false),
    ] {
      XCTAssertEqual(try allows(.cam, cam("allow", "*", pattern), "cos:GetObject"), fits, pattern)
    }
  }

  func testEveryRAMComparison() throws {
    let facts = [
      "oss:Prefix": "a/b", "acs:SourceIp": "192.168.1.7", "acs:CurrentTime": "2026-11-20T08:00:00Z",
      "acs:SecureTransport": "false", "acs:UserAgent": "5",
    ]
    for (condition, holds) in [
      (#""StringEquals":{"oss:Prefix":"a/b"}"#, true), (#""StringEquals":{"oss:Prefix":"a/*"}"#, false),
      (#""StringNotEquals":{"oss:Prefix":["x","a/b"]}"#, false), (#""StringNotEquals":{"oss:Prefix":"A/B"}"#, true),
      (#""StringEqualsIgnoreCase":{"oss:Prefix":"A/B"}"#, true),
      (#""StringNotEqualsIgnoreCase":{"oss:Prefix":"A/B"}"#, false),
      (#""StringLike":{"oss:Prefix":["x","a/*"]}"#, true), (#""StringLike":{"oss:Prefix":"?/?"}"#, true),
      (#""StringNotLike":{"oss:Prefix":"a/*"}"#, false), (#""NumericEquals":{"acs:UserAgent":5}"#, true),
      (#""NumericNotEquals":{"acs:UserAgent":"5"}"#, false), (#""NumericLessThan":{"acs:UserAgent":5}"#, false),
      (#""NumericLessThanEquals":{"acs:UserAgent":5}"#, true), (#""NumericGreaterThan":{"acs:UserAgent":4}"#, true),
      (#""NumericGreaterThanEquals":{"acs:UserAgent":6}"#, false), (#""NumericEquals":{"oss:Prefix":5}"#, false),
      (#""DateLessThan":{"acs:CurrentTime":"2026-11-20T08:00:01Z"}"#, true),
      (#""DateLessThan":{"acs:CurrentTime":"2026-11-20T16:00:00+08:00"}"#, false),
      (#""DateLessThanEquals":{"acs:CurrentTime":"2026-11-20T16:00:00+08:00"}"#, true),
      (#""DateGreaterThan":{"acs:CurrentTime":"2026-11-20T08:00:00Z"}"#, false),
      (#""DateGreaterThanEquals":{"acs:CurrentTime":"2026-11-20T08:00:00Z"}"#, true),
      (#""DateEquals":{"acs:CurrentTime":"2026-11-20T08:00:00Z"}"#, true),
      (#""DateNotEquals":{"acs:CurrentTime":"2026-11-20T08:00:00Z"}"#, false),
      (#""Bool":{"acs:SecureTransport":"true"}"#, false), (#""Bool":{"acs:SecureTransport":false}"#, true),
      (#""IpAddress":{"acs:SourceIp":["10.0.0.0/8","192.168.0.0/16"]}"#, true),
      (#""IpAddress":{"acs:SourceIp":"192.168.1.70/24"}"#, true),
      (#""IpAddress":{"acs:SourceIp":"10.0.0.0/8"}"#, false),
      (#""NotIpAddress":{"acs:SourceIp":"192.168.1.7"}"#, false),
      (#""NotIpAddress":{"acs:SourceIp":"10.0.0.1"}"#, true),
      (#""StringEquals":{"oss:Prefix":"a/b","acs:UserAgent":"6"}"#, false),
      (#""StringEquals":{"oss:Prefix":"a/b"},"Bool":{"acs:SecureTransport":"true"}"#, false),
      // A missing request attribute does not match; a negated condition then applies only to a deny.
      (#""StringLike":{"oss:Delimiter":"*"}"#, false), (#""StringNotLike":{"oss:Delimiter":"/"}"#, false),
    ] {
      XCTAssertEqual(
        try allows(.ram, ram(if: condition), "oss:ListObjects", Self.object, facts), holds, condition)
    }
    let denial = ram() + "," + ram("Deny", if: #""StringNotLike":{"oss:Delimiter":"/"}"#)
    XCTAssertFalse(try allows(.ram, denial, "oss:ListObjects", Self.object, facts))
  }

  func testEveryCAMComparison() throws {
    let facts = ["cos:content-length": "10", "cos:content-type": "image/png", "qcs:ip": "10.217.182.9"]
    for (condition, holds) in [
      (#""string_equal":{"cos:content-type":"image/png"}"#, true),
      (#""string_not_equal":{"cos:content-type":"image/png"}"#, false),
      (#""string_equal_ignore_case":{"cos:content-type":"IMAGE/png"}"#, true),
      (#""string_not_equal_ignore_case":{"cos:content-type":"IMAGE/png"}"#, false),
      (#""string_like":{"cos:content-type":"image/*"}"#, true),
      (#""string_not_like":{"cos:content-type":"i*"}"#, false),
      (#""numeric_less_than_equal":{"cos:content-length":10}"#, true),
      (#""numeric_less_than":{"cos:content-length":10}"#, false),
      (#""numeric_greater_than_if_exist":{"cos:content-length":10}"#, false),
      (#""numeric_greater_than_equal":{"cos:content-length":"10"}"#, true),
      (#""numeric_equal":{"cos:content-length":[9,10]}"#, true),
      (#""numeric_not_equal":{"cos:content-length":[9,10]}"#, false),
      (#""ip_equal":{"qcs:ip":["10.217.182.3/24","111.21.33.72/24"]}"#, true),
      (#""ip_not_equal":{"qcs:ip":"10.217.182.3/24"}"#, false), (#""null_equal":{"cos:prefix":"true"}"#, true),
      (#""null_equal":{"cos:content-type":true}"#, false),
      // A missing parameter matches only comparisons with the suffix `if_exist`.
      (#""string_equal":{"cos:versionid":"7"}"#, false), (#""string_equal_if_exist":{"cos:versionid":"7"}"#, true),
      (#""string_not_equal":{"cos:versionid":""}"#, false),
      (#""string_not_equal_if_exist":{"cos:versionid":"7"}"#, true),
    ] {
      XCTAssertEqual(try allows(.cam, cam(if: condition), "cos:PutObject", Self.object, facts), holds, condition)
    }
  }

  func testCAMAcceptsCapitalizedElementNames() throws {
    let statement = #"{"Effect":"Allow","Action":["name/cos:GetBucket"],"Resource":"*"}"#
    XCTAssertTrue(try allows(.cam, statement, "cos:GetBucket"))
  }

  func testPatternWithManyAsterisksIsMatchedQuickly() {
    let pattern = WildcardPattern(String(repeating: "a*", count: 400) + "b")
    XCTAssertFalse(pattern.matches(String(repeating: "a", count: 1000)))
    for (pattern, text, fits) in [
      ("", "", true), ("*", "", true), ("?", "", false), ("a*b*c", "aXbXbc", true), ("a*b", "ab/", false),
      ("**a", "a", true), ("?", "é", true), ("a?", "a", false), ("*?", "😀", true),
    ] {
      XCTAssertEqual(WildcardPattern(pattern).matches(text), fits, "\(pattern) \(text)")
    }
  }
}
