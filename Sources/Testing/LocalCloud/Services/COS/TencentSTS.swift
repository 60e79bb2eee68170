// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The simulated token service of Tencent Cloud (STS 2018-08-13).
///
/// It supports GetFederationToken, AssumeRole, AssumeRoleWithWebIdentity and GetCallerIdentity, which are also the names
/// of the pages. Like the real service, it reports errors with the status 200 and an error document.
struct TencentSTS: TokenServiceHandler {
  private static let version = "2018-08-13"
  private static let policyByteLimit = 6144

  /// The maximum lifetime of a credential from GetFederationToken, in seconds.
  private static let federationLimit: Int64 = 129_600

  let endpoint = LocalCloud.Endpoint.sts
  let issuer: Issuer
  let identityTokens: [Secret]

  func handles(_ call: InboundCall) -> Bool {
    if call.header("x-tc-action") != nil { return true }
    if let authorization = call.authorization, authorization.hasBytePrefix("TC3") || authorization == "SKIP" {
      return true
    }
    return call.pairs?.contains { $0.name == "SecretId" || $0.name == "Version" && $0.value == Self.version } ?? false
  }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    let parameters = try parameters(of: call)
    let names = call.names(parameters, inHeaders: "x-tc-")
    guard let action = names.action else { throw .missing("Action") }
    guard let version = names.version else { throw .missing("Version") }
    guard version == Self.version else {
      throw ErrorResponse(.ok, "NoSuchVersion", "The version \(version) does not exist.")
    }
    switch action {
    case "GetFederationToken": return try federationToken(call, parameters)
    case "AssumeRole":
      return try assumeRole(call, parameters, by: authenticate(call, parameters), default: 7200)
    case "AssumeRoleWithWebIdentity": return try assumeRoleWithWebIdentity(call, parameters)
    case "GetCallerIdentity":
      return callerIdentity(issuer.context.keys.tokens.session(of: try authenticate(call, parameters).id), call)
    default: throw ErrorResponse(.ok, "InvalidAction", "The action \(action) does not exist.")
    }
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let document: JSONValue = [
      "Response": [
        "Error": ["Code": .string(error.code), "Message": .string(error.message)], "RequestId": .string(call.requestID),
      ]
    ]
    return Answer(document, error.status.kind == .serverError ? error.status : .ok)
  }

  private func parameters(of call: InboundCall) throws(ErrorResponse) -> CallParameters {
    if call.header("content-type")?.asciiLowercased.hasBytePrefix("application/json") == true, !call.call.body.isEmpty {
      guard let members = (try? JSONValue(parsing: call.call.body))?.object else {
        throw ErrorResponse(.ok, "InvalidParameter", "The body is not an object in JSON.")
      }
      return CallParameters(members.reduce(into: [:]) { values, member in values[member.name] = member.value.code })
    }
    guard let pairs = call.pairs, let parameters = CallParameters(pairs) else {
      throw ErrorResponse(.ok, "InvalidParameter", "A parameter occurs twice or cannot be decoded.")
    }
    return parameters
  }

  // MARK: Actions

  private func federationToken(_ call: InboundCall, _ parameters: CallParameters) throws(ErrorResponse) -> Answer {
    let caller = try authenticate(call, parameters)
    guard caller.sessionToken == nil else {
      throw ErrorResponse(.ok, "UnauthorizedOperation", "GetFederationToken needs a permanent key.")
    }
    guard let name = parameters["Name"] else { throw .missing("Name") }
    guard let policy = try policy(parameters) else { throw .missing("Policy") }
    let lifetime = try lifetime(parameters, default: 1800, longest: Self.federationLimit)
    let order = TokenTable.Request(
      provider: .cos, role: nil, session: name, policy: policy, lifetime: lifetime, caller: caller.id)
    return response(issuer.issue(order, by: endpoint, at: call.date), call)
  }

  private func assumeRoleWithWebIdentity(
    _ call: InboundCall, _ parameters: CallParameters
  ) throws(ErrorResponse) -> Answer {
    guard parameters["ProviderId"] != nil else { throw .missing("ProviderId") }
    guard let token = parameters["WebIdentityToken"] else { throw .missing("WebIdentityToken") }
    let given = Secret(token)
    guard identityTokens.contains(given) else {
      throw ErrorResponse(.ok, "InvalidParameter.WebIdentityTokenError", "The WebIdentityToken is not valid.")
    }
    return try assumeRole(call, parameters, by: nil, default: 7200)
  }

  private func assumeRole(
    _ call: InboundCall, _ parameters: CallParameters, by caller: AccessKey?, default fallback: Int64
  ) throws(ErrorResponse) -> Answer {
    guard let arn = parameters["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = parameters["RoleSessionName"] else { throw .missing("RoleSessionName") }
    let policy = try policy(parameters)
    guard let role = issuer.role(arn), role.provider == .cos else {
      throw ErrorResponse(.ok, "ResourceNotFound.RoleNotFound", "The role \(arn) does not exist.")
    }
    if let caller, !issuer.allows(caller.id, toAssume: role, at: call.date) {
      throw ErrorResponse(.ok, "UnauthorizedOperation", "The caller is not allowed to assume the role \(arn).")
    }
    let longest = role.maximumDuration.components.seconds
    let lifetime = try lifetime(parameters, default: min(fallback, longest), longest: longest)
    let order = TokenTable.Request(
      provider: .cos, role: role, session: session, policy: policy, lifetime: lifetime, caller: caller?.id)
    return response(issuer.issue(order, by: endpoint, at: call.date), call)
  }

  // MARK: Parameters

  private func lifetime(
    _ parameters: CallParameters, default fallback: Int64, longest: Int64
  ) throws(ErrorResponse) -> Duration {
    let limits = 1...max(longest, 1)
    guard let lifetime = issuer.lifetime(parameters["DurationSeconds"], default: fallback, in: limits) else {
      throw ErrorResponse(
        .ok, "InvalidParameter.OverTimeError",
        "DurationSeconds must be \(limits.lowerBound) to \(limits.upperBound).")
    }
    return lifetime
  }

  /// Returns the session policy, or `nil` if the call contains none.
  ///
  /// In addition to the encoding of the request, the policy is percent-encoded; some SDKs omit this second encoding.
  private func policy(_ parameters: CallParameters) throws(ErrorResponse) -> SessionPolicy? {
    guard let text = parameters["Policy"] else { return nil }
    guard text.utf8.count <= Self.policyByteLimit * 3 else { throw .policyTooLong }
    let decoded = FormPair.read("policy=\(text)")?.first?.value
    for policy in [decoded, text].compactMap(\.self) {
      guard let document = try? JSONValue(parsing: policy.utf8), document.object != nil else { continue }
      guard policy.utf8.count <= Self.policyByteLimit else { throw .policyTooLong }
      if document.hasMember("principal") {
        throw ErrorResponse(.ok, "InvalidParameter.StrategyInvalid", "The policy must not contain a principal.")
      }
      do {
        return try SessionPolicy(policy, in: .cam)
      } catch {
        throw .malformedPolicy(error.reason)
      }
    }
    throw .malformedPolicy("It is not an object in JSON.")
  }

  private func response(_ key: RevealedKey, _ call: InboundCall) -> Answer {
    Answer([
      "Response": [
        "Credentials": [
          "Token": .string(key.token), "TmpSecretId": .string(key.id), "TmpSecretKey": .string(key.secret),
        ],
        "ExpiredTime": .number(JSONNumber(key.end.unixSeconds)), "Expiration": .string(key.end.iso8601),
        "RequestId": .string(call.requestID),
      ]
    ])
  }

  /// Describes the caller: a session of a role, a federated user, or the account whose key signed the call.
  private func callerIdentity(_ session: LocalCloud.Session?, _ call: InboundCall) -> Answer {
    let account = SimulatedService.account
    let user = session?.role == nil ? account : "4611686000000000000"
    let place =
      if let session { "sts:\(account):\(session.role == nil ? "federated-user" : "assumed-role")" } else {
        "cam:\(account):uin"
      }
    return Answer([
      "Response": [
        "Type": .string(session?.role == nil ? "CAMUser" : "CAMRole"), "AccountId": .string(account),
        "UserId": .string(session.map { "\(user):\($0.name)" } ?? user), "PrincipalId": .string(account),
        "Arn": .string("qcs::\(place)/\(user)"),
        "RequestId": .string(call.requestID),
      ]
    ])
  }

  /// The maximum difference between a call's signing time and the current time.
  private static let clockTolerance = Duration.seconds(5 * 60)

  /// Returns the key that signed a call with version 1 or TC3-HMAC-SHA256.
  ///
  /// Page: "Signature v3".
  func authenticate(_ call: InboundCall, _ parameters: CallParameters) throws(ErrorResponse) -> AccessKey {
    if call.request.headerFields[.authorization] != nil { return try authenticateHeader(call) }
    if parameters["Signature"] != nil { return try authenticateParameters(call, parameters) }
    issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    throw .invalidAuthorization("The call carries no authorization.")
  }

  // MARK: TC3-HMAC-SHA256

  private func authenticateHeader(_ call: InboundCall) throws(ErrorResponse) -> AccessKey {
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
  ) throws(ErrorResponse) -> AccessKey {
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

  private func key(_ id: String, at date: Timestamp) throws(ErrorResponse) -> AccessKey {
    guard let key = issuer.key(AccessKeyID(id), of: .cos, at: date) else {
      throw ErrorResponse(.ok, "AuthFailure.SecretIdNotFound", "The SecretId is not found; check that it is right.")
    }
    return key
  }

  private func time(_ text: String?, named name: String, at date: Timestamp) throws(ErrorResponse) -> Timestamp {
    guard let seconds = text.flatMap({ Int64(digits: $0) }), (0...253_402_300_799).contains(seconds) else {
      throw ErrorResponse(.ok, "MissingParameter", "The request is missing a required parameter `\(name)`.")
    }
    let instant = Timestamp(unixSeconds: seconds)
    let distance = instant.duration(to: date)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw ErrorResponse(
        .ok, "AuthFailure.SignatureExpire",
        "The provided signature is expired: the signing time is \(seconds), the server time is \(date.unixSeconds).")
    }
    return instant
  }

  private func checkToken(_ token: String?, of key: AccessKey, at date: Timestamp) throws(ErrorResponse) {
    do {
      try TokenClaim(key.id, token: token).checkToken(against: key, at: date)
    } catch {
      throw ErrorResponse(.ok, "AuthFailure.TokenFailure", "The token is wrong: \(error.message)")
    }
  }
}

