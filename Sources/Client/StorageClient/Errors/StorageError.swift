// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An error that the storage client itself detected, with the problem, its location, and a remedy.
///
/// A service reports a ``ServiceError``, the network causes a `TransportError`, and a signer or a credential provider
/// throws a `SigningError` or a `CredentialError`. None of these errors contains a secret or a token.
public struct StorageError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error from its code, message and remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// The kind of problem that a storage error describes.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The checksum of the received bytes differs from the checksum of the sent bytes.
    public static let checksumMismatch = Code(name: "checksumMismatch")
    /// The source of a synchronization has no files or objects, and those of the target would be deleted.
    public static let emptySource = Code(name: "emptySource")
    /// The connection would expose a token or a password, because it is not encrypted.
    public static let insecureConnection = Code(name: "insecureConnection")
    /// The key is invalid, because the service cannot store an object with this key.
    public static let invalidKey = Code(name: "invalidKey")
    /// An option or an argument of the operation cannot be used, or contradicts another one.
    public static let invalidOption = Code(name: "invalidOption")
    /// The service's response cannot be parsed, contradicts the request or itself, or does not prove its success.
    public static let malformedResponse = Code(name: "malformedResponse")
    /// A file was changed while it was transferred, or the length of a stream differs from the announced length.
    public static let sourceChanged = Code(name: "sourceChanged")
    /// The number of bytes exceeds the limit that the caller or the client sets.
    public static let tooLarge = Code(name: "tooLarge")
    /// The response ended before all bytes arrived.
    public static let truncated = Code(name: "truncated")
    /// The service does not support the operation or the option.
    public static let unsupported = Code(name: "unsupported")
    /// The path does not specify a regular file, or the file cannot be used.
    public static let unusableFile = Code(name: "unusableFile")

    /// The name of the code, such as `checksumMismatch`.
    public var description: String { name }
  }

  /// Returns the error for a checksum that differs from the service's.
  static func checksumMismatch(
    of subject: String, expected: ObjectChecksum, found: ObjectChecksum, remedy: String
  ) -> StorageError {
    StorageError(
      .checksumMismatch,
      "The \(found.algorithm) of \(subject) is \(found.value), but the service says \(expected.value).", remedy: remedy)
  }

  package static func malformedResponse(_ fault: String) -> StorageError {
    StorageError(
      .malformedResponse, "The service's response cannot be read: \(fault).",
      remedy: "Check that the endpoint is the service itself and not a proxy's page.")
  }
}
