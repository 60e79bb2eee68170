// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// A server-side signer of strings for clients that hold no key, which parses each string before signing.
///
/// It is the server's part of a setup in which clients build requests, and a server with the key signs them. It is not
/// a signing oracle: it parses the string into the request that it authorizes, canonicalizes this request again and
/// compares the bytes. Before the key signs, ``sign(_:with:under:at:)`` checks this request, and every other request
/// for which the signature would be valid, against the caller's rules.
public protocol StringToSignSigner: Sendable {
  /// The short name of the storage service, as in its ``SignatureScheme``.
  var service: String { get }

  /// Parses a string to sign into the request that its signature would authorize.
  ///
  /// - Parameter request: The client's request to sign a string.
  /// - Returns: The request that the string represents, and the other targets for which the signature would be valid.
  /// - Throws: A ``SigningRefusal`` if the string is not, byte for byte, the string to sign of a request.
  func intent(of request: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest

  /// Returns the encoded signature of a string that has passed the checks of ``sign(_:with:under:at:)``.
  ///
  /// - Parameters:
  ///   - request: The client's request to sign a string.
  ///   - authorizedRequest: The result of ``intent(of:)`` for the client's request.
  ///   - key: The access key that signs the string.
  ///   - date: The current time.
  /// - Throws: A ``SigningRefusal`` if the string cannot be signed although it satisfies the rules.
  func signature(
    of request: SigningRequest, _ authorizedRequest: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String

  /// Returns the word before `id:signature` in the response format that the vendor documents for signing servers.
  ///
  /// The result is `nil` if the vendor's signing servers return the ID and the signature separately.
  func authorizationWord(for scheme: SignatureScheme) -> String?
}

extension StringToSignSigner {
  /// Returns `nil`, because the signing server returns the access key ID and the signature separately.
  public func authorizationWord(for scheme: SignatureScheme) -> String? { nil }

  /// Signs a client's string if the request that it represents satisfies the caller's rules.
  ///
  /// - Parameters:
  ///   - request: The client's request to sign a string.
  ///   - key: The access key that signs the string.
  ///   - rules: The rules for the caller.
  ///   - date: The current time.
  /// - Throws: A ``SigningRefusal`` if the string cannot be parsed in exactly one way, or violates the rules.
  public func sign(
    _ request: SigningRequest, with key: AccessKey, under rules: SigningRules, at date: Timestamp
  ) throws(SigningRefusal) -> SigningResponse {
    let authorizedRequest = try intent(of: request)
    try rules.check(authorizedRequest, with: key, at: date)
    return SigningResponse(
      accessKeyID: key.id, signature: try signature(of: request, authorizedRequest, with: key, at: date),
      sessionToken: key.sessionToken)
  }
}
