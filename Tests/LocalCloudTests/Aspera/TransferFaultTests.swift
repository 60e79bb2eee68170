// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import XCTest

/// Tests faults injected into Aspera transfers.
final class TransferFaultTests: SimulatorTestCase {
  func testEveryErrorCodeCanBeInjected() async throws {
    try await withNode { [self] cloud, client in
      for error in AscpErrorCode.all {
        cloud.faults.transfers = [.failure(code: error.code)]
        let outcome = try await refusal(cloud, user: "mia")
        XCTAssertEqual(outcome.status, 1, error.name)
        XCTAssertEqual(outcome.code, error.code)
        XCTAssertTrue(outcome.text.contains(error.name), outcome.text)
        XCTAssertEqual(cloud.statistics.transfers.faults[error.code], 1)
      }
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [])
      XCTAssertEqual(cloud.statistics.transfers.logins, AscpErrorCode.all.count)
      XCTAssertEqual(cloud.statistics.transfers.sessions, 0)
      XCTAssertEqual(cloud.statistics[.transfer].refused, [:], "injected faults are counted separately")
    }
  }

  func testFailureHappensAtTheRequestedPhase() async throws {
    try await withNode { [self] cloud, client in
      cloud.faults.transfers = [.failure(code: 13, .connecting)]
      var outcome = try await refusal(cloud, user: "mia")
      XCTAssertEqual(outcome.code, 13)
      XCTAssertEqual(cloud.statistics.transfers.logins, 0)

      let file = try write(bytes(10_000), to: "a", in: makeDirectory())
      cloud.faults.transfers = [.failure(code: 16, .afterBytes(4_000), text: "lost")]
      outcome = try await Simulator.run(arguments("send", cloud, [file], to: "/a"), Self.password)
      XCTAssertEqual(outcome.code, 16)
      XCTAssertEqual(outcome.text, "lost")
      XCTAssertEqual(outcome.frames.compactMap(\.transferredByteCount), [4_000])
      XCTAssertEqual(cloud.statistics.transfers.sessions, 1)
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [])

      cloud.faults.transfers = [.failure(code: 12, .afterBytes(20_000))]
      outcome = try await Simulator.run(arguments("send", cloud, [file], to: "/a"), Self.password)
      XCTAssertEqual(outcome.code, 12, "a transfer of fewer bytes fails at its end")
      XCTAssertEqual(outcome.frames.compactMap(\.transferredByteCount), [10_000])
      XCTAssertEqual(cloud.statistics.transfers.completed, 0)
    }
  }

  func testFailuresAffectTheFirstOrEveryNthTransfer() async throws {
    try await withNode { [self] cloud, _ in
      func codes(_ count: Int) async throws -> [Int?] {
        var codes: [Int?] = []
        for _ in 0..<count { codes.append(try await refusal(cloud, user: "mia").code) }
        return codes
      }
      cloud.faults.transfers = [.tokenExpired(.first(2))]
      var seen = try await codes(3)
      XCTAssertEqual(seen, [34, 34, nil])
      cloud.faults.transfers = [.failure(code: 40, .connecting, .every(3)), .tokenRefused(.every(2), .afterBytes(1))]
      seen = try await codes(6)
      XCTAssertEqual(seen, [nil, 34, 40, 34, nil, 40])
    }
  }

  func testInjectedTokenErrorsHaveTheirFailureClass() async throws {
    try await withNode { [self] cloud, _ in
      cloud.faults.transfers = [.tokenExpired()]
      var outcome = try await refusal(cloud, user: "mia")
      XCTAssertEqual(outcome.frames.last?.failureClass, .tokenExpired)
      cloud.faults.transfers = [.tokenRefused()]
      outcome = try await refusal(cloud, user: "mia")
      XCTAssertEqual(outcome.frames.last?.failureClass, .tokenRejected)
    }
  }

  func testFailingTransferEndpointIsALostConnection() async throws {
    try await withNode { [self] cloud, _ in
      cloud.faults[.transfer] = [.disconnect(.every(3))]
      var outcome = try await refusal(cloud, user: "mia")
      XCTAssertEqual(outcome.code, 16)
      cloud.faults[.transfer] = [.serverError(status: 503, .every(2))]
      outcome = try await refusal(cloud, user: "mia")
      XCTAssertEqual(outcome.code, 12)
    }
  }
}
