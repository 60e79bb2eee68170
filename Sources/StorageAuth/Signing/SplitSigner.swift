public import HTTPTypes

/// Signs in two halves, so that the key can stay on a server ("self-signed mode").
///
/// The first half makes the string to sign on the device, from the request and the ``Identity`` of the signer. The
/// string goes to the server that holds the key. The second half puts the signature that comes back into the request.
///
/// ```swift
/// let pending = try signer.prepare(request, as: identity, in: .now)
/// let signature = try await server.sign(pending.stringToSign)
/// let signed = try signer.finish(pending, signature: signature)
/// ```
public protocol SplitSigner<SigningCredential>: Signer where Request == HTTPRequest {
  /// The first half, for a request that is signed in its headers.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - identity: Who signs.
  ///   - context: The time of the act.
  /// - Returns: The string to sign and what is needed to go on.
  /// - Throws: A ``SigningError`` if the request or the identity cannot be used.
  func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// The first half, for a URL that carries its authorization.
  ///
  /// - Parameters:
  ///   - request: What the URL is for.
  ///   - identity: Who signs.
  ///   - duration: How long the URL works, in whole seconds.
  ///   - context: The time of the act.
  /// - Returns: The string to sign and what is needed to go on.
  /// - Throws: A ``SigningError`` if the request or the identity cannot be used, or a limit is exceeded.
  func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// The second half: puts a signature into the request that it was made for.
  ///
  /// - Parameters:
  ///   - pending: What the first half returned.
  ///   - signature: The bare signature, or the whole authorization as the vendors' servers return it.
  /// - Returns: The signed request; for a URL, its path carries the authorization.
  /// - Throws: A ``SigningError`` if the signature is malformed or names another id.
  func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest
}

/// A request that lacks nothing but its signature.
///
/// The strings hold the session token in clear, because the server needs every byte; they are not shown by `print`,
/// `dump` or `Mirror`.
public struct PendingSignature: Sendable {
  /// The text that the key has to authenticate.
  public let stringToSign: String

  /// The text whose hash is part of the string to sign, or `nil` if the scheme has none; a server needs it to
  /// see what it signs.
  public let canonicalRequest: String?

  /// Who signs.
  public let identity: Identity

  /// When the authorization ends, in the service's time, or `nil` if the scheme does not say.
  public let expiration: Timestamp?

  /// How the request is signed.
  public let scheme: SignatureScheme

  /// The request without its signature.
  public let request: HTTPRequest

  /// Whether the signature goes into the URL.
  public let isPresigned: Bool

  /// The headers that the holder of a URL has to send along, because they are signed.
  public let signedHeaders: HTTPFields

  /// The authorization up to the signature, in the form of the scheme.
  public let authorizationPrefix: String

  /// Creates a request that lacks nothing but its signature; for signers.
  ///
  /// - Parameters:
  ///   - scheme: How the request is signed.
  ///   - stringToSign: The text that the key has to authenticate.
  ///   - canonicalRequest: The text whose hash is part of the string to sign, or `nil` if the scheme has none.
  ///   - identity: Whose key signs.
  ///   - expiration: When the authorization ends, or `nil` if the scheme does not say.
  ///   - request: The request without its signature.
  ///   - isPresigned: Whether the signature goes into the URL.
  ///   - signedHeaders: The headers that the holder of a URL has to send along.
  ///   - authorizationPrefix: The authorization up to the signature, in the form of the scheme.
  public init(
    _ scheme: SignatureScheme, stringToSign: String, canonicalRequest: String?, identity: Identity,
    expiration: Timestamp?, request: HTTPRequest, isPresigned: Bool, signedHeaders: HTTPFields,
    authorizationPrefix: String
  ) {
    self.scheme = scheme
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
    self.identity = identity
    self.expiration = expiration
    self.request = request
    self.isPresigned = isPresigned
    self.signedHeaders = signedHeaders
    self.authorizationPrefix = authorizationPrefix
  }
}

extension PendingSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the signer's id; the strings are masked.
  public var description: String {
    "PendingSignature(\(request.method), id: \(identity.id), stringToSign: \(Secret.mask))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings.
  public var customMirror: Mirror { Mirror(self, children: ["id": identity.id, "isPresigned": isPresigned]) }
}
