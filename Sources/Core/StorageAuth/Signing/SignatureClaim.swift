// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The identity that a request or a form claims for its signature, before the signature is verified.
public protocol SignatureClaim: Sendable {
  /// The ID of the access key that the claim says created the signature.
  var accessKeyID: AccessKeyID { get }
  /// The session token that accompanies the signature, or `nil` if the request contains no session token.
  var sessionToken: Secret? { get }
}

extension SignatureClaim {
  /// Compares the claimed ID and session token with an access key, and checks the key's expiration; for verifiers.
  ///
  /// - Parameters:
  ///   - key: The access key with the claimed ID.
  ///   - date: The current time.
  /// - Throws: A ``VerificationError`` if the IDs or the tokens differ, one token is missing, or the key has expired.
  public func checkToken(against key: AccessKey, at date: Timestamp) throws(VerificationError) {
    guard key.id == accessKeyID else { throw .unknownKey(accessKeyID) }
    switch (key.sessionToken, sessionToken) {
    case (nil, nil): break
    case (let expected?, let given?) where expected == given: break
    case (.some, nil):
      throw error(
        .missingToken, "The key is temporary and the request has no session token.",
        remedy: "Give the session token along with the id and the secret.")
    case (nil, .some):
      throw error(
        .invalidToken, "The request has a session token and the key is permanent.",
        remedy: "Leave the session token out.")
    case (.some, .some):
      throw error(
        .invalidToken, "The session token does not belong to the key.",
        remedy: "Use the id, the secret and the token of one answer of the token service.")
    }
    if let expiration = key.expiration, expiration <= date {
      throw error(.keyExpired, "The temporary key expired at \(expiration).", remedy: "Get a new one.")
        .with(instant: expiration)
    }
  }

  private func error(_ code: VerificationError.Code, _ message: String, remedy: String) -> VerificationError {
    VerificationError(code, message, remedy: remedy).with(accessKeyID: accessKeyID)
  }

  /// Returns the error for a signature that does not match; for implementations of verifiers.
  ///
  /// The error contains the strings that the verifier computed, in which the claim's session token and values with
  /// secret names are masked. If `key` is a decoy for a missing key, there are no strings, and `texts` is not called.
  ///
  /// - Parameters:
  ///   - signature: The signature that the request contains.
  ///   - key: The access key that the signature was verified with.
  ///   - texts: A closure that computes the string to sign and the canonical request.
  /// - Throws: The error that `texts` throws.
  public func mismatch<Failure>(
    _ signature: String, with key: AccessKey, texts: () throws(Failure) -> SignedTexts
  ) throws(Failure) -> VerificationError {
    var error = error(
      .mismatch, "The signature does not match the request and the key.",
      remedy: "Compare the string to sign with the client's, line by line; then check the secret.")
    guard !key.isDecoy else { return error }
    let texts = try texts()
    let mask = SecretMask([sessionToken].compactMap(\.self), masksNamedValues: true)
    error.comparison = .init(
      signatureProvided: signature, stringToSign: mask.applied(to: texts.stringToSign),
      canonicalRequest: texts.canonicalRequest.map { mask.applied(to: $0) })
    return error
  }
}

/// A request's string to sign and canonical request, with session tokens in plain text.
public struct SignedTexts: Sendable {
  /// The string to sign of the request.
  public let stringToSign: String
  /// The canonical request whose hash is part of the string to sign, or `nil` if the scheme has none.
  public let canonicalRequest: String?

  /// Creates the pair of texts, for implementations of verifiers; the parameters are the properties.
  public init(stringToSign: String, canonicalRequest: String?) {
    self.stringToSign = stringToSign
    self.canonicalRequest = canonicalRequest
  }
}

extension SignedTexts: Redacted {
  /// A description with a mask in place of the strings.
  public var description: String { "SignedTexts(\(Secret.mask))" }
}
