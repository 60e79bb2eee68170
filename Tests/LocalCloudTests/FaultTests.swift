// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests that injected faults happen, and happen only when they are configured.
final class FaultTests: ServicesTestCase {
  /// Records the requested delays without waiting.
  private final class Waits: Sendable {
    let durations = Lock<[Duration]>([])
  }

  private func withFaults(
    _ faults: [LocalCloud.Fault], _ body: (TestClient, Waits) async throws -> Void
  ) async throws {
    for provider in [LocalCloud.Provider.oss, .cos] {
      let waits = Waits()
      var configuration = configuration
      configuration.faults[provider == .oss ? .oss : .cos] = faults
      configuration.sleep = { duration in waits.durations.withLock { $0.append(duration) } }
      let cloud = try await LocalCloud.start(configuration)
      do {
        try await body(TestClient(cloud: cloud, provider: provider, key: Self.key, clock: clock), waits)
      } catch {
        await cloud.stop()
        throw error
      }
      await cloud.stop()
    }
  }

  /// Returns the status of a PUT, or `nil` if no response was received.
  private func put(_ key: String, _ client: TestClient) async throws -> Int? {
    do {
      return try await client.send(.put, key, body: [1, 2, 3]).status
    } catch is HTTPClientError {
      return nil
    } catch is any LocalizedError {
      return nil
    }
  }

  /// Removes the fault and returns the number of PUTs of each object.
  private func writes(_ client: TestClient) async throws -> [String: Int] {
    client.cloud.faults[client.provider == .oss ? .oss : .cos] = []
    let list = try await client.send(.get)
    let keys = try list.document.all("Contents").compactMap { $0["Key"]?.text }
    let counts = client.cloud.writes(of: client.provider, in: Self.bucket)
    XCTAssertEqual(Set(keys), Set(counts.keys))
    return counts
  }

  func testEveryNthResponseIsAServerErrorWithoutAnEffect() async throws {
    try await withFaults([.serverError(.every(3))]) { client, _ in
      var statuses: [Int?] = []
      for number in 1...6 { statuses.append(try await put("\(number)", client)) }
      XCTAssertEqual(statuses, [200, 200, 500, 200, 200, 500])
      let writes = try await writes(client)
      XCTAssertEqual(writes, ["1": 1, "2": 1, "4": 1, "5": 1])
      let statistics = client.cloud.statistics[client.provider == .oss ? .oss : .cos]
      XCTAssertEqual(statistics.faults, 2)
      XCTAssertEqual(statistics.requests, 7)
      XCTAssertEqual(statistics.refused, [:])
    }
  }

  func testInjectedErrorHasTheServicesFormat() async throws {
    try await withFaults([.serverError(status: 503)]) { client, _ in
      let reply = try await client.send(.get, "a")
      XCTAssertEqual(reply.status, 503)
      XCTAssertEqual(try reply.errorCode, "ServiceUnavailable")
      XCTAssertEqual(try reply.document["RequestId"]?.text, reply.header("\(client.prefix)request-id"))
    }
  }

  func testErrorCanBeReturnedAfterTheOperation() async throws {
    try await withFaults([.serverError(.first(1), .after)]) { client, _ in
      let statuses = [try await put("a", client), try await put("a", client)]
      XCTAssertEqual(statuses, [500, 200])
      let writes = try await writes(client)
      XCTAssertEqual(writes, ["a": 2])
    }
  }

  func testConnectionCanBeClosedWithoutAResponse() async throws {
    for (phase, count) in [(LocalCloud.Fault.Phase.before, 1), (.after, 2)] {
      try await withFaults([.disconnect(.first(1), phase)]) { client, _ in
        let statuses = [try await put("a", client), try await put("a", client)]
        XCTAssertEqual(statuses, [nil, 200])
        let writes = try await writes(client)
        XCTAssertEqual(writes, ["a": count])
      }
    }
  }

  func testResponseCanBeTruncated() async throws {
    let body = [UInt8](repeating: 7, count: 600_000)
    for bytes in [0, 1, 300_000, 599_999, 1_000_000] {
      try await withFaults([]) { client, _ in
        _ = try await client.send(.put, "a", body: body)
        client.cloud.faults[client.provider == .oss ? .oss : .cos] = [.cut(afterBytes: bytes)]
        let request = try client.signed(client.request(.get, "a"))
        var lines = ["GET \(request.path ?? "") HTTP/1.1", "Host: \(request.authority ?? "")"]
        for field in request.headerFields { lines.append("\(field.name.rawName): \(field.value)") }
        let text = try await RawConnection.exchange(
          RawConnection.head(lines), with: client.cloud.endpoint(of: client.provider), until: { _ in false })
        if bytes == 0 {
          XCTAssertEqual(text, "")
        } else {
          let parts = text.components(separatedBy: "\r\n\r\n")
          XCTAssertTrue(parts[0].lowercased().contains("content-length: 600000"), parts[0])
          XCTAssertEqual(parts.last?.utf8.count, min(bytes, 599_999))
        }
      }
    }
  }

