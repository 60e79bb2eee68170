// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a request that cannot be signed: the problem, its location and the remedy.
///
/// Signing the same request again never succeeds. The error contains no secret and no token.
public struct SigningError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The problem and its location, in one sentence.
  public let message: String

  /// The remedy, in one sentence.
  public let remedy: String

  /// Creates an error; for signers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: The problem and its location, in one sentence without secrets.
  ///   - remedy: The remedy, in one sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case anonymous, invalidConfiguration, invalidCredential, invalidHeader, invalidPath, invalidRequest
      case invalidSignature, lifetimeOutOfRange, credentialEndsFirst, refused
    }

    private let value: Value

    /// An anonymous credential cannot presign.
    public static let anonymous = Code(value: .anonymous)
    /// The signer was configured with a value that it cannot use, such as a misspelled region.
    public static let invalidConfiguration = Code(value: .invalidConfiguration)
    /// The credential has a format that cannot be sent.
    public static let invalidCredential = Code(value: .invalidCredential)
    /// A header cannot be signed.
    public static let invalidHeader = Code(value: .invalidHeader)
    /// The path or the query cannot be signed.
    public static let invalidPath = Code(value: .invalidPath)
    /// The request lacks a required part, such as its host.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// A signature from another signer is malformed or belongs to another id.
    public static let invalidSignature = Code(value: .invalidSignature)
    /// The lifetime is outside of the range that the service allows.
    public static let lifetimeOutOfRange = Code(value: .lifetimeOutOfRange)
    /// The credential expires before the signature that it is used for.
    public static let credentialEndsFirst = Code(value: .credentialEndsFirst)
    /// The holder of the key refuses to sign the request.
    public static let refused = Code(value: .refused)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension SigningError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

extension SigningError {
  /// Returns the error for a credential that expires before the signature that it is used for.
  ///
  /// - Parameters:
  ///   - expiration: The time at which the credential expires.
  ///   - required: The time until which the credential must be valid.
  public static func credentialEndsFirst(_ expiration: Timestamp, required: Timestamp) -> SigningError {
    SigningError(
      .credentialEndsFirst,
      "The credential expires at \(expiration), but must remain valid until \(required).",
      remedy: "Get a credential that is valid for longer, or request a shorter lifetime.")
  }
}

extension SigningError {
  /// The error for a path that cannot be sent.
  public static let unreadablePath = SigningError(
    .invalidPath,
    "The path does not start with \"/\", contains a character that a URL cannot contain, or has an invalid escape.",
    remedy: "Percent-encode the key and the parameters once, in UTF-8; ServiceEndpoint does that.")

  /// The error for a query parameter without a name.
  package static let namelessParameter = SigningError(
    .invalidPath, "A query parameter has no name, so the list of signed parameters cannot include it.",
    remedy: "Remove it.")

  /// The error for a query parameter that occurs twice.
  public static let repeatedParameter = SigningError(
    .invalidPath, "A query parameter that is signed occurs twice.", remedy: "Send it once.")
}
