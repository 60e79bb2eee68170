// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
package import StorageCrypto

/// A signer that works in two steps, so that the secret key can stay on a server ("self-signed mode").
///
/// In the first step, the device creates the string to sign from the request and the key's ``Identity``, and sends it
/// to the server that holds the key. In the second step, it adds the signature of the server's response to the request.
///
/// ```swift
/// let pending = try signer.prepare(request, as: identity, in: .now)
/// let signature = try await server.sign(pending.stringToSign)
/// let signed = try signer.finish(pending, signature: signature)
/// ```
public protocol TwoStepSigner<SigningCredential>: Signer where Request == HTTPRequest {
  /// Prepares a request for a signature in its headers; this is the first of two steps.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - identity: The identity of the key that will sign the request.
  ///   - context: The time of signing.
  /// - Returns: The string to sign, with the state that the second step needs.
  /// - Throws: A ``SigningError`` if the request or the identity is invalid.
  func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// Prepares a presigned URL, which contains its own authorization; this is the first of two steps.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The identity of the key that will sign the URL.
  ///   - duration: The validity period of the URL in whole seconds.
  ///   - context: The time of signing.
  /// - Returns: The string to sign, with the state that the second step needs.
  /// - Throws: A ``SigningError`` if the request or the identity is invalid, or a limit of the service is exceeded.
  func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// Adds a signature to a prepared request; this is the second of two steps.
  ///
  /// - Parameters:
  ///   - pending: The result of the first step.
  ///   - signature: The bare signature, or the whole authorization as the vendors' signing servers return it.
  /// - Returns: The signed request. The path of a presigned URL contains the authorization.
  /// - Throws: A ``SigningError`` (`invalidSignature`) if the signature is malformed or of another access key ID.
  func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest
}

/// A request that is complete except for its signature.
///
/// The strings contain the session token in plain text, which the server needs; `print`, `dump` and `Mirror` hide them.
public struct PendingSignature: Sendable {
  /// The string that the key holder must sign.
  public let stringToSign: String
  /// The canonical request, which the server needs to check the request, or `nil` if the scheme has none.
  public let canonicalRequest: String?
  /// The identity of the key that will sign the request.
  public let identity: Identity
  /// The time at which the authorization expires, by the service's clock, or `nil` if it contains no expiration.
  public let expiration: Timestamp?
  /// The signature scheme of the string to sign.
  public let scheme: SignatureScheme
  /// The HTTP request without its signature.
  public let request: HTTPRequest
  /// Whether the signature becomes part of the URL, rather than of the headers.
  public let isPresigned: Bool
  /// The signed headers that the user of a presigned URL must send.
  public let signedHeaders: HTTPFields
  /// The part of the authorization before the signature, in the format of the signature scheme.
  public let authorizationPrefix: String

  /// Creates a pending signature, for implementations of ``TwoStepSigner``; the parameters are the properties.
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

extension PendingSignature: Redacted {
  /// The HTTP method and the access key ID, with the string to sign masked.
  public var description: String {
    "PendingSignature(\(request.method), id: \(identity.id), stringToSign: \(Secret.mask))"
  }
}

extension PendingSignature {
  /// Creates a request that is complete except for its signature.
  ///
  /// - Parameters:
  ///   - fields: The header fields of the request, complete except for the signature.
  ///   - path: The path of a presigned URL up to the signature, or `nil` for a signature in the headers.
  ///   - signedHeaders: The signed headers if the signature becomes part of the URL.
  package init(
    _ scheme: SignatureScheme, of request: HTTPRequest, fields: HTTPFields, path: String?, as identity: Identity,
    until expiration: Timestamp?, texts: SignedTexts, signedHeaders: @autoclosure () -> HTTPFields, prefix: String
  ) {
    var prepared = request
    prepared.headerFields = fields
    if let path { prepared.path = path }
    self.init(
      scheme, stringToSign: texts.stringToSign, canonicalRequest: texts.canonicalRequest, identity: identity,
      expiration: expiration, request: prepared, isPresigned: path != nil,
      signedHeaders: path == nil ? [:] : signedHeaders(), authorizationPrefix: prefix)
  }

  /// Returns the signature alone, for a signature that a server returned alone or as a whole authorization.
  package func bare(_ signature: String) -> String {
    signature.removingBytePrefix(authorizationPrefix).map { String($0) } ?? signature
  }

  /// Returns the request with its signature, for which a presigned URL has the suffix.
  package func request(with signature: String, urlSuffix suffix: String) -> HTTPRequest {
    var request = request
    if isPresigned {
      request.path = (request.path ?? "/") + suffix
    } else {
      request.headerFields.replace(HTTPField(name: .authorization, value: authorizationPrefix + signature))
    }
    return request
  }
}

extension ByteWriter {
  /// Appends the scheme and the host of a request's URL, with `https` as the default.
  package mutating func append(originOf request: HTTPRequest) {
    append(request.scheme ?? "https")
    append("://")
    append(request.authority ?? "")
  }
}
