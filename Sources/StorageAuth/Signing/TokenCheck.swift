package import HTTPTypes
internal import StorageCrypto

extension SignatureClaim {
  /// Compares the session token of a request with that of its key.
  ///
  /// - Parameters:
  ///   - key: The key of the claim's id.
  ///   - date: The present.
  /// - Throws: A ``VerificationError`` if one is missing, they differ, or the key has ended.
  package func checkToken(against key: AccessKey, at date: Timestamp) throws(VerificationError) {
    guard key.id == accessKeyID else { throw .unknownKey(accessKeyID) }
    switch (key.sessionToken, sessionToken) {
    case (nil, nil): break
    case (.some, nil):
      throw VerificationError(
        .missingToken, "The key is temporary and the request has no session token.",
        remedy: "Give the session token along with the id and the secret."
      ).with(accessKeyID: accessKeyID)
    case (nil, .some):
      throw VerificationError(
        .invalidToken, "The request has a session token and the key is permanent.",
        remedy: "Leave the session token out."
      ).with(accessKeyID: accessKeyID)
    case (let expected?, let given?):
      guard expected == given else {
        throw VerificationError(
          .invalidToken, "The session token does not belong to the key.",
          remedy: "Use the id, the secret and the token of one answer of the token service."
        ).with(accessKeyID: accessKeyID)
      }
    }
    if let expiration = key.expiration, expiration <= date {
      throw VerificationError(
        .keyExpired, "The temporary key ended at \(expiration).", remedy: "Get a new one."
      ).with(accessKeyID: accessKeyID, instant: expiration)
    }
  }

  /// The error for a signature that does not match, with every session token masked: the claim's own, and any that came
  /// along in a place where it does not count.
  package func mismatch(
    of request: HTTPRequest, _ target: RequestTarget, signature: String, stringToSign: String,
    canonicalRequest: String? = nil
  ) -> VerificationError {
    var tokens = sessionToken.map { [$0] } ?? []
    tokens += request.headerFields.filter { SecretName.isToken($0.name.canonicalName) }.map { Secret($0.value) }
    tokens += target.parameters.filter { SecretName.isToken($0.name.string) }.compactMap {
      $0.value.map { Secret($0.string) }
    }
    var error = VerificationError(
      .mismatch, "The signature is not the one of the request and the key.",
      remedy: "Compare the string to sign with the one of the client, line by line; then check the secret.")
    error.accessKeyID = accessKeyID
    error.comparison = .init(
      signatureProvided: signature, stringToSign: Self.masked(stringToSign, tokens),
      canonicalRequest: canonicalRequest.map { Self.masked($0, tokens) })
    return error
  }

  private static func masked(_ text: String, _ tokens: [Secret]) -> String {
    tokens.reduce(text) { $0.masking($1) }
  }
}
