// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension TencentSTS {
  /// The maximum difference between a call's signing time and the current time.
  private static let clockTolerance = Duration.seconds(5 * 60)

  /// Authenticates a call, which may use the signature version 1 or TC3-HMAC-SHA256.
  ///
  /// Page: "Signature v3".
  ///
  /// - Returns: The access key that signed the call.
  func authenticate(_ call: InboundCall, _ parameters: CallParameters) throws(RefusalAnswer) -> AccessKey {
    if call.request.headerFields[.authorization] != nil { return try authenticateHeader(call) }
    if parameters["Signature"] != nil { return try authenticateParameters(call, parameters) }
    issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    throw .invalidAuthorization("The call carries no authorization.")
  }

  // MARK: TC3-HMAC-SHA256

  private func authenticateHeader(_ call: InboundCall) throws(RefusalAnswer) -> AccessKey {
    guard let authorization = call.authorization.flatMap({ ServiceAuthorization($0) }),
      authorization.algorithm == TC3Signature.algorithm
    else { throw .invalidAuthorization("The Authorization header is not valid for \(TC3Signature.algorithm).") }
    let parts = authorization.credential.words(between: "/", atMost: 1).map(String.init)
    guard parts.count == 2 else { throw .invalidAuthorization("The Credential has no scope.") }
    guard Set(authorization.signedHeaders).isSuperset(of: ["content-type", "host"]) else {
      throw .invalidAuthorization("The signature must cover the content type and the host.")
    }
    let key = try key(parts[0], at: call.date)
    let date = try time(call.header("x-tc-timestamp"), named: "X-TC-Timestamp", at: call.date)
    let scheme = TC3Signature(service: "sts", date: date)
    guard parts[1] == scheme.scope else {
      throw .signatureFailure("The scope of the Credential must be \(scheme.scope).")
    }
    let expected: String
    do {
      expected = try scheme.expected(for: call.call, signing: authorization.signedHeaders, secret: key.secret)
    } catch {
      throw .invalidAuthorization(error.message)
    }
    guard constantTimeEqual(expected, authorization.signature) else { throw .signatureFailure() }
    issuer.context.counters.verified(.tc3)
    try checkToken(call.header("x-tc-token"), of: key, at: call.date)
    return key
  }

  // MARK: Version 1

  private func authenticateParameters(
    _ call: InboundCall, _ parameters: CallParameters
  ) throws(RefusalAnswer) -> AccessKey {
    guard let id = parameters["SecretId"], let signature = parameters["Signature"], parameters["Nonce"] != nil,
      let pairs = call.pairs
    else { throw .invalidAuthorization("SecretId, Nonce and Signature are required.") }
    let method = parameters["SignatureMethod"]
    guard method == nil || method == "HmacSHA1" || method == "HmacSHA256" else {
      throw .invalidAuthorization("The SignatureMethod must be HmacSHA1 or HmacSHA256.")
    }
    let key = try key(id, at: call.date)
    _ = try time(parameters["Timestamp"], named: "Timestamp", at: call.date)
    let text = TencentV1Signature.stringToSign(
      method: call.request.method.rawValue, host: call.request.authority ?? "", path: call.path, parameters: pairs)
    let expected = TencentV1Signature.signature(of: text, secret: key.secret, method: method)
    guard constantTimeEqual(expected, signature) else { throw .signatureFailure() }
    issuer.context.counters.verified(.tencentV1)
    try checkToken(parameters["Token"], of: key, at: call.date)
    return key
  }

  // MARK: Shared checks

  private func key(_ id: String, at date: Timestamp) throws(RefusalAnswer) -> AccessKey {
    guard let key = issuer.context.keys.key(AccessKeyID(id), of: .cos, at: date) else {
      throw RefusalAnswer(.ok, "AuthFailure.SecretIdNotFound", "The SecretId is not found; check that it is right.")
    }
    return key
  }

  private func time(_ text: String?, named name: String, at date: Timestamp) throws(RefusalAnswer) -> Timestamp {
    guard let seconds = text.flatMap({ Int64($0) }), (0...253_402_300_799).contains(seconds) else {
      throw RefusalAnswer(.ok, "MissingParameter", "The request is missing a required parameter `\(name)`.")
    }
    let instant = Timestamp(unixSeconds: seconds)
    let distance = instant.duration(to: date)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw RefusalAnswer(
        .ok, "AuthFailure.SignatureExpire",
        "The provided signature is expired: the signing time is \(seconds), the server time is \(date.unixSeconds).")
    }
    return instant
  }

  private func checkToken(_ token: String?, of key: AccessKey, at date: Timestamp) throws(RefusalAnswer) {
    do {
      try TokenClaim(key.id, token: token).checkToken(against: key, at: date)
    } catch {
      throw RefusalAnswer(.ok, "AuthFailure.TokenFailure", "The token is wrong: \(error.message)")
    }
  }
}

extension RefusalAnswer {
  fileprivate static func invalidAuthorization(_ reason: String) -> RefusalAnswer {
    RefusalAnswer(.ok, "AuthFailure.InvalidAuthorization", reason)
  }

  fileprivate static func signatureFailure(_ reason: String = "") -> RefusalAnswer {
    let message = "The provided credentials could not be validated. Please check your signature is correct."
    return RefusalAnswer(.ok, "AuthFailure.SignatureFailure", reason.isEmpty ? message : "\(message) \(reason)")
  }
}
