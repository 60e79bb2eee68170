// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A signer of strings for clients that hold no key, which parses each string before signing: the server's half of
/// self-signed mode.
///
/// A string signer parses the string into the request that it authorizes, canonicalizes that request again and compares
/// the bytes. ``sign(_:with:under:at:)`` then checks the request, and every other request that the signature fits,
/// against the caller's rules before the key signs.
public protocol StringSigner: Sendable {
  /// The short name of the service, as in its ``SignatureScheme``.
  var service: String { get }

  /// Parses the request that a signature would authorize.
  ///
  /// - Parameter order: The client's request to sign a string.
  /// - Returns: The one request that the string stands for, and the other targets that its signature fits.
  /// - Throws: A ``SigningRefusal`` if the string is not, byte for byte, that of a request.
  func intent(of order: SigningRequest) throws(SigningRefusal) -> SigningIntent

  /// Returns the signature of a string that is within the rules.
  ///
  /// - Parameters:
  ///   - order: The client's request to sign a string.
  ///   - intent: The result of ``intent(of:)`` for it.
  ///   - key: The signing key.
  ///   - date: The present.
  /// - Returns: The signature in the encoding of the scheme.
  /// - Throws: A ``SigningRefusal`` if the string cannot be signed although it is within the rules.
  func signature(
    of order: SigningRequest, _ intent: SigningIntent, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String

  /// Returns the word before `id:signature` in the response that the vendor documents for signing servers, or `nil` if
  /// their responses contain the ID and the signature separately.
  ///
  /// - Parameter scheme: The scheme of the response.
  func authorizationWord(for scheme: SignatureScheme) -> String?
}

extension StringSigner {
  /// Returns `nil`: the response contains the ID and the signature separately.
  public func authorizationWord(for scheme: SignatureScheme) -> String? { nil }

  /// Signs a string that is within the rules.
  ///
  /// - Parameters:
  ///   - order: The client's request to sign a string.
  ///   - key: The signing key.
  ///   - rules: The rules for the caller.
  ///   - date: The present.
  /// - Returns: The signature with the access key ID and the session token of the key.
  /// - Throws: A ``SigningRefusal`` if the string cannot be parsed in exactly one way, or is outside of the rules.
  public func sign(
    _ order: SigningRequest, with key: AccessKey, under rules: SigningRules, at date: Timestamp
  ) throws(SigningRefusal) -> SigningResponse {
    let intent = try intent(of: order)
    try rules.check(intent, with: key, at: date)
    return SigningResponse(
      accessKeyID: key.id, signature: try signature(of: order, intent, with: key, at: date),
      sessionToken: key.sessionToken)
  }
}
