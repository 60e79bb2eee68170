// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix
import StorageAuth
import XCTest

/// Sends bytes unchanged to a server on loopback, including those that an HTTP client would normalize or reject.
enum RawExchange {
  /// Sends text and reads until the server closes the connection.
  static func answer(to text: String, at authority: String) async throws -> String {
    let port = try XCTUnwrap(authority.split(separator: ":").last.flatMap { Int($0) })
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var answer = ""
      for try await chunk in inbound { answer += String(buffer: chunk) }
      return answer
    }
  }

  /// The encoding of a request on the wire.
  static func text(_ request: HTTPRequest, target: String) -> String {
    var lines = ["\(request.method) \(target) HTTP/1.1", "Host: \(request.authority ?? "")"]
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    return (lines + ["Connection: close", "", ""]).joined(separator: "\r\n")
  }
}

extension VerifyingBench {
  /// The encoding of a request on the wire.
  func wire(_ request: HTTPRequest, _ target: String) -> String { RawExchange.text(request, target: target) }

  /// Sends text unchanged.
  func exchange(_ text: String) async throws -> String {
    try await RawExchange.answer(to: text, at: endpoint.authority)
  }

  /// Sends a request unchanged; one with a Content-Length gets the body `hello`.
  func exchange(_ request: HTTPRequest) async throws -> (status: Int, text: String) {
    let body = request.headerFields.contains(.contentLength) ? "hello" : ""
    let answer = try await exchange(wire(request, request.path ?? "") + body)
    let status = answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (try XCTUnwrap(status, answer), answer)
  }
}
