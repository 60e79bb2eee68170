// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer

/// Tests the transfer ID in the tags by which Aspera on Cloud assigns transfers to packages.
final class QueueTransferIDTests: XCTestCase {
  /// Runs sessions with the given tags, the first attempt of each of which fails, and returns the tags of all attempts.
  private func sentTags(_ tags: [String: TransferSpec]) async throws -> [String: [JSONObject?]] {
    let sent = Lock<[String: [JSONObject?]]>([:])
    let time = ManualClock()
    let bench = try QueueBench(
      ScriptedEngine { attempt throws(TransferFailure) in
        sent.withLock { $0[attempt.session, default: []].append(attempt.spec.tags) }
        guard attempt.number == 1 else { return try await ScriptedEngine.succeeding(attempt) }
        throw .expiredToken
      }, issuer: ScriptedIssuer(life: nil, time: time), time: time)
    for (name, specification) in tags {
      var session = TransferSession.sample(name)
      session.specification.fields["tags"] = specification.fields["tags"]
      session.specification.fields["tags64"] = specification.fields["tags64"]
      bench.queue.add(session)
    }
    for name in tags.keys { _ = await bench.finished(name) }
    return sent.withLock { $0 }
  }

  private func specification(_ json: String) throws -> TransferSpec { try TransferSpec(json: Array(json.utf8)) }

  func testAttemptsOfATransferHaveTheSameIDAndTransfersDifferentOnes() async throws {
    let tags = try specification(#"{"tags":{"aspera":{"node":{"file_id":"7"}},"own":1}}"#)
    let text = Data(#"{"aspera":{}}"#.utf8).base64EncodedString()
    let encoded = try specification(#"{"tags64":"\#(text)"}"#)
    let sent = try await sentTags(["a": tags, "b": encoded])
    var ids: Set<String> = []
    for (name, attempts) in sent {
      XCTAssertEqual(attempts.count, 2, name)
      let found = attempts.map { $0?["aspera"]?["xfer_id"]?.string ?? "" }
      XCTAssertEqual(Set(found).count, 1, "\(name): \(found)")
      XCTAssertNotNil(UUID(uuidString: found.first ?? ""), "\(found)")
      ids.formUnion(found)
      XCTAssertEqual(attempts.map { $0?["aspera"]?["xfer_retry"]?.integer }, [3600, 3600], name)
    }
    XCTAssertEqual(ids.count, 2)
    XCTAssertEqual(sent["a"]?.first??["aspera"]?["node"]?["file_id"]?.string, "7")
    XCTAssertEqual(sent["a"]?.first??["own"]?.integer, 1)
  }

  func testIDOfTheCallerAndTagsOfOtherApplicationsAreUnchanged() async throws {
    let own = try specification(#"{"tags":{"aspera":{"xfer_id":"mine","xfer_retry":5}}}"#)
    let partial = try specification(#"{"tags":{"aspera":{"xfer_id":"mine"}}}"#)
    let other = try specification(#"{"tags":{"app":{"xfer":1}}}"#)
    let sent = try await sentTags(["own": own, "partial": partial, "other": other])
    for name in ["own", "partial"] {
      XCTAssertEqual(sent[name]?.map { $0?["aspera"]?["xfer_id"]?.string }, ["mine", "mine"])
    }
    XCTAssertEqual(sent["own"]?.first??["aspera"]?["xfer_retry"]?.integer, 5)
    XCTAssertEqual(sent["partial"]?.first??["aspera"]?["xfer_retry"]?.integer, 3600)
    XCTAssertEqual(sent["other"]?.first??.names, ["app"])
  }
}
