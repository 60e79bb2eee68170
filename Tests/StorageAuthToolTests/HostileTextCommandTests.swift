// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests that control characters in keys do not reach the terminal of the command line.
final class HostileTextCommandTests: XCTestCase {
  private static let hostile = "a\u{1B}]0;owned\u{7}\u{9B}2K\r\nError: fake\u{202E}gpj\u{2028}\u{7F}\u{200B}z"

  func testCommandLineOutputContainsNoControlCharacters() async throws {
    try await withCommandLine { environment, arguments, upload in
      try await upload(Self.hostile)
      let list = try await Programs.storageAuth(["ls", "-r"] + arguments, environment)
      XCTAssertEqual(list.status, 0, list.errors)
      XCTAssertEqual(list.output.split(separator: "\n").count, 1, list.output)
      XCTAssertFalse(list.output.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
      XCTAssertTrue(list.output.contains(#"a\u{1B}]0;owned\u{7}\u{9B}2K\r\nError: fake\u{202E}gpj"#), list.output)
      let json = try await Programs.storageAuth(["ls", "-r", "--json"] + arguments, environment)
      XCTAssertTrue(json.output.utf8.allSatisfy { (0x20..<0x7f).contains($0) || $0 == 0x0a }, json.output)
      let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      XCTAssertEqual(object?["key"] as? String, Self.hostile)
      let gone = try await Programs.storageAuth(
        ["cp", "\(arguments[0])\(Self.hostile)x", "/nonexistent/x"] + arguments.dropFirst(), environment)
      XCTAssertNotEqual(gone.status, 0)
      XCTAssertFalse(gone.errors.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
      let names = ["x", "y"].map { "\(arguments[0])\(Self.hostile)\($0)" }
      let several = try await Programs.storageAuth(
        ["cp"] + names + [try TemporaryDirectory(self).url.path] + arguments.dropFirst(), environment)
      XCTAssertEqual(several.status, 1, several.errors)
      XCTAssertFalse(several.errors.contains("\nError: fake"), several.errors)
    }
  }

  private func withCommandLine(
    _ body: ([String: String], [String], (String) async throws -> Void) async throws -> Void
  ) async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    let endpoint = "http://\(cloud.ossEndpoint.authority)"
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: cloud.ossEndpoint), credentials: key)
    do {
      try await body(
        ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()],
        ["oss://photos/", "--endpoint", endpoint, "--region", "cn-hangzhou"]
      ) { name in _ = try await client.upload([1], to: name) }
    } catch {
      await cloud.stop()
      throw error
    }
    await cloud.stop()
  }
}
