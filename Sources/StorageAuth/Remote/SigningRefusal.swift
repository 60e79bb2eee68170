/// Why the holder of a key does not sign a string that somebody else made: what is wrong and what to do about it.
///
/// No text that was to be signed, no secret and no token is in it.
public struct SigningRefusal: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes a refusal.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: What is wrong, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
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

    /// The text is not, byte for byte, what is signed for any one request.
    public static let malformed = Code(value: .malformed)
    /// The string to sign does not hold the hash of the canonical request.
    public static let hashMismatch = Code(value: .hashMismatch)
    /// It is for another region, product, day or host than the server signs for.
    public static let wrongScope = Code(value: .wrongScope)
    /// It is made for another key, or another session token, than the server has now.
    public static let anotherKey = Code(value: .anotherKey)
    /// It is dated too far from the server's time.
    public static let clockSkew = Code(value: .clockSkew)
    /// It would be valid for too long, or is over already.
    public static let lifetime = Code(value: .lifetime)
    /// It asks for something that no policy speaks of: access control, a copy, an unknown parameter or header.
    public static let unknownOperation = Code(value: .unknownOperation)
    /// The caller may not do this.
    public static let notAllowed = Code(value: .notAllowed)

    /// The name of the code.
    public var description: String { value.rawValue }
  }

  /// Whether the text itself is at fault, not what it asks for.
  package var isAboutForm: Bool { code == .malformed || code == .hashMismatch }
}

extension SigningRefusal: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

extension SigningRefusal {
  /// The refusal of a text that cannot be read in exactly one way.
  ///
  /// - Parameter message: What is wrong, in a sentence without secrets.
  public static func malformed(_ message: String) -> SigningRefusal {
    SigningRefusal(.malformed, message, remedy: "Send what the signer of this package prepares, byte for byte.")
  }

  /// The refusal of a text that is not the one that belongs to its own reading.
  public static let notCanonical = malformed("The text is not, byte for byte, what is signed for the request in it.")

  /// The refusal of something that no policy speaks of.
  package static func unknownOperation(_ message: String) -> SigningRefusal {
    SigningRefusal(
      .unknownOperation, message,
      remedy: "Ask for an object to be read, written, deleted or listed; do anything else on the server.")
  }

  /// The refusal of a text for another region, product, day or host.
  package static func wrongScope(_ message: String) -> SigningRefusal {
    SigningRefusal(.wrongScope, message, remedy: "Set the client up for the bucket that the server signs for.")
  }

  /// The refusal of a text for another key, or another token.
  package static func anotherKey(_ message: String) -> SigningRefusal {
    SigningRefusal(.anotherKey, message, remedy: "Ask the server for its identity again, and sign anew.")
  }
}
