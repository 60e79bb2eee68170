// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// A decoder of the replies of a Redis server.
struct RedisDecoder: NIOSingleStepByteToMessageDecoder {
  typealias InboundOut = RedisValue

  /// The maximum size of a reply in bytes; the largest is that of `INFO`, with some kilobytes.
  static let byteLimit = 1 << 20
  /// The maximum nesting of arrays, and the maximum number of their elements.
  private static let depthLimit = 4
  private static let elementLimit = 1024

  struct Malformed: Error {}

  func decode(buffer: inout ByteBuffer) throws -> RedisValue? {
    var remainingBytes = buffer
    guard let value = try Self.readValue(in: &remainingBytes, depth: 0) else {
      guard buffer.readableBytes <= Self.byteLimit else { throw Malformed() }
      return nil
    }
    buffer = remainingBytes
    return value
  }

  func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> RedisValue? { try decode(buffer: &buffer) }

  /// Returns the first value of a buffer, or `nil` if it is incomplete.
  private static func readValue(in buffer: inout ByteBuffer, depth: Int) throws(Malformed) -> RedisValue? {
    guard depth < depthLimit else { throw Malformed() }
    guard let line = try readLine(in: &buffer), let typeByte = line.first else { return nil }
    let text = line.dropFirst()
    switch typeByte {
    case UInt8(ascii: "+"): return .status(String(decoding: text, as: UTF8.self))
    case UInt8(ascii: "-"): return .error(String(decoding: text, as: UTF8.self))
    case UInt8(ascii: ":"): return .integer(try parseNumber(text))
    case UInt8(ascii: "$"):
      let count = try parseNumber(text)
      // RESP2 writes a null value as a string or an array of length -1.
      guard count >= 0 else { return .null }
      guard count <= byteLimit, let count = Int(exactly: count) else { throw Malformed() }
      guard buffer.readableBytes >= count + 2, let bytes = buffer.readBytes(length: count) else { return nil }
      guard buffer.readBytes(length: 2) == [0x0d, 0x0a] else { throw Malformed() }
      return .bytes(bytes)
    case UInt8(ascii: "*"):
      let count = try parseNumber(text)
      guard count >= 0 else { return .null }
      guard count <= elementLimit else { throw Malformed() }
      var elements: [RedisValue] = []
      for _ in 0..<count {
        guard let element = try readValue(in: &buffer, depth: depth + 1) else { return nil }
        elements.append(element)
      }
      return .array(elements)
    default: throw Malformed()
    }
  }

  /// Reads a line that is not empty, or returns `nil` if its end has not arrived.
  private static func readLine(in buffer: inout ByteBuffer) throws(Malformed) -> [UInt8]? {
    guard let lineEnd = buffer.readableBytesView.firstIndex(of: 0x0d) else { return nil }
    let count = lineEnd - buffer.readerIndex
    guard buffer.readableBytes >= count + 2 else { return nil }
    guard count > 0, let line = buffer.readBytes(length: count), buffer.readBytes(length: 2)?.last == 0x0a else {
      throw Malformed()
    }
    return line
  }

  private static func parseNumber(_ digits: some Sequence<UInt8>) throws(Malformed) -> Int64 {
    guard let number = Int64(signedDigits: String(decoding: Array(digits), as: UTF8.self)) else { throw Malformed() }
    return number
  }
}

/// A reply of a Redis server in its protocol RESP2 (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).
enum RedisValue: Sendable, Hashable {
  case status(String)
  /// An error reply, such as `NOSCRIPT No matching script.`
  case error(String)
  case integer(Int64)
  case bytes([UInt8])
  case array([RedisValue])
  case null

  /// The text of a status, or of a string in UTF-8; otherwise `nil`.
  var text: String? {
    switch self {
    case .status(let text): text
    case .bytes(let bytes): String(utf8: bytes)
    default: nil
    }
  }

  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
