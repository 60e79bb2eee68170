/// Why no answer came: what happened, to which host, and whether a retry can help.
///
/// No header and no query is in it.
public struct TransportError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What happened, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes an error; for transports.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: What happened, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// Whether sending the same request again can help.
  public var isRetryable: Bool { code != .cancelled && code != .invalidRequest }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case cancelled, connectionFailed, connectionLost, invalidRequest, timeout
    }

    private let value: Value

    /// The task was cancelled.
    public static let cancelled = Code(value: .cancelled)
    /// No connection could be made.
    public static let connectionFailed = Code(value: .connectionFailed)
    /// The connection ended before the answer did.
    public static let connectionLost = Code(value: .connectionLost)
    /// The request cannot be sent as it is.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// Nothing moved for too long.
    public static let timeout = Code(value: .timeout)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension TransportError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
