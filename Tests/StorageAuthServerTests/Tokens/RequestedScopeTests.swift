// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import StorageAuth
import StorageAuthServer
import XCTest

/// Tests the list of scopes that clients of COS post.
final class RequestedScopeTests: XCTestCase {
  private func scopes(_ body: String) async throws -> [RequestedScope] {
    var request = Request(
      head: HTTPRequest(method: .post, scheme: "http", authority: "app", path: "/"),
      body: RequestBody(buffer: ByteBuffer(string: body)))
    return try await RequestedScope.all(in: &request)
  }

  private func one(_ action: String, _ prefix: String) async throws -> RequestedScope? {
    try await scopes(
      #"[{"action":\#(action),"bucket":"photos-1250000000","region":"ap-guangzhou","prefix":"\#(prefix)"}]"#
    ).first
  }

  func testScopesOfTheSDKsAreParsedAsRules() async throws {
    let table: [(String, String, Set<AccessAction>, ObjectScope)] = [
      (#""name/cos:PutObject""#, "u/mia/*", [.write], .prefix("u/mia/")),
      (#""name/cos:GetObject""#, "u/mia/cat.jpg", [.read], .key("u/mia/cat.jpg")),
      (#"["name/cos:UploadPart","name/cos:DeleteObject"]"#, "/a*", [.write, .delete], .prefix("a")),
      (#"["name/cos:GetBucket"]"#, "*", [.list], .all),
      (#""name/cos:DeleteMultipleObjects""#, "\u{301}*", [.delete], .prefix("\u{301}")),
    ]
    for (action, prefix, actions, keys) in table {
      let scope = try await one(action, prefix)
      XCTAssertEqual(scope?.rule.actions, actions)
      XCTAssertEqual(scope?.rule.objects, keys)
      XCTAssertEqual(scope?.rule.bucket, "photos-1250000000")
      XCTAssertEqual(scope?.region, "ap-guangzhou")
    }
  }

  func testOtherBodiesAreBadRequests() async {
    let scope = #"{"action":"name/cos:GetObject","bucket":"b","region":"r","prefix":"p"}"#
    let bodies = [
      "", "{}", "[]", "[1]", "[\(scope),{}]", scope.replacing("GetObject", with: "PutBucketPolicy"),
      "[\(scope.replacing("name/cos:GetObject", with: "*"))]", "[\(scope.replacing(#""p""#, with: #""""#))]",
      "[\(scope.replacing(#""p""#, with: #""a*b""#))]", "[\(scope.replacing(#""p""#, with: #""a**""#))]",
      "[\(scope.replacing(#""p""#, with: "\"*\u{301}*\""))]", "[\(scope.replacing(#""p""#, with: "\"a*\u{301}\""))]",
      "[\(scope.replacing(#""b""#, with: "1"))]", "[\(scope.replacing(#""name/cos:GetObject""#, with: "[]"))]",
    ]
    for body in bodies {
      do {
        let scopes = try await scopes(body)
        XCTFail("\(body) was read as \(scopes)")
      } catch {
        XCTAssertEqual((error as? HTTPError)?.status, .badRequest, body)
      }
    }
  }

  func testOversizedListIsNotRead() async {
    do {
      _ = try await scopes(String(repeating: " ", count: 70_000))
      XCTFail("an oversized list was read")
    } catch {
      XCTAssertEqual((error as? any HTTPResponseError)?.status, .contentTooLarge)
    }
  }
}
