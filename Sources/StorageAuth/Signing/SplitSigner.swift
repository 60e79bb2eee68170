// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer that works in two steps, so that the key can stay on a server ("self-signed mode").
///
/// The first step creates the string to sign on the device, from the request and the ``Identity`` of the key. The
/// device sends the string to the server that holds the key. The second step adds the signature from the server's
/// response to the request.
///
/// ```swift
/// let pending = try signer.prepare(request, as: identity, in: .now)
/// let signature = try await server.sign(pending.stringToSign)
/// let signed = try signer.finish(pending, signature: signature)
/// ```
public protocol SplitSigner<SigningCredential>: Signer where Request == HTTPRequest {
  /// Prepares a request that is signed in its headers, as the first step.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - identity: The identity of the key that will sign.
  ///   - context: The time of signing.
  /// - Returns: The string to sign, with the state that the second step needs.
  /// - Throws: A ``SigningError`` if the request or the identity is invalid.
  func prepare(
    _ request: HTTPRequest, as identity: Identity, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// Prepares a URL that carries its own authorization, as the first step.
  ///
  /// - Parameters:
  ///   - request: The request that the URL authorizes.
  ///   - identity: The identity of the key that will sign.
  ///   - duration: The validity of the URL in whole seconds.
  ///   - context: The time of signing.
  /// - Returns: The string to sign, with the state that the second step needs.
  /// - Throws: A ``SigningError`` if the request or the identity is invalid, or a limit of the service is exceeded.
  func prepare(
    presigning request: HTTPRequest, as identity: Identity, validFor duration: Duration, in context: SigningContext
  ) throws(SigningError) -> PendingSignature

  /// Adds a signature to the request that it was created for, as the second step.
  ///
  /// - Parameters:
  ///   - pending: The result of the first step.
  ///   - signature: The bare signature, or the whole authorization as the vendors' signing servers return it.
  /// - Returns: The signed request; for a URL, its path contains the authorization.
  /// - Throws: A ``SigningError`` if the signature is malformed or contains another access key ID.
  func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest
}

/// A request that is complete except for its signature.
///
/// The strings contain the session token in plain text, because the server needs every byte; `print`, `dump` and
/// `Mirror` do not show them.
public struct PendingSignature: Sendable {
  /// The string to sign.
  public let stringToSign: String

  /// The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has none.
  ///
  /// A server needs it to check the request that it signs.
  public let canonicalRequest: String?

  /// The identity of the key that will sign.
  public let identity: Identity

  /// The time at which the authorization expires, by the service's clock, or `nil` if the scheme does not state it.
  public let expiration: Timestamp?

  /// The signature scheme.
  public let scheme: SignatureScheme

  /// The request without its signature.
  public let request: HTTPRequest

  /// A Boolean value that indicates whether the signature becomes part of the URL.
  public let isPresigned: Bool

  /// The headers that the bearer of a URL must send because they are signed.
  public let signedHeaders: HTTPFields

  /// The part of the authorization before the signature, in the format of the scheme.
  public let authorizationPrefix: String

  /// Creates a request that is complete except for its signature; for implementations of signers.
  ///
  /// - Parameters:
  ///   - scheme: The signature scheme.
  ///   - stringToSign: The string to sign.
  ///   - canonicalRequest: The canonical request, whose hash is part of the string to sign, or `nil` if the scheme has
  ///     none.
  ///   - identity: The identity of the key that will sign.
  ///   - expiration: The time at which the authorization expires, or `nil` if the scheme does not state it.
  ///   - request: The request without its signature.
  ///   - isPresigned: Whether the signature becomes part of the URL.
  ///   - signedHeaders: The headers that the bearer of a URL must send because they are signed.
  ///   - authorizationPrefix: The part of the authorization before the signature, in the format of the scheme.
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
  /// The method and the access key ID; the strings are masked.
  public var description: String {
    "PendingSignature(\(request.method), id: \(identity.id), stringToSign: \(Secret.mask))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the strings.
  public var customMirror: Mirror { Mirror(self, children: ["id": identity.id, "isPresigned": isPresigned]) }
}
