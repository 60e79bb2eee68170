// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth
internal import XCTest

/// Tests the server's transfer calls with numbers that the simulator never sends.
final class TransferServerTests: SimulatorTestCase {
  private func call(_ cloud: LocalCloud, _ path: String, _ document: JSONValue?) async throws -> Reply {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(cloud.transferPort)\(path)")
    request.method = document == nil ? .GET : .POST
    if let document { request.body = .bytes(ByteBuffer(bytes: document.serialized)) }
    return try await Reply(request)
  }

  func testOutOfRangeOffsetsAndCountsAreRejected() async throws {
    try await withNode { [self] cloud, _ in
      let file = try write(bytes(1_000), to: "a", in: makeDirectory())
      let sent = try await Simulator.run(arguments("send", cloud, [file], to: "/a"), Self.password)
      XCTAssertEqual(sent.status, 0, sent.errors)

      let opened = try await call(cloud, "/connections", [:]).value
      let id = try XCTUnwrap(opened["connection"]?.string)
      let connection = "/connections/\(id)"
      let login = try await call(cloud, "\(connection)/login", ["user": "mia", "password": "mia-password"])
      XCTAssertEqual(login.status, 200)
      _ = try await call(cloud, "\(connection)/session", ["direction": "receive", "paths": ["/a"]])
      let source = try await call(cloud, "\(connection)/sources", ["path": "/a"]).value
      let number = try XCTUnwrap(source["entries"]?[0]?["file"]?.integer)
      func read(_ offset: Int64, _ count: Int64) async throws -> Int {
        Int(try await call(cloud, "\(connection)/files/\(number)?offset=\(offset)&count=\(count)", nil).status)
      }
      for (offset, count) in [
        (.max, 1), (.max, .max), (1, .max), (.min, 1), (0, .min), (-1, 1), (1_000, 1), (0, 1_001), (0, 0),
      ] as [(Int64, Int64)] {
        let status = try await read(offset, count)
        XCTAssertEqual(status, 403, "\(offset) \(count)")
      }
      let status = try await read(999, 1)
      XCTAssertEqual(status, 200)
    }
  }
}
