internal import StorageAuth

/// Why an account, a key, a token or a transfer specification cannot be used: what is wrong, where, and what to do.
///
/// No secret and no token is in it. Nothing was started when it is thrown.
public struct AsperaError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong and where, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes an error.
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
      case ambiguousCredential, missingCredential, invalidAccount, keyNotFound, keyUnreadable, insecureKeyFile
      case unsupportedKey, malformedKey, wrongPassphrase, publicKeyMismatch, invalidHostKey, invalidSpecification
      case invalidToken, invalidAnswer, unsupported, toolNotFound, failed
    }

    private let value: Value

    /// There are two ways to authenticate, and only one may be there.
    public static let ambiguousCredential = Code(value: .ambiguousCredential)
    /// There is neither a password nor a key.
    public static let missingCredential = Code(value: .missingCredential)
    /// The host, the user or a port cannot be used.
    public static let invalidAccount = Code(value: .invalidAccount)
    /// There is no key where one was looked for.
    public static let keyNotFound = Code(value: .keyNotFound)
    /// The key cannot be read.
    public static let keyUnreadable = Code(value: .keyUnreadable)
    /// Others than its owner can read the file of the key.
    public static let insecureKeyFile = Code(value: .insecureKeyFile)
    /// The key is of a kind that cannot be used to log in.
    public static let unsupportedKey = Code(value: .unsupportedKey)
    /// The text is not a private key.
    public static let malformedKey = Code(value: .malformedKey)
    /// The passphrase does not open the key, or there is none for a key that is encrypted.
    public static let wrongPassphrase = Code(value: .wrongPassphrase)
    /// The public key is not the one of the private key.
    public static let publicKeyMismatch = Code(value: .publicKeyMismatch)
    /// The fingerprint of the host key has no form that can be checked.
    public static let invalidHostKey = Code(value: .invalidHostKey)
    /// The transfer specification cannot be carried out.
    public static let invalidSpecification = Code(value: .invalidSpecification)
    /// The token has a form that cannot be sent, or that cannot be read.
    public static let invalidToken = Code(value: .invalidToken)
    /// The Node API answered something else than was asked for.
    public static let invalidAnswer = Code(value: .invalidAnswer)
    /// Aspera cannot do what was asked for.
    public static let unsupported = Code(value: .unsupported)
    /// A program that is needed is not on this machine.
    public static let toolNotFound = Code(value: .toolNotFound)
    /// Something on this machine failed.
    public static let failed = Code(value: .failed)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension AsperaError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
