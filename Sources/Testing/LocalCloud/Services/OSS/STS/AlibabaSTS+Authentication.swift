// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension AlibabaSTS {
  /// The maximum difference between a call's signing time and the current time.
  ///
  /// A nonce is remembered for twice as long.
  private static let clockTolerance = Duration.seconds(15 * 60)

  /// Authenticates a call, which may use the RPC signature scheme or ACS3-HMAC-SHA256.
  ///
  /// Pages: "Request syntax and signature method V3", and "Signature mechanism" for the RPC signature scheme.
  ///
  /// - Returns: The ID of the access key that signed the call.
  func authenticate(_ call: InboundCall, _ parameters: CallParameters) throws(RefusalAnswer) -> AccessKeyID {
    if call.request.headerFields[.authorization] != nil { return try authenticateHeader(call) }
    if parameters["Signature"] != nil { return try authenticateParameters(call, parameters) }
    issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    throw RefusalAnswer(.badRequest, "MissingAccessKeyId", "AccessKeyId is mandatory for this action.")
  }

  // MARK: ACS3-HMAC-SHA256

  private func authenticateHeader(_ call: InboundCall) throws(RefusalAnswer) -> AccessKeyID {
    guard let authorization = call.authorization.flatMap({ ServiceAuthorization($0) }),
      authorization.algorithm == ACS3Signature.algorithm
    else { throw .incompleteSignature("the Authorization header is not valid for \(ACS3Signature.algorithm)") }
    guard Set(authorization.signedHeaders).isSuperset(of: ACS3Signature.signedHeaders(of: call.call)) else {
      throw .incompleteSignature("the signature must cover the host, the content type and every x-acs- header")
    }
    guard call.header("x-acs-content-sha256") == SHA256.hash(call.call.body).hex else {
      throw .incompleteSignature("x-acs-content-sha256 is not the hash of the body")
    }
    guard let nonce = call.header("x-acs-signature-nonce"), !nonce.isEmpty else {
      throw RefusalAnswer(.badRequest, "MissingSignatureNonce", "SignatureNonce is mandatory for this action.")
    }
    let token = call.header("x-acs-security-token")
    let key = try key(authorization.credential, at: call.date)
    try checkTime(call.header("x-acs-date"), at: call.date)
    let canonical: String
    do {
      canonical = try ACS3Signature.canonicalRequest(of: call.call, signing: authorization.signedHeaders)
    } catch {
      throw .incompleteSignature(error.message)
    }
    let text = ACS3Signature.stringToSign(canonicalRequest: canonical)
    guard constantTimeEqual(ACS3Signature.signature(of: text, secret: key.secret), authorization.signature) else {
      let shown = SecretMask([key.sessionToken].compactMap(\.self), masksNamedValues: true).applied(to: canonical)
      throw .mismatch("server CanonicalRequest is [\(shown)] and StringToSign is [\(text)]")
    }
    issuer.context.counters.verified(.acs3)
    return try accept(key, token: token, nonce: nonce, at: call.date)
  }

  // MARK: RPC

  private func authenticateParameters(
    _ call: InboundCall, _ parameters: CallParameters
  ) throws(RefusalAnswer) -> AccessKeyID {
    guard let id = parameters["AccessKeyId"], let signature = parameters["Signature"],
      let nonce = parameters["SignatureNonce"], let pairs = call.pairs
    else { throw .incompleteSignature("AccessKeyId, Signature and SignatureNonce are required") }
    guard parameters["SignatureMethod"] == "HMAC-SHA1", parameters["SignatureVersion"] == "1.0" else {
      throw .incompleteSignature("the SignatureMethod must be HMAC-SHA1 and the SignatureVersion 1.0")
    }
    let key = try key(id, at: call.date)
    try checkTime(parameters["Timestamp"], at: call.date)
    let method = call.request.method.rawValue
    let text = RPCSignature.stringToSign(method: method, parameters: pairs)
    guard constantTimeEqual(RPCSignature.signature(of: text, secret: key.secret), signature) else {
      let masked = pairs.map { $0.name == "SecurityToken" ? FormPair($0.name, Secret.mask) : $0 }
      throw .mismatch(
        "server string to sign is:\(RPCSignature.stringToSign(method: method, parameters: masked))")
    }
    issuer.context.counters.verified(.alibabaRPC)
    return try accept(key, token: parameters["SecurityToken"], nonce: nonce, at: call.date)
  }

  // MARK: Shared checks

  private func key(_ text: String, at date: Timestamp) throws(RefusalAnswer) -> AccessKey {
    let id = AccessKeyID(text)
    if let key = issuer.context.keys.key(id, of: .oss, at: date) { return key }
    if issuer.context.keys.isDisabled(id) {
      throw RefusalAnswer(.badRequest, "InvalidAccessKeyId.Inactive", "Specified access key is disabled.")
    }
    throw RefusalAnswer(.notFound, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
  }

  private func checkTime(_ text: String?, at date: Timestamp) throws(RefusalAnswer) {
    guard let instant = text.flatMap({ Timestamp(iso8601: $0) }) else {
      throw RefusalAnswer(
        .badRequest, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted.")
    }
    let distance = instant.duration(to: date)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw RefusalAnswer(.badRequest, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
    }
  }

  /// Checks the session token and the nonce of a call whose signature is valid, and returns the access key ID.
  ///
  /// - Throws: An error response if the session token is missing, invalid or expired, or if the nonce was used before.
  private func accept(
    _ key: AccessKey, token: String?, nonce: String, at date: Timestamp
  ) throws(RefusalAnswer) -> AccessKeyID {
    do {
      try TokenClaim(key.id, token: token).checkToken(against: key, at: date)
    } catch {
      switch error.code {
      case .missingToken:
        throw RefusalAnswer(.badRequest, "MissingSecurityToken", "SecurityToken is mandatory for this action.")
      case .keyExpired:
        throw RefusalAnswer(.badRequest, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
      default:
        throw RefusalAnswer(
          .badRequest, "InvalidSecurityToken.MismatchWithAccessKey",
          "Specified SecurityToken mismatch with the AccessKey.")
      }
    }
    let end = date.advanced(by: Self.clockTolerance * 2)
    guard nonces.insert("\(key.id) \(nonce)", until: end, at: date) else {
      throw RefusalAnswer(.badRequest, "SignatureNonceUsed", "Specified signature nonce was used already.")
    }
    return key.id
  }
}

extension RefusalAnswer {
  fileprivate static func incompleteSignature(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "IncompleteSignature", "The request signature does not conform to Aliyun standards: \(reason).")
  }

  fileprivate static func mismatch(_ comparison: String) -> RefusalAnswer {
    RefusalAnswer(
      .badRequest, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation. \(comparison)")
  }
}
