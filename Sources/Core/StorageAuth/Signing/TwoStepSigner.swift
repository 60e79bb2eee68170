// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

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
  /// - Throws: A ``SigningError`` with the code ``SigningError/Code/invalidSignature`` if the signature is malformed or
  ///   belongs to another access key ID.
  func finish(_ pending: PendingSignature, signature: String) throws(SigningError) -> HTTPRequest
}
