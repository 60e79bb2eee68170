// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// An error about an account, a key, a token or a transfer specification that cannot be used.
///
/// The message and the remedy contain neither secrets nor tokens. A transfer has not started when this error is thrown.
public struct AsperaError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// A sentence that says what is wrong, and where.
  public let message: String

  /// A sentence that says how to solve the problem.
  public let remedy: String

  /// Creates an error, and escapes line breaks and control characters in its texts.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: A sentence without secrets that says what is wrong, and where.
  ///   - remedy: A sentence that says how to solve the problem.
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

    /// Two credentials where only one is permitted.
    public static let ambiguousCredential = Code(value: .ambiguousCredential)
    /// Neither a password nor a private key.
    public static let missingCredential = Code(value: .missingCredential)
    /// An invalid host, user or port of an account.
    public static let invalidAccount = Code(value: .invalidAccount)
    /// A missing key: the file, or every location that was searched, has none.
    public static let keyNotFound = Code(value: .keyNotFound)
    /// A key file that cannot be read.
    public static let keyUnreadable = Code(value: .keyUnreadable)
    /// A key file that other users of the system can read or replace.
    public static let insecureKeyFile = Code(value: .insecureKeyFile)
    /// A key of a kind that cannot be used to log in or to sign.
    public static let unsupportedKey = Code(value: .unsupportedKey)
    /// A text that is not a key, or a damaged key.
    public static let malformedKey = Code(value: .malformedKey)
    /// A wrong passphrase, or none for an encrypted key.
    public static let wrongPassphrase = Code(value: .wrongPassphrase)
    /// A public key that does not belong to the private key.
    public static let publicKeyMismatch = Code(value: .publicKeyMismatch)
    /// A fingerprint of a host key in a form that cannot be checked.
    public static let invalidHostKey = Code(value: .invalidHostKey)
    /// A transfer specification that cannot be carried out.
    public static let invalidSpecification = Code(value: .invalidSpecification)
    /// A token, or the claims of one, in a form that cannot be sent or read.
    public static let invalidToken = Code(value: .invalidToken)
    /// A response of the Node API that does not fit the request.
    public static let invalidAnswer = Code(value: .invalidAnswer)
    /// A request that Aspera does not support.
    public static let unsupported = Code(value: .unsupported)
    /// A required program that is not installed.
    public static let toolNotFound = Code(value: .toolNotFound)
    /// A failure on this machine, such as a full disk.
    public static let failed = Code(value: .failed)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension AsperaError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
