// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The reason why the key holder does not sign a string from a client, and the remedy.
///
/// It contains no string to sign, no secret and no token.
public struct SigningRefusal: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The problem, as a sentence.
  public let message: String

  /// The remedy, as a sentence.
  public let remedy: String

  /// Creates a refusal.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: The problem, as a sentence without secrets.
  ///   - remedy: The remedy, as a sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case malformed, hashMismatch, wrongScope, anotherKey, clockSkew, lifetime, unknownOperation, notAllowed
    }

    private let value: Value

    /// The string is not, byte for byte, the string to sign or the canonical request of any one request.
    public static let malformed = Code(value: .malformed)
    /// The string to sign does not contain the hash of the canonical request.
    public static let hashMismatch = Code(value: .hashMismatch)
    /// The string is for another region, product, day or host than the server signs for.
    public static let wrongScope = Code(value: .wrongScope)
    /// The string was prepared for another key, or another session token, than the server uses now.
    public static let anotherKey = Code(value: .anotherKey)
    /// The date of the request is too far from the server's time.
    public static let clockSkew = Code(value: .clockSkew)
    /// The signature would be valid for too long, or has already expired.
    public static let lifetime = Code(value: .lifetime)
    /// The request is for an operation that no policy covers: access control, a copy, an unknown parameter or header.
    public static let unknownOperation = Code(value: .unknownOperation)
    /// The caller is not allowed to perform the operation.
    public static let notAllowed = Code(value: .notAllowed)

    /// The name of the code.
    public var description: String { value.rawValue }
  }

  /// Whether the form of the string is invalid, as opposed to the operation that it requests.
  package var isAboutForm: Bool { code == .malformed || code == .hashMismatch }
}

extension SigningRefusal: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

extension SigningRefusal {
  /// Creates the refusal of a string that cannot be parsed in exactly one way.
  ///
  /// - Parameter message: The problem, as a sentence without secrets.
  /// - Returns: A refusal with the code ``Code/malformed``.
  public static func malformed(_ message: String) -> SigningRefusal {
    SigningRefusal(.malformed, message, remedy: "Send the string as this package's signer prepares it, byte for byte.")
  }

  /// The refusal of a string that differs from the canonical form of the request parsed from it.
  public static let notCanonical = malformed("The string is not, byte for byte, that of the request in it.")

  /// Creates the refusal of an operation that no policy covers.
  package static func unknownOperation(_ message: String) -> SigningRefusal {
    SigningRefusal(
      .unknownOperation, message,
      remedy: "Request to read, write, delete or list objects; do everything else on the server.")
  }

  /// Creates the refusal of a string for another region, product, day or host.
  package static func wrongScope(_ message: String) -> SigningRefusal {
    SigningRefusal(.wrongScope, message, remedy: "Configure the client for the bucket that the server signs for.")
  }

  /// Creates the refusal of a string for another key or session token.
  package static func anotherKey(_ message: String) -> SigningRefusal {
    SigningRefusal(.anotherKey, message, remedy: "Request the server's identity again, and sign again.")
  }
}
