/// Signs strings to sign for callers that hold no key, after reading them: the server's half of the self-signed mode.
///
/// A signer takes a string apart into the request that it authorizes, canonicalises that request again and compares the
/// bytes. ``sign(_:with:under:at:)`` then checks the request, and every other request that the signature fits, against
/// the caller's rules before the key signs.
public protocol StringSigner: Sendable {
  /// The short name of the service, as in its ``SignatureScheme``.
  var service: String { get }

  /// Reads what a signature would authorize.
  ///
  /// - Parameter order: What a caller wants to have signed.
  /// - Returns: The one request that the string stands for, and the other targets that its signature fits.
  /// - Throws: A ``SigningRefusal`` if the string is not, byte for byte, that of a request.
  func intent(of order: SigningRequest) throws(SigningRefusal) -> SigningIntent

  /// Returns the signature of a string that is within the rules.
  ///
  /// - Parameters:
  ///   - order: What a caller wants to have signed.
  ///   - intent: What ``intent(of:)`` returned for it.
  ///   - key: The key that signs.
  ///   - date: The present.
  /// - Returns: The signature in the text form of the scheme.
  /// - Throws: A ``SigningRefusal`` if the string cannot be signed after all.
  func signature(
    of order: SigningRequest, _ intent: SigningIntent, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String

  /// Returns the word in front of `id:signature` in the documented answer of the service's signing servers, or `nil` if
  /// they answer the id and the signature apart.
  ///
  /// - Parameter scheme: The scheme of the answer.
  func authorizationWord(for scheme: SignatureScheme) -> String?
}

extension StringSigner {
  /// Returns `nil`: the id and the signature are answered apart.
  public func authorizationWord(for scheme: SignatureScheme) -> String? { nil }

  /// Signs a string that is within the rules.
  ///
  /// - Parameters:
  ///   - order: What a caller wants to have signed.
  ///   - key: The key that signs.
  ///   - rules: What the caller may do.
  ///   - date: The present.
  /// - Returns: The signature.
  /// - Throws: A ``SigningRefusal`` if the string cannot be read in one way, or is outside of the rules.
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