extension JSONValue {
  /// Returns whether the JSON value contains an object with a member of a given name, at any depth.
  fileprivate func hasMember(_ name: String) -> Bool {
    switch self {
    case .object(let object): object[name] != nil || object.contains { $0.value.hasMember(name) }
    case .array(let elements): elements.contains { $0.hasMember(name) }
    case .string, .number, .bool, .null: false
    }
  }
}

/// The JSON documents with temporary credentials that the SDKs of Tencent Cloud parse.
struct TencentKeys: KeyDocuments {
  let provider = LocalCloud.Provider.cos
  let appServerPath = "/cos/credentials"
  let metadataPaths = ["/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/"]
  let metadataToken: MetadataToken? = nil

  func appServerDocument(_ key: RevealedKey, requestID: String) -> JSONValue {
    [
      "credentials": [
        "tmpSecretId": .string(key.id), "tmpSecretKey": .string(key.secret), "sessionToken": .string(key.token),
      ],
      "startTime": .number(JSONNumber(key.start.unixSeconds)), "expiredTime": .number(JSONNumber(key.end.unixSeconds)),
      "expiration": .string(key.end.iso8601), "requestId": .string(requestID),
    ]
  }

  func appServerDocument(for error: ErrorResponse) -> JSONValue {
    [
      "code": .number(JSONNumber(error.status.code)), "codeDesc": .string(error.code),
      "message": .string(error.message),
    ]
  }

