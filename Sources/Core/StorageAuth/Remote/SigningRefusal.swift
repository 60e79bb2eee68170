// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The error with which a key holder refuses to sign a string for a client.
///
/// The error describes the reason and the remedy. It contains no string to sign, no secret and no token.
public struct SigningRefusal: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error from its code, its message and its remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// A code that identifies why a key holder refuses to sign a string.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The string is not, byte for byte, the string to sign or the canonical request of exactly one request.
    public static let malformed = Code(name: "malformed")
    /// The hash in the string to sign is not the hash of the canonical request.
    public static let hashMismatch = Code(name: "hashMismatch")
    /// The string to sign is for another region, product, day or host than the server signs for.
    public static let wrongScope = Code(name: "wrongScope")
    /// The string to sign was prepared for a key or a session token other than the server's.
    public static let anotherKey = Code(name: "anotherKey")
    /// The date of the request differs too much from the server's clock.
    public static let clockSkew = Code(name: "clockSkew")
    /// The signature would be valid for too long, or has already expired.
    public static let lifetime = Code(name: "lifetime")
    /// No policy covers the operation, such as access control or a copy, or a parameter or header is unknown.
    public static let unknownOperation = Code(name: "unknownOperation")
    /// The policy does not allow the caller to perform the operation.
    public static let notAllowed = Code(name: "notAllowed")

    /// The name of the error code, such as `notAllowed`.
    public var description: String { name }
  }

  /// Whether the string to sign contradicts its format or the request's hash, rather than the rights of its operation.
  package var concernsFormat: Bool { code == .malformed || code == .hashMismatch }

  /// Creates the error for a string to sign that cannot be parsed in exactly one way, with a message without secrets.
  public static func malformed(_ message: String) -> SigningRefusal {
    SigningRefusal(.malformed, message, remedy: "Send the string as this package's signer prepares it, byte for byte.")
  }

  /// The error for a string to sign that differs from the canonical form of the request parsed from it.
  public static let notCanonical = malformed("The string is not, byte for byte, that of the request in it.")

  package static func unknownOperation(_ message: String) -> SigningRefusal {
    SigningRefusal(
      .unknownOperation, message,
      remedy: "Request to read, write, delete or list objects; do everything else on the server.")
  }

  package static func wrongScope(_ message: String) -> SigningRefusal {
    SigningRefusal(.wrongScope, message, remedy: "Configure the client for what the server signs for.")
  }

  package static func anotherKey(_ message: String) -> SigningRefusal {
    SigningRefusal(.anotherKey, message, remedy: "Request the server's identity again, and sign again.")
  }

  package static let unsupportedScheme = SigningRefusal(
    .malformed, "This signer does not support the signature version.",
    remedy: "Create the client with a signature version that the server accepts.")

  package static func requireLifetime(_ seconds: Int64, in limits: ClosedRange<Int64>) throws(SigningRefusal) {
    guard limits.contains(seconds) else {
      throw SigningRefusal(
        .lifetime,
        "The URL would be valid for \(seconds) seconds; the service accepts \(limits.lowerBound) to "
          + "\(limits.upperBound).", remedy: "Request a lifetime in this range.")
    }
  }

  /// Throws an error unless a text is, byte for byte, the canonical one of the request that was parsed from it.
  package static func requireCanonical(
    _ text: String, _ canonicalText: () throws(SigningError) -> String
  ) throws(SigningRefusal) {
    // The string of a request that cannot be canonicalized is not canonical, either.
    guard let expectedText = try? canonicalText(), expectedText.isIdentical(to: text) else { throw .notCanonical }
  }
}
