// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

/// The reader of a response, which closes the connection when it is released.
final class SocketReader: Sendable {
  private let exchange: SocketExchange
  private let received = Lock<[UInt8]>([])

  init(_ exchange: SocketExchange) {
    self.exchange = exchange
  }

  deinit {
    exchange.fail(exchange.error(.cancelled, "released"))
  }

  private var lost: TransportError { exchange.error(.connectionLost, "the response ended early") }

  private func malformed(_ what: String) -> TransportError {
    exchange.error(.connectionLost, "malformed \(what)")
  }

  /// Returns the next bytes, at most `count` of them; an empty result is the end.
  private func bytes(upTo count: Int) async throws(TransportError) -> [UInt8] {
    if received.withLock({ $0.isEmpty }) {
      let bytes = try await exchange.read()
      received.withLock { $0 = bytes }
    }
    return received.withLock { received in
      defer { received.removeFirst(min(count, received.count)) }
      return Array(received.prefix(count))
    }
  }

  /// Returns the text before the next separator, or `nil` if the connection ends before it.
  private func text(before separator: String) async throws(TransportError) -> String? {
    let separator = Array(separator.utf8)
    while true {
      let found = received.withLock { received -> String? in
        guard let end = received.firstRange(of: separator) else { return nil }
        defer { received.removeFirst(end.upperBound) }
        return String(decoding: received[..<end.lowerBound], as: UTF8.self)
      }
      if let found { return found }
      let bytes = try await exchange.read()
      if bytes.isEmpty { return nil }
      received.withLock { $0 += bytes }
    }
  }

  /// Returns the head of the final response.
  func head() async throws(TransportError) -> HTTPResponse {
    while true {
      var text = try await text(before: "\r\n\r\n")
      if text == nil, exchange.leniency == .truncatedHead {
        text = received.withLock { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
      }
      guard let text else {
        throw received.withLock { $0.isEmpty } ? exchange.error(.connectionLost, "no response") : lost
      }
      let head = try head(text)
      if head.status.code >= 200 || exchange.leniency == .informationalHead { return head }
    }
  }

  private func head(_ text: String) throws(TransportError) -> HTTPResponse {
    let lines = text.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", var status = Int(words[1]) else { throw malformed("status line") }
    if exchange.leniency == .lowStatus, status < 100 { status = 200 }
    guard (100...999).contains(status) else { throw malformed("status") }
    var head = HTTPResponse(status: .init(code: status))
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
      head.headerFields.append(HTTPField(name: name, value: String(parts[1].drop { $0 == " " })))
    }
    return head
  }

  /// Returns a stream of the body, which retains the reader.
  func body(of head: HTTPResponse, isEmpty: Bool) throws(TransportError) -> ByteStream {
    let length = head.headerFields[.contentLength]
    let count = length.flatMap { Int($0) }
    if length != nil, (count ?? -1) < 0 { throw malformed("Content-Length") }
    if isEmpty { return ByteStream([]) }
    if head.headerFields[.transferEncoding] == "chunked" { return chunks() }
    return ByteStream { [self] in
      var left = count
      return {
        if left == 0 { return nil }
        let bytes = try await self.bytesOrCancelled(upTo: left ?? .max)
        if bytes.isEmpty, left != nil { throw self.lost }
        left = left.map { $0 - bytes.count }
        return bytes.isEmpty ? nil : bytes
      }
    }
  }

  private func chunks() -> ByteStream {
    ByteStream { [self] in
      var (left, isComplete) = (0, false)
      return {
        if isComplete { return nil }
        if left == 0 {
          guard let line = try await self.text(before: "\r\n") else { throw self.lost }
          left = Int(line.prefix { $0 != ";" }, radix: 16) ?? -1
          if left < 0 { throw self.malformed("chunk") }
          isComplete = left == 0
          if isComplete { return try await self.trailer() }
        }
        let bytes = try await self.bytesOrCancelled(upTo: left)
        if bytes.isEmpty { throw self.lost }
        left -= bytes.count
        if left == 0, try await self.text(before: "\r\n") != "" { throw self.lost }
        return bytes
      }
    }
  }

  /// Reads the lines after the last chunk.
  ///
  /// - Returns: `nil`, which is the end of the body, or the lines if they are taken for a part of it.
  private func trailer() async throws -> [UInt8]? {
    var lines: [String] = []
    while true {
      guard let line = try await text(before: "\r\n") else { throw lost }
      if line.isEmpty { break }
      lines.append(line)
    }
    return exchange.leniency == .trailer && !lines.isEmpty ? Array(lines.joined().utf8) : nil
  }

  private func bytesOrCancelled(upTo count: Int) async throws -> [UInt8] {
    try await withTaskCancellationHandler {
      try await bytes(upTo: count)
    } onCancel: {
      exchange.fail(exchange.error(.cancelled, "cancelled"))
    }
  }
}
