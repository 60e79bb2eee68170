// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer that authorizes one request with one credential.
///
/// Signing is synchronous and pure: the same request, credential and context give the same result. It is atomic: if it
/// throws, the request is unchanged.
public protocol Signer<Request, SigningCredential>: Sendable {
  /// The type that is signed: an HTTP request, or the description of a transfer.
  associatedtype Request

  /// The type of credential that signs a request.
  associatedtype SigningCredential: Credential

  /// Returns the time until which a credential must be valid so that the service accepts a request signed at `date`.
  ///
  /// - Parameter date: The time of signing, by the service's clock.
  /// - Returns: The required expiration; a cache must not return a credential that expires before it.
  func requiredValidity(from date: Timestamp) -> Timestamp

  /// Signs a request.
  ///
  /// - Parameters:
  ///   - request: The request, to which the authorization is added; an earlier signature is replaced.
  ///   - credential: The credential; an anonymous one leaves the request unchanged.
  ///   - context: The time of signing.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid; the request
  ///   is then unchanged.
  func sign(_ request: inout Request, with credential: SigningCredential, in context: SigningContext)
    throws(SigningError)
}

extension Signer {
  /// Returns a signed copy of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - credential: The credential.
  ///   - context: The time of signing.
  /// - Returns: The request with its authorization.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid.
  public func signed(
    _ request: Request, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> Request {
    var request = request
    try sign(&request, with: credential, in: context)
    return request
  }
}
