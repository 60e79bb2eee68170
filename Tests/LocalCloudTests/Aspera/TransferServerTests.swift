// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import LocalCloud
internal import NIOCore
internal import NIOHTTP1
internal import StorageAuth
internal import XCTest

/// Tests the server's transfer calls with numbers, and in orders, that the simulator never sends.
final class TransferServerTests: SimulatorTestCase {
  private func call(_ cloud: LocalCloud, _ path: String, _ document: JSONValue?) async throws -> Reply {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(cloud.transferPort)\(path)")
    request.method = document == nil ? .GET : .POST
    if let document { request.body = .bytes(ByteBuffer(bytes: document.serialized)) }
    return try await Reply(request)
  }

  /// Opens a connection, logs in, and returns the path of the connection's calls.
  private func connect(_ cloud: LocalCloud) async throws -> String {
    let opened = try await call(cloud, "/connections", [:]).value
    let connection = "/connections/\(try XCTUnwrap(opened["connection"]?.string))"
    let login = try await call(cloud, "\(connection)/login", ["user": "mia", "password": "mia-password"])
    XCTAssertEqual(login.status, 200)
    return connection
  }

  func testConnectionHasOneSession() async throws {
    try await withNode { [self] cloud, _ in
      let connection = try await connect(cloud)
      let first = try await call(cloud, "\(connection)/session", ["direction": "receive", "paths": ["/a"]])
      XCTAssertEqual(first.status, 200)
      let second = try await call(cloud, "\(connection)/session", ["direction": "send", "paths": ["/a"]])
      XCTAssertEqual(second.status, 403)
      XCTAssertEqual(cloud.statistics.transfers.sessions, 1)
    }
  }

  func testPolicyForLinksThatIsUnknownIsRejected() async throws {
    try await withNode { [self] cloud, client in
      _ = try await client.create("a", "file", in: "1", "1")
      let connection = try await connect(cloud)
      _ = try await call(cloud, "\(connection)/session", ["direction": "receive", "paths": ["/a"]])
      let accepted = try await call(cloud, "\(connection)/sources", ["path": "/a", "links": "copy"])
      XCTAssertEqual(accepted.status, 200)
      let rejected = try await call(cloud, "\(connection)/sources", ["path": "/a", "links": "maybe"])
      XCTAssertEqual(rejected.status, 403)
    }
  }

  func testPartOfAnUploadOutlivesASessionThatSendsNothing() async throws {
    try await withNode { [self] cloud, _ in
      /// Opens the upload in a new session, and returns the path of the file and the offset at which to continue.
      func open() async throws -> (file: String, offset: Int64?) {
        let connection = try await connect(cloud)
        _ = try await call(cloud, "\(connection)/session", ["direction": "send", "paths": ["/a"]])
        let opened = try await call(
          cloud, "\(connection)/files", ["path": "/a", "bytes": 3, "modified": 1_000, "resume": true]
        ).value
        let file = try XCTUnwrap(opened["file"]?.integer)
        return ("\(connection)/files/\(file)", opened["offset"]?.integer.map { Int64($0) })
      }
      let first = try await open()
      XCTAssertEqual(first.offset, 0)
      var request = HTTPClientRequest(url: "http://127.0.0.1:\(cloud.transferPort)\(first.file)?offset=0")
      request.method = .PUT
      request.body = .bytes(ByteBuffer(bytes: [1, 2]))
      let written = try await Reply(request)
      XCTAssertEqual(written.status, 200)
      for _ in 0..<2 {
        let later = try await open()
        XCTAssertEqual(later.offset, 2, "each session continues where the last one that sent bytes ended")
      }
    }
  }

  func testOutOfRangeOffsetsAndCountsAreRejected() async throws {
    try await withNode { [self] cloud, _ in
      let file = try write(bytes(1_000), to: "a", in: makeDirectory())
      let sent = try await Simulator.run(arguments("send", cloud, [file], to: "/a"), Self.password)
      XCTAssertEqual(sent.status, 0, sent.errors)

      let connection = try await connect(cloud)
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
