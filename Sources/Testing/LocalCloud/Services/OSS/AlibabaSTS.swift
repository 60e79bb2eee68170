// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto

/// The simulated token service of Alibaba Cloud (STS 2015-04-01).
///
/// It supports AssumeRole, AssumeRoleWithOIDC and GetCallerIdentity, which are also the names of the pages, with JSON
/// responses.
struct AlibabaSTS: TokenServiceHandler {
  static let version = "2015-04-01"
  private static let minimumLifetime: Int64 = 900
  private static let policyByteLimit = 2048

  let endpoint = LocalCloud.Endpoint.sts
  let issuer: Issuer
  let nonces = ExpiringSet(capacity: 100_000)
  let identityTokens: [Secret]

  /// Whether a call has a header of this service, which also handles all calls that no other service recognizes.
  func handles(_ call: InboundCall) -> Bool { call.header("x-acs-action") != nil }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard let pairs = call.pairs, let parameters = CallParameters(pairs) else {
      throw ErrorResponse(
        .badRequest, "InvalidParameter", "A parameter occurs twice or cannot be decoded: send each once, encoded.")
    }
    let names = call.names(parameters, inHeaders: "x-acs-")
    guard let action = names.action else { throw .missing("Action") }
    guard let version = names.version, version == Self.version else {
      throw ErrorResponse(.badRequest, "InvalidVersion", "Specified parameter Version is not valid.")
    }
    switch action {
    case "AssumeRole": return try assumeRole(call, parameters)
    case "AssumeRoleWithOIDC": return try assumeRoleWithOIDC(call, parameters)
    case "GetCallerIdentity":
      return callerIdentity(issuer.context.keys.tokens.session(of: try authenticate(call, parameters)), call)
    default:
      throw ErrorResponse(
        .notFound, "InvalidAction.NotFound", "Specified api is not found, please check your url and method.")
    }
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let document: JSONValue = [
      "RequestId": .string(call.requestID), "HostId": .string(call.request.authority ?? ""),
      "Code": .string(error.code),
      "Message": .string(error.message),
      "Recommend": .string("https://api.aliyun.com/troubleshoot?q=\(error.code)&product=Sts"),
    ]
    var response = Answer(document, error.status)
    response.headers.set("x-acs-request-id", call.requestID)
    return response
  }

  private func assumeRole(_ call: InboundCall, _ parameters: CallParameters) throws(ErrorResponse) -> Answer {
    let caller = try authenticate(call, parameters)
    var order = try order(parameters)
    order.caller = caller
    guard issuer.allows(caller, toAssume: order.role, at: call.date) else {
      throw ErrorResponse(
        .forbidden, "NoPermission", "You are not authorized to do this action. You should be authorized by RAM.")
    }
    return response(order, call)
  }

  private func assumeRoleWithOIDC(_ call: InboundCall, _ parameters: CallParameters) throws(ErrorResponse) -> Answer {
    guard let provider = parameters["OIDCProviderArn"] else { throw .missing("OIDCProviderArn") }
    guard let given = parameters["OIDCToken"] else { throw .missing("OIDCToken") }
    guard identityTokens.contains(Secret(given)) else {
      throw ErrorResponse(.badRequest, "AuthenticationFail.OIDCToken.Invalid", "This OIDC token is invalid.")
    }
    let order = try order(parameters)
    let token: JSONValue = ["Subject": "localcloud", "Issuer": .string(provider)]
    return response(order, call, identity: token)
  }

  // MARK: Parameters

  private func order(_ parameters: CallParameters) throws(ErrorResponse) -> TokenTable.Request {
    guard let arn = parameters["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = parameters["RoleSessionName"] else { throw .missing("RoleSessionName") }
    guard (2...64).contains(session.utf8.count),
      session.utf8.allSatisfy({ $0.isASCIILetterOrDigit || ".@-_".utf8.contains($0) })
    else { throw .malformed("RoleSessionName") }
    let policy = try parameters["Policy"].map(Self.policy)
    guard LocalCloud.Role(arn).provider == .oss else { throw .malformed("RoleArn") }
    guard let role = issuer.role(arn) else {
      throw ErrorResponse(.notFound, "EntityNotExist.Role", "The specified Role not exists: \(arn).")
    }
    let longest = max(role.maximumDuration.components.seconds, Self.minimumLifetime)
    guard
      let lifetime = issuer.lifetime(
        parameters["DurationSeconds"], default: min(3600, longest), in: Self.minimumLifetime...longest)
    else {
      throw ErrorResponse(
        .badRequest, "InvalidParameter.DurationSeconds",
        "The Min/Max value of DurationSeconds is \(Self.minimumLifetime)/\(longest) seconds.")
    }
    return TokenTable.Request(provider: .oss, role: role, session: session, policy: policy, lifetime: lifetime)
  }

  private static func policy(_ text: String) throws(ErrorResponse) -> SessionPolicy {
    guard text.utf8.count <= policyByteLimit else {
      throw ErrorResponse(
        .badRequest, "InvalidParameter.PolicySize",
        "The size of Policy must be smaller than \(policyByteLimit) bytes.")
    }
    do {
      return try SessionPolicy(text, in: .ram)
    } catch {
      throw ErrorResponse(
        .badRequest, "InvalidParameter.PolicyGrammar",
        "The parameter Policy has not passed grammar check. \(error.reason)")
    }
  }

  // MARK: Responses

  /// Describes the caller: a session of a role, or the account whose key signed the call.
  private func callerIdentity(_ session: LocalCloud.Session?, _ call: InboundCall) -> Answer {
    let account = SimulatedService.account
    let role = session?.role.flatMap { LocalCloud.Provider.oss.service.behavior.roleResource($0) }
    let name = role.map { "\($0[3]):assumed-\($0[4])/\(session?.name ?? "")" } ?? "\(account):root"
    var members: JSONObject = [
      "RequestId": .string(call.requestID), "AccountId": .string(account), "Arn": .string("acs:ram::\(name)"),
      "IdentityType": .string(role == nil ? "Account" : "AssumedRoleUser"),
      "PrincipalId": .string(session.map { "\(Self.roleID):\($0.name)" } ?? account),
    ]
    members[role == nil ? "UserId" : "RoleId"] = .string(role == nil ? account : Self.roleID)
    return response(members, call)
  }

  private static let roleID = "300000000000000000"

  private func response(_ order: TokenTable.Request, _ call: InboundCall, identity: JSONValue? = nil) -> Answer {
    let key = issuer.issue(order, by: endpoint, at: call.date)
    let document: JSONValue = [
      "RequestId": .string(call.requestID),
      "AssumedRoleUser": [
        "Arn": .string("\(order.role?.arn ?? "")/\(order.session)"),
        "AssumedRoleId": .string("\(Self.roleID):\(order.session)"),
      ],
      "Credentials": [
        "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
        "Expiration": .string(key.end.iso8601),
      ],
    ]
    var members = document.object ?? JSONObject()
    members["OIDCTokenInfo"] = identity
    return response(members, call)
  }

  private func response(_ members: JSONObject, _ call: InboundCall) -> Answer {
    var response = Answer(.object(members))
    response.headers.set("x-acs-request-id", call.requestID)
    return response
  }

  /// The maximum difference between the signing and the current time; a nonce is remembered for twice as long.
  private static let clockTolerance = Duration.seconds(15 * 60)

  /// Returns the ID of the key that signed a call with the RPC scheme or ACS3-HMAC-SHA256.
  ///
  /// Pages: "Request syntax and signature method V3", and "Signature mechanism" for the RPC signature scheme.
  func authenticate(_ call: InboundCall, _ parameters: CallParameters) throws(ErrorResponse) -> AccessKeyID {
    if call.request.headerFields[.authorization] != nil { return try authenticateHeader(call) }
    if parameters["Signature"] != nil { return try authenticateParameters(call, parameters) }
    issuer.context.counters.count(endpoint) { $0.unsigned += 1 }
    throw ErrorResponse(.badRequest, "MissingAccessKeyId", "AccessKeyId is mandatory for this action.")
  }

  // MARK: ACS3-HMAC-SHA256

  private func authenticateHeader(_ call: InboundCall) throws(ErrorResponse) -> AccessKeyID {
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
      throw ErrorResponse(.badRequest, "MissingSignatureNonce", "SignatureNonce is mandatory for this action.")
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
  ) throws(ErrorResponse) -> AccessKeyID {
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
      throw .mismatch("server string to sign is:\(RPCSignature.stringToSign(method: method, parameters: masked))")
    }
    issuer.context.counters.verified(.alibabaRPC)
    return try accept(key, token: parameters["SecurityToken"], nonce: nonce, at: call.date)
  }

  // MARK: Shared checks

  private func key(_ text: String, at date: Timestamp) throws(ErrorResponse) -> AccessKey {
    let id = AccessKeyID(text)
    if let key = issuer.key(id, of: .oss, at: date) { return key }
    if issuer.context.keys.isDisabled(id) {
      throw ErrorResponse(.badRequest, "InvalidAccessKeyId.Inactive", "Specified access key is disabled.")
    }
    throw ErrorResponse(.notFound, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
  }

  private func checkTime(_ text: String?, at date: Timestamp) throws(ErrorResponse) {
    guard let instant = text.flatMap({ Timestamp(iso8601: $0) }) else {
      throw ErrorResponse(
        .badRequest, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted.")
    }
    let distance = instant.duration(to: date)
    guard distance <= Self.clockTolerance, distance >= .zero - Self.clockTolerance else {
      throw ErrorResponse(.badRequest, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
    }
  }

  /// Checks the token and the nonce of a call whose signature is valid, and returns the access key ID.
  private func accept(
    _ key: AccessKey, token: String?, nonce: String, at date: Timestamp
  ) throws(ErrorResponse) -> AccessKeyID {
    do {
      try TokenClaim(key.id, token: token).checkToken(against: key, at: date)
    } catch {
      switch error.code {
      case .missingToken:
        throw ErrorResponse(.badRequest, "MissingSecurityToken", "SecurityToken is mandatory for this action.")
      case .keyExpired:
        throw ErrorResponse(.badRequest, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
      default:
        throw ErrorResponse(
          .badRequest, "InvalidSecurityToken.MismatchWithAccessKey",
          "Specified SecurityToken mismatch with the AccessKey.")
      }
    }
    let end = date.advanced(by: Self.clockTolerance * 2)
    guard nonces.insert("\(key.id) \(nonce)", until: end, at: date) else {
      throw ErrorResponse(.badRequest, "SignatureNonceUsed", "Specified signature nonce was used already.")
    }
    return key.id
  }
}

/// The JSON documents with temporary credentials that the SDKs of Alibaba Cloud parse.
struct AlibabaKeys: KeyDocuments {
  let provider = LocalCloud.Provider.oss
  let appServerPath = "/oss/distribute-token.json"
  let metadataPaths = ["/latest/meta-data/ram/security-credentials/"]
  let metadataToken: MetadataToken? = MetadataToken(
    lifetimeHeader: "x-aliyun-ecs-metadata-token-ttl-seconds", header: "x-aliyun-ecs-metadata-token")

  func appServerDocument(_ key: RevealedKey, requestID: String) -> JSONValue {
    [
      "StatusCode": 200, "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret),
      "SecurityToken": .string(key.token), "Expiration": .string(key.end.iso8601),
    ]
  }

  func appServerDocument(for error: ErrorResponse) -> JSONValue {
    [
      "StatusCode": .number(JSONNumber(error.status.code)), "ErrorCode": .string(error.code),
      "ErrorMessage": .string(error.message),
    ]
  }

  func metadataDocument(_ key: RevealedKey) -> JSONValue {
    [
      "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
      "Expiration": .string(key.end.iso8601), "LastUpdated": .string(key.start.iso8601), "Code": "Success",
    ]
  }
}

extension ErrorResponse {
  fileprivate static func missing(_ name: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "Missing\(name)", "\(name) is mandatory for this action.")
  }

  fileprivate static func malformed(_ name: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "InvalidParameter.\(name)", "The parameter \(name) is wrongly formed.")
  }

  fileprivate static func incompleteSignature(_ reason: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "IncompleteSignature", "The request signature does not conform to Aliyun standards: \(reason).")
  }

  fileprivate static func mismatch(_ comparison: String) -> ErrorResponse {
    ErrorResponse(
      .badRequest, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation. \(comparison)")
  }
}
