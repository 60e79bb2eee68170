// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests that `explain` and `verify` find what was signed, with the key of the default sources.
final class ExplainSearchTests: XCTestCase {
  private static let variables = [
    "OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal(),
    "TENCENTCLOUD_SECRET_ID": key.id.string, "TENCENTCLOUD_SECRET_KEY": key.secret.reveal(),
    "AWS_ACCESS_KEY_ID": key.id.string, "AWS_SECRET_ACCESS_KEY": key.secret.reveal(),
  ]

  private func request(_ method: HTTPRequest.Method, _ url: String, _ type: String?) -> HTTPRequest {
    let rest = url.dropFirst("http://".count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var request = HTTPRequest(
      method: method, scheme: "http", authority: String(rest[..<slash]), path: String(rest[slash...]))
    request.headerFields[.contentType] = type
    return request
  }

  /// Returns the members of the only line of JSON.
  private func object(_ outcome: Programs.Outcome) throws -> JSONValue {
    try JSONValue(parsing: Array(outcome.output.utf8))
  }

  // matrix: OSS V1: diagnosis
  // matrix: OSS V4: diagnosis
  // matrix: COS V5: diagnosis
  // matrix: S3 V4: diagnosis
  func testMistakesWithAPresignedURLAreNamed() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    let directory = try TemporaryDirectory(self)
    let services = [
      ("oss", cloud.server.ossEndpoint, ["--signature", "v1"]), ("oss", cloud.server.ossEndpoint, []),
      ("cos", cloud.server.cosEndpoint, []), ("s3", cloud.server.s3Endpoint, ["--region", "us-east-1"]),
    ]
    for (name, endpoint, options) in services {
      let presigned = try await Programs.storageAuth(
        ["presign", "PUT", "\(name)://\(Cloud.bucket)/cat.jpg", "--endpoint", "http://\(endpoint.authority)"] + options,
        Self.variables)
      let url = String(try XCTUnwrap(presigned.output.split(separator: "\n").first, presigned.errors))
      var mistakes: [(String, HTTPRequest.Method, String, String?)] = [("methodChanged", .get, url, nil)]
      if name != "cos" { mistakes.append(("parameterAdded", .put, "\(url)&acl=", nil)) }
      if name == "oss" { mistakes.append(("contentTypeAdded", .put, url, "text/plain")) }
      for (cause, method, url, type) in mistakes {
        let reply = try await NetworkTransport.shared.send(request(method, url, type), body: .none)
        let body = try await reply.body.collected(upTo: 1 << 16) ?? []
        XCTAssertEqual(reply.response.status.code, 403, "\(name) \(cause)")
        let answer = try directory.write(body, to: "answer").string
        let sent = [method.rawValue, url] + (type.map { ["-H", "Content-Type: \($0)"] } ?? []) + ["--no-metadata"]
        let found = try await Programs.storageAuth(
          ["explain"] + sent + ["--answer", answer, "--json", "--status", "403"], Self.variables)
        XCTAssertEqual(try object(found)["cause"]?.string, cause, "\(name) \(found.output)\(found.errors)")
        XCTAssertEqual(try object(found)["basis"], "proven")
        XCTAssertEqual(try object(found)["needs"], .null)
        let blind = try await Programs.storageAuth(
          ["explain"] + sent + ["--answer", answer, "--json", "--status", "403"])
        XCTAssertEqual(try object(blind)["cause"], "unknown", "\(name) \(cause) \(blind.output)")
        XCTAssertTrue(try object(blind)["needs"]?.string?.contains(key.id.string) ?? false, blind.output)
        let text = try await Programs.storageAuth(["explain"] + sent + ["--answer", answer, "--status", "403"])
        XCTAssertTrue(text.output.contains("needs   The key \(key.id.string)"), text.output)
        XCTAssertFalse((found.output + blind.output).contains("wrongSecret"))
        let verified = try await Programs.storageAuth(["verify", "--json"] + sent, Self.variables)
        XCTAssertEqual(verified.status, 1)
        XCTAssertEqual(try object(verified)["diagnosis"]?["cause"]?.string, cause, "\(name) \(verified.output)")
      }
    }
  }

  func testWrongSecretOfTheDefaultSourcesIsNamed() async throws {
    let cloud = try await Cloud(self, isStrict: false)
    let directory = try TemporaryDirectory(self)
    let wrong = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": "another"]
    let location = ["oss://\(Cloud.bucket)/cat.jpg", "--endpoint", "http://\(cloud.server.ossEndpoint.authority)"]
    let presigned = try await Programs.storageAuth(["presign"] + location, wrong)
    let url = String(try XCTUnwrap(presigned.output.split(separator: "\n").first, presigned.errors))
    let reply = try await NetworkTransport.shared.send(request(.get, url, nil), body: .none)
    let answer = try directory.write(try await reply.body.collected(upTo: 1 << 16) ?? [], to: "answer").string
    for (variables, cause) in [(wrong, "wrongSecret"), (Self.variables, "unknown"), ([:], "unknown")] {
      let found = try await Programs.storageAuth(
        ["explain", "GET", url, "--answer", answer, "--json", "--no-metadata"], variables)
      XCTAssertEqual(try object(found)["cause"]?.string, cause, found.output + found.errors)
    }
  }
}
