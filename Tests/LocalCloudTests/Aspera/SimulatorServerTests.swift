// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import XCTest

@testable import StorageAuthTesting

/// Tests what the simulator accepts from a transfer server that does not follow the protocol.
final class SimulatorServerTests: SimulatorTestCase {
  func testSourcesThatLeadOutOfTheDestinationAreRefused() async throws {
    for path in ["../escaped", "a/../../escaped", "/escaped", "a//b", "."] {
      let there = try makeDirectory()
      let outcome = try await receive(
        into: "\(there)/in", ["entries": [["below": ""], ["below": .string(path), "modified": 1]]])
      XCTAssertEqual(outcome.code, 1, path)
      XCTAssertEqual(try tree(there), [], path)
    }
  }

  func testMissingListOfSourcesIsRefused() async throws {
    for answer in [[:], ["entries": [["modified": 1]]], ["entries": "none"]] as [JSONValue] {
      let outcome = try await receive(into: makeDirectory(), answer)
      XCTAssertEqual(outcome.status, 1, "\(answer)")
      XCTAssertEqual(outcome.code, 1, "\(answer)")
    }
  }

  /// Runs a download from a server that lists the files of the source in a given way.
  private func receive(into folder: String, _ sources: JSONValue) async throws -> SimulatorOutcome {
    let server = try LoopbackServer(patience: .seconds(20)) { connection in
      while true {
        let request = try connection.readRequest()
        let answer: JSONValue =
          switch request.path.split(separator: "/").last {
          case "connections": ["connection": "1", "host_key": "none"]
          case "sources": sources
          default: [:]
          }
        let body = answer.serialized
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        try connection.send(body)
      }
    }
    defer { server.stop() }
    return try await Simulator.run(
      [
        "-q", "--mode", "recv", "--host", "127.0.0.1", "--user", "mia", "-P", "\(server.port)", "-d", "--dest64", "/up",
        base64(folder),
      ], Self.password)
  }
}
