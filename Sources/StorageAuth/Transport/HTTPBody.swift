/// The body of a request: how long it is, and where its bytes come from.
///
/// The length is always known, because it is signed; a source of unknown length is cut into parts first. A body can be
/// sent again after a failure, so its stream must start anew whenever it is iterated.
public struct HTTPBody: Sendable {
  /// Where the bytes come from.
  public enum Content: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are read while they are sent.
    case stream(ByteStream)
  }

  /// The number of bytes.
  public let length: Int64

  /// Where the bytes come from.
  public let content: Content

  /// No body.
  public static let none = HTTPBody(length: 0, content: .none)

  /// Bytes in memory.
  public static func bytes(_ bytes: [UInt8]) -> HTTPBody {
    HTTPBody(length: Int64(bytes.count), content: .bytes(bytes))
  }

  /// Bytes that are read while they are sent.
  ///
  /// - Parameters:
  ///   - stream: The bytes; exactly as many as `length` says.
  ///   - length: The number of bytes.
  public static func stream(_ stream: ByteStream, length: Int64) -> HTTPBody {
    HTTPBody(length: length, content: .stream(stream))
  }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length; a body may hold a login.
  public var description: String { "HTTPBody(\(length) bytes)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["length": length]) }
}
