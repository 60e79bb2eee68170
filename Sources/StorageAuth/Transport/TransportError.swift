// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a request that received no response: the problem, the host, and whether a retry can help.
///
/// It contains no header and no query.
public struct TransportError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The problem, in one sentence.
  public let message: String

  /// The remedy, in one sentence.
  public let remedy: String

  /// Creates an error; for transports.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: The problem, in one sentence without secrets.
  ///   - remedy: The remedy, in one sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A Boolean value that indicates whether sending the same request again can succeed.
  public var isRetryable: Bool { code != .cancelled && code != .invalidRequest }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case cancelled, connectionFailed, connectionLost, invalidRequest, timeout
    }

    private let value: Value

    /// The task was cancelled.
    public static let cancelled = Code(value: .cancelled)
    /// No connection could be established.
    public static let connectionFailed = Code(value: .connectionFailed)
    /// The connection was closed before the response was complete.
    public static let connectionLost = Code(value: .connectionLost)
    /// The request cannot be sent in its present form.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// The connection made no progress for too long.
    public static let timeout = Code(value: .timeout)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension TransportError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