  func metadataDocument(_ key: RevealedKey) -> JSONValue {
    [
      "TmpSecretId": .string(key.id), "TmpSecretKey": .string(key.secret), "Token": .string(key.token),
      "ExpiredTime": .number(JSONNumber(key.end.unixSeconds)), "Expiration": .string(key.end.iso8601),
      "Code": "Success",
    ]
  }
}

extension ErrorResponse {
  fileprivate static let policyTooLong = ErrorResponse(.ok, "InvalidParameter.PolicyTooLong", "The policy is too long.")

  fileprivate static func malformedPolicy(_ reason: String) -> ErrorResponse {
    ErrorResponse(.ok, "InvalidParameter.StrategyFormatError", "The policy cannot be read. \(reason)")
  }

  fileprivate static func missing(_ name: String) -> ErrorResponse {
    ErrorResponse(.ok, "MissingParameter", "The request is missing a required parameter `\(name)`.")
  }

  fileprivate static func invalidAuthorization(_ reason: String) -> ErrorResponse {
    ErrorResponse(.ok, "AuthFailure.InvalidAuthorization", reason)
  }

  fileprivate static func signatureFailure(_ reason: String = "") -> ErrorResponse {
    let message = "The provided credentials could not be validated. Please check your signature is correct."
    return ErrorResponse(.ok, "AuthFailure.SignatureFailure", reason.isEmpty ? message : "\(message) \(reason)")
  }
}
