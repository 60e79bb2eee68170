/// Why the client itself refused or gave up: what is wrong, where, and what to do about it.
///
/// What the service refused is a ``ServiceError``, what the network did a ``TransportError``, what a signer or a
/// credential source said a `SigningError` or a `CredentialError`. No secret and no token is in any of them.
public struct StorageError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// What is wrong and where, in a sentence.
  public let message: String

  /// What to do about it, in a sentence.
  public let remedy: String

  /// Makes an error; for stores.
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
      case checksumMismatch, insecureConnection, invalidKey, invalidOption, malformedAnswer, sourceChanged, tooLarge
      case truncated, unsupported, unusableFile
    }

    private let value: Value

    /// The bytes that arrived are not the bytes that were sent.
    public static let checksumMismatch = Code(value: .checksumMismatch)
    /// A token or a password would travel in clear over a network.
    public static let insecureConnection = Code(value: .insecureConnection)
    /// The key is not one that the service can have.
    public static let invalidKey = Code(value: .invalidKey)
    /// An option has a value that cannot be sent.
    public static let invalidOption = Code(value: .invalidOption)
    /// The service answered something that cannot be read.
    public static let malformedAnswer = Code(value: .malformedAnswer)
    /// A file or a stream had another length than was announced.
    public static let sourceChanged = Code(value: .sourceChanged)
    /// There are more bytes than a limit allows.
    public static let tooLarge = Code(value: .tooLarge)
    /// The answer ended early.
    public static let truncated = Code(value: .truncated)
    /// The service cannot do this, or not with this option.
    public static let unsupported = Code(value: .unsupported)
    /// The path names something that is not a file.
    public static let unusableFile = Code(value: .unusableFile)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension StorageError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

extension StorageError {
  static func checksumMismatch(
    of subject: String, expected: ObjectChecksum, found: ObjectChecksum, remedy: String
  ) -> StorageError {
    StorageError(
      .checksumMismatch,
      "The \(found.algorithm) of \(subject) is \(found.value), but the service says \(expected.value).", remedy: remedy)
  }

  static func malformedAnswer(_ what: String) -> StorageError {
    StorageError(
      .malformedAnswer, "The service's answer cannot be read: \(what).",
      remedy: "Check that the endpoint is the service itself and not a proxy's page.")
  }
}
