// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error for an HTTP request that received no complete response, without headers and query of the request.
public struct TransportError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error.
  ///
  /// - Parameter details: The code, the message and the remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// Whether sending the same request again can succeed.
  public var isRetryable: Bool { ![.cancelled, .invalidConfiguration, .invalidRequest].contains(code) }

  /// A code that identifies why an HTTP request received no complete response.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The task that sent the request was cancelled.
    public static let cancelled = Code(name: "cancelled")
    /// A connection to the host could not be established.
    public static let connectionFailed = Code(name: "connectionFailed")
    /// The connection was closed before the response was complete.
    public static let connectionLost = Code(name: "connectionLost")
    /// A setting of the transport is invalid, such as the URL of its proxy or the file of its certificate authorities.
    public static let invalidConfiguration = Code(name: "invalidConfiguration")
    /// The transport cannot send the request in its present form.
    public static let invalidRequest = Code(name: "invalidRequest")
    /// The connection made no progress for too long.
    public static let timeout = Code(name: "timeout")

    /// The name of the error code, such as `timeout`.
    public var description: String { name }
  }
}
