/// Why a request could not be signed: what is wrong, where, and what to do about it.
///
/// Retrying the same act never helps. No secret and no token is in it.
public struct SigningError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong and where, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes an error; for signers.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: What is wrong and where, in a sentence without secrets.
  ///   - remedy: What to do about it, in a sentence.
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
    /// The signer was set up with something that it cannot use, such as a misspelt region.
    public static let invalidConfiguration = Code(value: .invalidConfiguration)
    /// The credential has a form that cannot be sent.
    public static let invalidCredential = Code(value: .invalidCredential)
    /// A header cannot be signed.
    public static let invalidHeader = Code(value: .invalidHeader)
    /// The path or the query cannot be signed.
    public static let invalidPath = Code(value: .invalidPath)
    /// The request lacks something, such as its host.
    public static let invalidRequest = Code(value: .invalidRequest)
    /// A signature that came from elsewhere is malformed or somebody else's.
    public static let invalidSignature = Code(value: .invalidSignature)
    /// The lifetime is not one that the service allows.
    public static let lifetimeOutOfRange = Code(value: .lifetimeOutOfRange)
    /// The credential ends before what it is to sign.
    public static let credentialEndsFirst = Code(value: .credentialEndsFirst)
    /// Whoever holds the key does not sign this.
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
  /// The error for a credential that ends before what it is to sign.
  ///
  /// - Parameters:
  ///   - expiration: When the credential ends.
  ///   - required: Until when it has to be valid.
  public static func credentialEndsFirst(_ expiration: Timestamp, required: Timestamp) -> SigningError {
    SigningError(
      .credentialEndsFirst,
      "The credential ends at \(expiration), but has to live until \(required).",
      remedy: "Get a credential that lives longer, or ask for a shorter lifetime.")
  }
}

extension SigningError {
  /// The error for a path that cannot travel.
  public static let unreadablePath = SigningError(
    .invalidPath,
    "The path does not start with \"/\", holds a character that may not stand in a URL, or has a broken escape.",
    remedy: "Percent-encode the key and the parameters once, in UTF-8; ServiceEndpoint does that.")

  /// The error for a parameter without a name.
  package static let namelessParameter = SigningError(
    .invalidPath, "A query parameter has no name, so that the list of signed parameters cannot name it.",
    remedy: "Leave it out.")

  /// The error for a parameter that is there twice.
  public static let repeatedParameter = SigningError(
    .invalidPath, "A query parameter that is signed is there twice.", remedy: "Send it once.")
}
