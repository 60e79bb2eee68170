// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The body of an HTTP request, with its length.
///
/// The length is always known, because it is part of the signed request; a source of unknown length is split into parts
/// first. A body can be sent again after a failure, so a stream must start over for each iteration.
public struct HTTPBody: Sendable {
  /// The content of a request body.
  public enum Content: Sendable {
    /// The request has no body.
    case none
    /// The body consists of bytes in memory.
    case bytes([UInt8])
    /// The body is a stream of bytes that are read while they are sent.
    case stream(ByteStream)
  }

  /// The number of bytes in the body.
  public let length: Int64

  /// The content of the body.
  public let content: Content

  /// The body of a request that has no content.
  public static let none = HTTPBody(length: 0, content: .none)

  /// Creates a body from bytes in memory.
  ///
  /// - Parameter bytes: The content of the body.
  public static func bytes(_ bytes: [UInt8]) -> HTTPBody {
    HTTPBody(length: Int64(bytes.count), content: .bytes(bytes))
  }

  /// Creates a body from a stream of bytes that are read while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The content of the body; it must contain exactly `length` bytes and start over for each iteration.
  ///   - length: The number of bytes in the stream.
  public static func stream(_ stream: ByteStream, length: Int64) -> HTTPBody {
    HTTPBody(length: length, content: .stream(stream))
  }
}

extension HTTPBody: Redacted {
  /// The length of the body; the content is omitted because it may contain credentials.
  public var description: String { "HTTPBody(\(length) bytes)" }
}
