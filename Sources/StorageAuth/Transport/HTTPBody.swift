// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The body of a request: its length and its content.
///
/// The length is always known, because it is signed; a source of unknown length is split into parts first. A body can
/// be sent again after a failure, so its stream must start over for each iteration.
public struct HTTPBody: Sendable {
  /// The content of a body.
  public enum Content: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// A stream of bytes that are read while they are sent.
    case stream(ByteStream)
  }

  /// The number of bytes.
  public let length: Int64

  /// The content.
  public let content: Content

  /// A request without a body.
  public static let none = HTTPBody(length: 0, content: .none)

  /// Returns a body of bytes in memory.
  ///
  /// - Parameter bytes: The bytes.
  public static func bytes(_ bytes: [UInt8]) -> HTTPBody {
    HTTPBody(length: Int64(bytes.count), content: .bytes(bytes))
  }

  /// Returns a body of bytes that are read while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The bytes; their number must be `length`.
  ///   - length: The number of bytes.
  public static func stream(_ stream: ByteStream, length: Int64) -> HTTPBody {
    HTTPBody(length: length, content: .stream(stream))
  }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length only, because a body may contain a login.
  public var description: String { "HTTPBody(\(length) bytes)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["length": length]) }
}
