// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a provider that cannot return a credential: the problem, the source and the remedy.
///
/// It contains no secret and no token.
public struct CredentialError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The source that was called, such as `environment` or a host.
  public let source: String

  /// The problem, in one sentence.
  public let message: String

  /// The remedy, in one sentence.
  public let remedy: String

  /// A Boolean value that indicates whether a later request can succeed.
  public let isRetryable: Bool

  /// The errors of the other sources that were tried before, each with the reason why that source declined.
  public let declined: [CredentialError]

  /// Creates an error; for providers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - source: The source that was called.
  ///   - message: The problem, in one sentence without secrets.
  ///   - remedy: The remedy, in one sentence.
  ///   - isRetryable: Whether a later request can succeed.
  ///   - declined: The errors of the other sources that were tried before.
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

    /// The source is not configured on this machine; a chain continues with the next one.
    public static let notConfigured = Code(value: .notConfigured)
    /// The source could not be reached or read.
    public static let failed = Code(value: .failed)
    /// The source returned data that is not a credential.
    public static let malformedAnswer = Code(value: .malformedAnswer)
    /// The source refused to issue a credential.
    public static let rejected = Code(value: .rejected)
    /// The source did not respond in time.
    public static let timeout = Code(value: .timeout)
    /// The wait was cancelled.
    public static let cancelled = Code(value: .cancelled)

    /// The code, the source, the message and the remedy; then one line for each source that declined.
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
