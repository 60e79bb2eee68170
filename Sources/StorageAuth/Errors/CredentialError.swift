/// Why no credential could be had: what went wrong, at which source, and what to do about it.
///
/// No secret and no token is in it.
public struct CredentialError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The source that was asked, such as `environment` or a host.
  public let source: String

  /// What is wrong, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Whether asking again later can help.
  public let isRetryable: Bool

  /// What other sources said before, where several were asked: why each of them declined.
  public let declined: [CredentialError]

  /// Makes an error; for providers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - source: The source that was asked.
  ///   - message: What is wrong, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
  ///   - isRetryable: Whether asking again later can help.
  ///   - declined: What other sources said before.
  public init(
    _ code: Code, source: String, _ message: String, remedy: String, isRetryable: Bool = false,
    declined: [CredentialError] = []
  ) {
    self.code = code
    self.source = source.onOneLine
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
    self.isRetryable = isRetryable
    self.declined = declined
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case notConfigured, failed, malformedAnswer, rejected, timeout, cancelled
    }

    private let value: Value

    /// The source has nothing to offer on this machine; a chain goes on.
    public static let notConfigured = Code(value: .notConfigured)
    /// The source could not be reached or read.
    public static let failed = Code(value: .failed)
    /// The source answered something that is not a credential.
    public static let malformedAnswer = Code(value: .malformedAnswer)
    /// The source refused.
    public static let rejected = Code(value: .rejected)
    /// The source did not answer in time.
    public static let timeout = Code(value: .timeout)
    /// The wait was cancelled.
    public static let cancelled = Code(value: .cancelled)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension CredentialError: CustomStringConvertible {
  /// The code, the source, the message and the remedy; then a line for each source that declined.
  public var description: String {
    let lines = declined.map { "\n- \($0)" }.joined()
    return "\(code) (\(source)): \(message) \(remedy)\(lines)"
  }
}
