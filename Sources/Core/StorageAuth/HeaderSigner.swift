// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A signer that authorizes a request by header fields, and can return them alone.
///
/// An HTTP client with its own type of requests sets the returned fields itself; see ``SignableRequest``.
///
/// ```swift
/// for (name, value) in try signer.fields(for: head, with: key, in: .now) {
///   head.headers.replaceOrAdd(name: name.rawName, value: value)
/// }
/// ```
public protocol HeaderSigner<SigningCredential>: Signer where Request == HTTPRequest {
  /// Returns the header fields that authorize a request, which is neither copied nor changed.
  ///
  /// - Parameters:
  ///   - request: The request to sign, without the field of a session token if the credential has none.
  ///   - credential: The credential that signs the request. An anonymous credential adds no fields.
  ///   - context: The time of signing.
  /// - Returns: The names and values in the order to set them; each replaces all fields of its name.
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid.
  func fields(
    for request: HTTPRequest, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)]

  /// Creates a signer of requests with one credential at one time.
  ///
  /// - Parameters:
  ///   - credential: The credential that signs the requests. An anonymous credential leaves them unchanged.
  ///   - context: The time of signing.
  /// - Returns: A signer whose results equal those of this signer at that time.
  /// - Throws: A ``SigningError`` if the credential or the signer's configuration is invalid. The default
  ///   implementation throws it for each request instead.
  func preparedSigner(
    with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> PreparedSigner
}

extension HeaderSigner {
  /// Returns the header fields that authorize a request of any library, as the requirement describes.
  ///
  /// - Throws: A ``SigningError`` if the request, the credential or the signer's configuration is invalid.
  public func fields(
    for request: some SignableRequest, with credential: SigningCredential, in context: SigningContext
  ) throws(SigningError) -> [(name: HTTPField.Name, value: String)] {
    try fields(for: HTTPRequest(request), with: credential, in: context)
  }
}
