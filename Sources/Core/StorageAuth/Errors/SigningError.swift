// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The error for a request that cannot be signed.
///
/// The error describes the problem, its location in the request and the remedy, and contains no secret and no token.
/// Signing the same request again never succeeds.
public struct SigningError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error from its code, its message and its remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// A code that identifies why a request cannot be signed.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The credential is anonymous and cannot presign a URL.
    public static let anonymous = Code(name: "anonymous")
    /// The signer was configured with a value that it cannot use, such as a misspelled region.
    public static let invalidConfiguration = Code(name: "invalidConfiguration")
    /// The credential contains a value that cannot be sent, such as an ID with a space.
    public static let invalidCredential = Code(name: "invalidCredential")
    /// A header of the request cannot be signed.
    public static let invalidHeader = Code(name: "invalidHeader")
    /// The request's path or query cannot be signed.
    public static let invalidPath = Code(name: "invalidPath")
    /// The request lacks a required component, such as its host.
    public static let invalidRequest = Code(name: "invalidRequest")
    /// A signature from a remote signer is malformed or belongs to another access key ID.
    public static let invalidSignature = Code(name: "invalidSignature")
    /// The requested signature lifetime is outside of the range that the service allows.
    public static let lifetimeOutOfRange = Code(name: "lifetimeOutOfRange")
    /// The credential expires earlier than the requested signature.
    public static let credentialEndsFirst = Code(name: "credentialEndsFirst")
    /// The key holder refuses to sign the request.
    public static let refused = Code(name: "refused")

    /// The name of the error code, such as `invalidHeader`.
    public var description: String { name }
  }

  /// Creates the error for a credential whose expiration is earlier than the required time.
  public static func credentialEndsFirst(_ expiration: Timestamp, required: Timestamp) -> SigningError {
    SigningError(
      .credentialEndsFirst, "The credential expires at \(expiration), but must remain valid until \(required).",
      remedy: "Get a credential that is valid for longer, or request a shorter lifetime.")
  }

  static func invalidRequest(_ message: String, remedy: String) -> SigningError {
    SigningError(.invalidRequest, message, remedy: remedy)
  }

  static let emptyKey = invalidRequest(
    "The object key is empty.", remedy: "Name an object, or use a request for the bucket.")

  /// The error for a request path that is not valid in a URL, or for its query.
  public static let unreadablePath = SigningError(
    .invalidPath,
    "The path does not start with \"/\", contains a character that a URL cannot contain, or has an invalid escape.",
    remedy: "Percent-encode the key and the parameters once, in UTF-8; ServiceEndpoint does that.")

  package static let namelessParameter = SigningError(
    .invalidPath, "A query parameter has no name, so the list of signed parameters cannot include it.",
    remedy: "Remove it.")

  /// The error for a signed query parameter that occurs twice.
  public static let repeatedParameter = SigningError(
    .invalidPath, "A query parameter that is signed occurs twice.", remedy: "Send it once.")

  package static let anonymousURL = SigningError(
    .anonymous, "An anonymous credential cannot sign a URL.",
    remedy: "Use the URL without a signature, or a key that has the right.")

  package static let bucketNotInPath = invalidRequest(
    "The path does not name the bucket, and the host does not either.",
    remedy: "Start the path with the bucket and a slash, or set the bucket and the addressing style.")

  package static let anonymousForm = SigningError(
    .anonymous, "An anonymous credential cannot sign a form.", remedy: "Use a key that has the right.")

  package static let noLongForm = SigningError(
    .lifetimeOutOfRange, "The form would be valid for more than seven days.", remedy: "Let it expire earlier.")

  package static func noHost(example: String) -> SigningError {
    invalidRequest("The request has no host, or a malformed one.", remedy: "Set its authority, such as \(example).")
  }
}