  func testDocumentsCanBeTruncatedAndObjectsAreUnaffected() async throws {
    try await withFaults([]) { client, _ in
      _ = try await client.send(.put, "a", body: [1, 2, 3])
      client.cloud.faults[client.provider == .oss ? .oss : .cos] = [.malformed()]
      let list = try await client.send(.get)
      XCTAssertEqual(list.status, 200)
      XCTAssertThrowsError(try XMLNode.parse(list.body))
      let missing = try await client.send(.get, "b")
      XCTAssertEqual(missing.status, 404)
      XCTAssertThrowsError(try XMLNode.parse(missing.body))
      let object = try await client.send(.get, "a")
      XCTAssertEqual(object.body, [1, 2, 3])
    }
  }

  func testResponseHeadsAndBodiesCanBeDelayed() async throws {
    let body = [UInt8](repeating: 7, count: 600_000)
    try await withFaults([.delay(.seconds(2)), .delay(.seconds(3), .always, .after), .stall(.seconds(5))]) {
      client, waits in
      let put = try await client.send(.put, "a", body: body)
      XCTAssertEqual(put.status, 200)
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.body, body)
      XCTAssertEqual(waits.durations.withLock { $0 }, [2, 3, 5, 2, 3, 5].map { .seconds($0) })
    }
  }

  func testChancesAreTheSameForTheSameSeed() async throws {
    var runs: [[Int?]] = []
    for seed in [1, 1, 2] as [UInt64] {
      try await withFaults([.serverError(.chance(0.5))]) { client, _ in
        client.cloud.faults.seed = seed
        var statuses: [Int?] = []
        for _ in 1...24 { statuses.append(try await put("a", client)) }
        runs.append(statuses)
      }
    }
    XCTAssertEqual(runs[0], runs[2])
    XCTAssertNotEqual(runs[0], runs[4])
    XCTAssertTrue(runs[0].contains(200) && runs[0].contains(500))
  }

  func testWrongServerClockShowsInTheDateAndRejectsCorrectRequests() async throws {
    try await withFaults([]) { client, _ in
      client.cloud.faults.clockOffset = .seconds(-1200)
      let reply = try await client.send(.get)
      XCTAssertEqual(reply.header("date"), clock.now.advanced(by: .seconds(-1200)).httpDate)
      XCTAssertEqual(reply.status, 403)
      client.cloud.faults.clockOffset = .zero
      let right = try await client.send(.get)
      XCTAssertEqual(right.status, 200)
    }
  }

  func testEachServiceHasItsOwnFaults() async throws {
    try await withServices { client in
      let cloud = client.cloud
      let app = client.call(.get, "/oss/distribute-token.json")
      let role = client.call(.get, "/latest/meta-data/cam/security-credentials/localcloud")
      cloud.faults[.appServer] = [.malformed()]
      let half = try await client.send(app)
      XCTAssertEqual(half.status, 200)
      XCTAssertNil(half.json("StatusCode"))
      let whole = try await client.send(role)
      XCTAssertEqual(whole.json("Code"), "Success")
      cloud.faults[.appServer] = []
      cloud.faults[.metadata] = [.serverError(status: 502)]
      let failed = try await client.send(role)
      XCTAssertEqual(failed.status, 502)
      let healed = try await client.send(app)
      XCTAssertEqual(healed.json("StatusCode"), "200")
      cloud.faults[.sts] = [.serverError()]
      let call = try client.acs3(["RoleArn": Self.alibabaRole, "RoleSessionName": "alice"])
      let alibaba = try await client.send(call)
      XCTAssertEqual(alibaba.status, 500)
      XCTAssertEqual(alibaba.json("Code"), "InternalError")
      let assume = try client.tc3("AssumeRole", #"{"RoleArn":"\#(Self.tencentRole)","RoleSessionName":"alice"}"#)
      let tencent = try await client.send(assume)
      XCTAssertEqual(tencent.status, 500)
      XCTAssertEqual(tencent.json("Response", "Error", "Code"), "InternalError")
      cloud.faults[.sts] = []
      let again = try await client.send(call)
      XCTAssertNotNil(again.alibabaKey, "the nonce was not recorded as used")
      XCTAssertEqual(cloud.statistics[.sts].faults, 2)
      XCTAssertEqual(cloud.statistics[.sts].requests, 3)
    }
  }

  func testUnsignedRequestsAreCounted() async throws {
    try await withEachService { client in
      let reply = try await client.send(client.request(.get))
      XCTAssertEqual(reply.status, 403)
      _ = try await client.send(.get)
      let statistics = client.cloud.statistics[client.provider == .oss ? .oss : .cos]
      XCTAssertEqual(statistics.unsigned, 1)
      XCTAssertEqual(statistics.requests, 2)
      XCTAssertEqual(statistics.refused, ["AccessDenied": 1])
    }
  }
}
