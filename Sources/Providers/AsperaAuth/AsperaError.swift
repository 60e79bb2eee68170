// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An error about an account, a key, a token or a transfer specification that cannot be used.
///
/// The message and the remedy contain neither secrets nor tokens. The transfer has not started if it is thrown.
public struct AsperaError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error.
  ///
  /// - Parameter details: The code, the message and the remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// The kind of problem that an ``AsperaError`` describes.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// Two credentials were given, but only one is permitted.
    public static let ambiguousCredential = Code(name: "ambiguousCredential")
    /// Neither a password nor a private key was given.
    public static let missingCredential = Code(name: "missingCredential")
    /// The host, the user or the port of an account is invalid.
    public static let invalidAccount = Code(name: "invalidAccount")
    /// The key file does not exist, or no key was found in any of the searched locations.
    public static let keyNotFound = Code(name: "keyNotFound")
    /// The key file cannot be read.
    public static let keyUnreadable = Code(name: "keyUnreadable")
    /// The key file can be read or replaced by other users of the system.
    public static let insecureKeyFile = Code(name: "insecureKeyFile")
    /// The key is of a kind that cannot be used to log in or to sign.
    public static let unsupportedKey = Code(name: "unsupportedKey")
    /// The text is not a key, or the key is damaged.
    public static let malformedKey = Code(name: "malformedKey")
    /// The passphrase is wrong, or the key is encrypted and no passphrase was given.
    public static let wrongPassphrase = Code(name: "wrongPassphrase")
    /// The public key does not belong to the private key.
    public static let publicKeyMismatch = Code(name: "publicKeyMismatch")
    /// The fingerprint of a host key has a form that cannot be checked.
    public static let invalidHostKey = Code(name: "invalidHostKey")
    /// The transfer specification is invalid or cannot be carried out.
    public static let invalidSpecification = Code(name: "invalidSpecification")
    /// The token or its claims have a form that cannot be sent or parsed.
    public static let invalidToken = Code(name: "invalidToken")
    /// The Node API's response does not match the request.
    public static let invalidAnswer = Code(name: "invalidAnswer")
    /// The request is not supported by Aspera.
    public static let unsupported = Code(name: "unsupported")
    /// A required program is not installed.
    public static let toolNotFound = Code(name: "toolNotFound")
    /// An operation failed on this machine, for example because the disk is full.
    public static let failed = Code(name: "failed")

    /// The name of the error code, such as `keyNotFound`.
    public var description: String { name }
  }
}
