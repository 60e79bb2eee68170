// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer that adds header fields to a request, and can return them without the request.
///
/// A client with requests of its own type sets the fields itself; see ``SignableRequest``.
///
/// ```swift
/// for field in try signer.fields(for: request, with: key, in: .now) {
///   head.headers.replaceOrAdd(name: field.name.rawName, value: field.value)
/// }
/// ```
public protocol HeaderSigner<SigningCredential>: Signer where Request == HTTPRequest {
  /// The type of the prepared signer.
  associatedtype Prepared: PreparedSigner

  /// Prepares what the signatures of several requests have in common: the checked credential, the date, the derived key.
  ///
  /// - Parameters:
  ///   - credential: The credential that signs the requests. An anonymous credential adds no fields.
  ///   - context: The time of signing.
  /// - Returns: A signer of requests that are sent within seconds of the time of signing.
  /// - Throws: A ``SigningError`` if the credential or the signer's configuration is invalid.
  func prepared(with credential: SigningCredential, in context: SigningContext) throws(SigningError) -> Prepared
}

/// A signer of requests with one credential at one time, which creates the same fields as a signer of single requests.
///
/// Services accept a signature only for some minutes. Prepare a new one after a second, or when the credential changes.
public protocol PreparedSigner: Sendable {
  /// Returns the header fields that authorize a request.
  ///
  /// - Parameter request: The request to sign.
  /// - Returns: The fields in the order in which they are to be set. Each replaces the request's fields of its name.
  /// - Throws: A ``SigningError`` if the request is invalid.
  func fields(for request: some SignableRequest) throws(SigningError) -> [HTTPField]

  /// Signs a request by setting the fields in it.
  ///
  /// - Parameter request: The request to sign; an earlier signature is replaced.
  /// - Throws: A ``SigningError`` if the request is invalid; it is then unchanged.
  func sign(_ request: inout HTTPRequest) throws(SigningError)
}

extension HeaderSigner {
  /// Returns the header fields that authorize a request.
  ///
  /// - Parameters:
  ///   - request: The request to sign. If the credential has no session token, the request must not have the field of
  ///     one.
  ///   - credential: The credential that signs the request. An anonymous credential adds no fields.
  ///   - context: The time of signing.
  /// - Returns: The fields in the order in which they are to be set. Each replaces the request's fields of its name.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid.
  @inlinable
  public func fields(
    for request: some SignableRequest, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> [HTTPField] {
    try prepared(with: credential, in: context).fields(for: request)
  }
}
