// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import HTTPTypes
import StorageClient
import XCTest

/// Tests `storage-auth explain` and `storage-auth verify`.
final class ExplainCommandTests: XCTestCase {
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": "not-a-secret"]
  private static let cosVariables = [
    "TENCENTCLOUD_SECRET_ID": key.id.string, "TENCENTCLOUD_SECRET_KEY": "not-a-secret",
  ]
  private static let url = "https://photos.oss-cn-hangzhou.aliyuncs.com/my%20cat?acl"
  private static let date = "2026-11-20T08:00:00Z"

  /// Returns the options that pass the headers of a signed request.
  private func headers(
    _ url: String, _ arguments: [String] = [], _ variables: [String: String] = variables
  ) async throws -> [String] {
    let signed = try await Programs.storageAuth(["sign", "PUT", url, "--date", Self.date] + arguments, variables)
    XCTAssertEqual(signed.status, 0, signed.errors)
    return signed.output.split(separator: "\n").flatMap { ["-H", String($0)] }
  }

  private func answer(_ text: String) -> [UInt8] {
    Array(
      "<Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message><StringToSign>\(text)</StringToSign></Error>".utf8
    )
  }

  func testErrorResponseIsExplained() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(
      answer("PUT\n\ntext/plain\nFri, 20 Nov 2026 08:00:00 GMT\n/photos/my cat?acl"), to: "answer.xml")
    let request = ["PUT", Self.url] + (try await headers(Self.url, ["--signature", "v1"]))
    let text = try await Programs.storageAuth(["explain"] + request + ["--answer", file.string])
    XCTAssertEqual(text.status, 0, text.errors)
    XCTAssertTrue(
      text.output.hasPrefix("cause   contentTypeAdded\nline    Content-Type\nsent    (none)\nseen    text/plain\n"),
      text.output)
    let json = try await Programs.storageAuth(["explain", "--json"] + request + ["--answer", file.string])
    let piped = try await Programs.storageAuth(
      ["explain"] + request, input: "PUT\n\ntext/plain\nFri, 20 Nov 2026 08:00:00 GMT\n/photos/my cat?acl\n")
    XCTAssertEqual(piped.output, text.output, piped.errors)
    let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    XCTAssertEqual(object["cause"] as? String, "contentTypeAdded")
    XCTAssertEqual(object["seen"] as? String, "text/plain")
    XCTAssertTrue(object["sent"] is NSNull)
  }

  func testRequestCanBeACurlCommandOrAJSONObject() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(
      answer("PUT\n\n\nFri, 20 Nov 2026 08:00:00 GMT\n/photos/my+cat?acl"), to: "answer.xml"
    ).string
    let fields = try await headers(Self.url, ["--signature", "v1"]).filter { $0 != "-H" }
    let curl = "curl -sS -XPUT \\\n " + fields.map { "-H '\($0)' " }.joined() + "\"\(Self.url)\" -o out"
    let pairs = fields.map { field -> [String] in
      let parts = field.split(separator: ":", maxSplits: 1)
      return [String(parts[0]), String(parts[1].dropFirst())]
    }
    let object = try JSONSerialization.data(withJSONObject: ["method": "PUT", "url": Self.url, "headers": pairs])
    var members: [String: Any] = Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
    members["x-oss-meta-n"] = 3
    let numbered = try directory.write(
      answer("PUT\n\n\nFri, 20 Nov 2026 08:00:00 GMT\nx-oss-meta-n:3\n/photos/my+cat?acl"), to: "numbered.xml"
    ).string
    let fieldsByName = try JSONSerialization.data(
      withJSONObject: ["method": "PUT", "url": Self.url, "headers": members])
    for (text, file) in [(Array(curl.utf8), file), (Array(object), file), (Array(fieldsByName), numbered)] {
      let request = try directory.write(text, to: "request").string
      let outcome = try await Programs.storageAuth(["explain", "--request", request, "--answer", file])
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      XCTAssertTrue(outcome.output.hasPrefix("cause   plusForSpace\nline    path\n"), outcome.output)
      XCTAssertFalse(outcome.output.contains("also"), outcome.output)
    }
  }

  func testStringToSignOfAnotherProgramCanBeCompared() async throws {
    let directory = try TemporaryDirectory(self)
    let seen = "PUT\n\n\nFri, 20 Nov 2026 08:00:00 GMT\n/photos/my cat?acl"
    let file = try directory.write(answer(seen), to: "answer.xml").string
    let signed = try directory.write(
      Array((seen.replacing("/photos/my cat?acl", with: "/my cat?acl") + "\n").utf8), to: "signed"
    ).string
    let request = ["PUT", Self.url] + (try await headers(Self.url, ["--signature", "v1"]))
    let outcome = try await Programs.storageAuth(
      ["explain"] + request + ["--answer", file, "--string-to-sign", signed])
    XCTAssertTrue(outcome.output.hasPrefix("cause   bucketMissing\n"), outcome.output + outcome.errors)
    XCTAssertFalse(outcome.output.contains("also"), outcome.output)
  }

  func testUnexplainableInputIsReported() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(Array("<Error><Code>NoSuchKey</Code></Error>".utf8), to: "answer.xml").string
    let incomplete = try directory.write(
      Array(#"{"method":"GET","url":"https://a.example","headers":{"Date":null}}"#.utf8), to: "request"
    ).string
    for (arguments, status, words) in [
      (["explain", "GET", Self.url, "--answer", file], 1, "not about the signature"),
      (["explain", "GET", Self.url, "--answer", "/nowhere/file"], 64, "cannot be read"),
      (["explain", "--answer", file], 64, "METHOD"),
      (["explain", "--request", incomplete, "--answer", file], 64, "no value"),
      (["explain", "GET", "https://example.com/a", "--answer", file], 64, "--provider"),
    ] as [([String], Int32, String)] {
      let outcome = try await Programs.storageAuth(arguments)
      XCTAssertEqual(outcome.status, status, outcome.errors)
      XCTAssertTrue(outcome.errors.contains(words), outcome.errors)
    }
  }

  func testSignedRequestIsVerified() async throws {
    let cosURL = "https://photos-1250000000.cos.ap-guangzhou.myqcloud.com/cat.jpg"
    for (url, variables, arguments) in [
      (Self.url, Self.variables, []), (Self.url, Self.variables, ["--signature", "v1"]),
      (cosURL, Self.cosVariables, []),
    ] {
      let fields = try await headers(url, arguments, variables)
      let verified = try await Programs.storageAuth(
        ["verify", "PUT", url, "--date", Self.date, "--strict"] + fields, variables)
      XCTAssertEqual(verified.status, 0, verified.output + verified.errors)
      XCTAssertTrue(verified.output.hasPrefix("verified\nid        \(key.id)\n"), verified.output)
      let changed = try await Programs.storageAuth(
        ["verify", "PUT", url + "x", "--date", Self.date, "--explain"] + fields, variables)
      XCTAssertEqual(changed.status, 1)
      XCTAssertTrue(changed.output.hasPrefix("refused  mismatch"), changed.output)
      XCTAssertTrue(changed.errors.contains("--- string to sign"), changed.errors)
      let late = try await Programs.storageAuth(
        ["verify", "PUT", url, "--date", "2026-11-20T10:00:00Z"] + fields, variables)
      XCTAssertEqual(late.status, 1)
    }
    let stranger = try await Programs.storageAuth(
      ["verify", "PUT", Self.url, "--date", Self.date] + (try await headers(Self.url)),
      ["OSS_ACCESS_KEY_ID": "another", "OSS_ACCESS_KEY_SECRET": "another"])
    XCTAssertEqual(stranger.status, 1)
    XCTAssertTrue(stranger.output.contains("unknownKey"), stranger.output)
  }

  func testPresignedURLIsVerified() async throws {
    for (url, variables) in [
      (Self.url, Self.variables),
      ("https://photos-1250000000.cos.ap-guangzhou.myqcloud.com/cat.jpg", Self.cosVariables),
    ] {
      let signed = try await Programs.storageAuth(["presign", "GET", url, "--date", Self.date], variables)
      let line = try XCTUnwrap(signed.output.split(separator: "\n").first)
      let verified = try await Programs.storageAuth(["verify", "GET", String(line), "--date", Self.date], variables)
      XCTAssertEqual(verified.status, 0, verified.output + verified.errors)
      XCTAssertTrue(verified.output.contains("until     2026-11-20T09:00:00Z"), verified.output)
      let other = try await Programs.storageAuth(["verify", "PUT", String(line), "--date", Self.date], variables)
      XCTAssertEqual(other.status, 1)
    }
  }
}
