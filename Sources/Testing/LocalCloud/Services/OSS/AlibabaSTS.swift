// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageCrypto

/// The simulated token service of Alibaba Cloud (STS 2015-04-01), in JSON, whose pages are named like its actions.
struct AlibabaSTS: TokenService {
  static let provider = LocalCloud.Provider.oss
  private static let version = "2015-04-01"
  private static let roleID = "300000000000000000"
  static let policyByteLimit = 2048
  static let policyTooLong = ErrorResponse.invalid(
    "InvalidParameter.PolicySize", "The size of Policy must be smaller than \(policyByteLimit) bytes.")

  let issuer: Issuer
  private let nonces = ExpiringSet(capacity: 100_000)
  /// The maximum difference between the signing and the current time; a nonce is remembered for twice as long.
  private static let clockTolerance = Duration.seconds(15 * 60)
  /// Returns whether a call has a header of this service, which also receives the calls that no service handles.
  func handles(_ call: InboundCall) -> Bool { call.header("x-acs-action") != nil }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.parameters != nil else {
      throw .invalid("InvalidParameter", "A parameter occurs twice or cannot be decoded: send each once, encoded.")
    }
    let names = call.names(inHeaders: "x-acs-")
    guard let action = names.action else { throw .missing("Action") }
    guard names.version == Self.version else {
      throw .invalid("InvalidVersion", "Specified parameter Version is not valid.")
    }
    switch action {
    case "AssumeRole": return try assumeRole(call)
    case "AssumeRoleWithOIDC": return try assumeRoleWithOIDC(call)
    case "GetCallerIdentity": return callerIdentity(session(of: try authenticate(call)), call)
    default:
      throw ErrorResponse(
        .notFound, "InvalidAction.NotFound", "Specified api is not found, please check your url and method.")
    }
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let document: JSONValue = [
      "RequestId": .string(call.requestID), "HostId": .string(call.request.authority ?? ""),
      "Code": .string(error.code), "Message": .string(error.message),
      "Recommend": .string("https://api.aliyun.com/troubleshoot?q=\(error.code)&product=Sts"),
    ]
    return response(document, error.status, call)
  }

  private func assumeRole(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    let caller = try authenticate(call)
    let request = try credentialRequest(call, by: caller)
    guard issuer.allows(caller, toAssume: request.role, at: call.date) else {
      throw ErrorResponse(
        .forbidden, "NoPermission", "You are not authorized to do this action. You should be authorized by RAM.")
    }
    return issueCredential(request, call)
  }

  private func assumeRoleWithOIDC(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    guard let provider = call["OIDCProviderArn"] else { throw .missing("OIDCProviderArn") }
    guard let token = call["OIDCToken"] else { throw .missing("OIDCToken") }
    guard issuer.trusts(token) else {
      throw .invalid("AuthenticationFail.OIDCToken.Invalid", "This OIDC token is invalid.")
    }
    let tokenInfo: JSONValue = ["Subject": "localcloud", "Issuer": .string(provider)]
    return issueCredential(try credentialRequest(call, by: nil), call, tokenInfo: tokenInfo)
  }

  private func credentialRequest(
    _ call: InboundCall, by caller: AccessKeyID?
  ) throws(ErrorResponse) -> TokenTable.Request {
    guard let arn = call["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = call["RoleSessionName"] else { throw .missing("RoleSessionName") }
    let isAllowed = session.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".@-_".utf8.contains($0) }
    guard isAllowed, (2...64).contains(session.utf8.count) else { throw .malformed("RoleSessionName") }
    let policy = try call["Policy"].map(Self.policy)
    guard LocalCloud.Role(arn).provider == .oss else { throw .malformed("RoleArn") }
    guard let role = issuer.role(arn) else {
      throw ErrorResponse(.notFound, "EntityNotExist.Role", "The specified Role not exists: \(arn).")
    }
    let lifetime = try lifetime(call, of: role)
    return TokenTable.Request(
      provider: .oss, role: role, session: session, policy: policy, lifetime: lifetime, caller: caller)
  }

  static func malformedPolicy(_ reason: String) -> ErrorResponse {
    .invalid("InvalidParameter.PolicyGrammar", "The parameter Policy has not passed grammar check. \(reason)")
  }

  static func invalidLifetime(_ limits: ClosedRange<Int64>) -> ErrorResponse {
    .invalid(
      "InvalidParameter.DurationSeconds",
      "The Min/Max value of DurationSeconds is \(limits.lowerBound)/\(limits.upperBound) seconds.")
  }

  private func callerIdentity(_ session: LocalCloud.Session?, _ call: InboundCall) -> Answer {
    let account = SimulatedService.account
    let roleParts = session?.role.flatMap { LocalCloud.Provider.oss.service.behavior.roleResource($0) }
    let name = roleParts.map { "\($0[3]):assumed-\($0[4])/\(session?.name ?? "")" } ?? "\(account):root"
    let isRole = roleParts != nil
    var members: JSONObject = [
      "RequestId": .string(call.requestID), "AccountId": .string(account), "Arn": .string("acs:ram::\(name)"),
      "IdentityType": .string(isRole ? "AssumedRoleUser" : "Account"),
      "PrincipalId": .string(session.map { "\(Self.roleID):\($0.name)" } ?? account),
    ]
    members[isRole ? "RoleId" : "UserId"] = .string(isRole ? Self.roleID : account)
    return response(.object(members), .ok, call)
  }

  private func issueCredential(
    _ request: TokenTable.Request, _ call: InboundCall, tokenInfo: JSONValue? = nil
  ) -> Answer {
    let key = issuer.issue(request, by: endpoint, at: call.date)
    let members = JSONObject(present: [
      "RequestId": .string(call.requestID),
      "AssumedRoleUser": [
        "Arn": .string("\(request.role?.arn ?? "")/\(request.session)"),
        "AssumedRoleId": .string("\(Self.roleID):\(request.session)"),
      ],
      "Credentials": [
        "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
        "Expiration": .string(key.expiration.iso8601),
      ],
      "OIDCTokenInfo": tokenInfo,
    ])
    return response(.object(members), .ok, call)
  }

  private func response(_ document: JSONValue, _ status: HTTPResponse.Status, _ call: InboundCall) -> Answer {
    var response = Answer(document, status)
    response.headers.set("x-acs-request-id", call.requestID)
    return response
  }

  /// Returns the ID of the signing key ("Request syntax and signature method V3", "Signature mechanism" for RPC).
  private func authenticate(_ call: InboundCall) throws(ErrorResponse) -> AccessKeyID {
    if call.request.headerFields[.authorization] != nil { return try authenticateACS3(call) }
    if call["Signature"] != nil { return try authenticateRPC(call) }
    countUnsigned()
    throw .missing("AccessKeyId")
  }

  private func authenticateACS3(_ call: InboundCall) throws(ErrorResponse) -> AccessKeyID {
    guard let authorization = call.authorization.flatMap({ ServiceAuthorization($0) }),
      authorization.algorithm == ACS3Signature.algorithm
    else { throw .incompleteSignature("the Authorization header is not valid for \(ACS3Signature.algorithm)") }
    guard Set(authorization.signedHeaders).isSuperset(of: ACS3Signature.signedHeaders(of: call.call)) else {
      throw .incompleteSignature("the signature must cover the host, the content type and every x-acs- header")
    }
    guard call.header("x-acs-content-sha256") == call.call.bodyHash else {
      throw .incompleteSignature("x-acs-content-sha256 is not the hash of the body")
    }
    guard let nonce = call.header("x-acs-signature-nonce"), !nonce.isEmpty else { throw .missing("SignatureNonce") }
    let key = try key(authorization.credential, at: call.date)
    try checkTime(call.header("x-acs-date"), at: call.date)
    let canonicalRequest: String
    do {
      canonicalRequest = try ACS3Signature.canonicalRequest(of: call.call, signing: authorization.signedHeaders)
    } catch {
      throw .incompleteSignature(error.message)
    }
    let stringToSign = ACS3Signature.stringToSign(canonicalRequest: canonicalRequest)
    guard constantTimeEqual(ACS3Signature.signature(of: stringToSign, secret: key.secret), authorization.signature)
    else {
      let mask = SecretMask([key.sessionToken].compactMap(\.self), masksNamedValues: true)
      let maskedRequest = mask.applied(to: canonicalRequest)
      throw .mismatch("server CanonicalRequest is [\(maskedRequest)] and StringToSign is [\(stringToSign)]")
    }
    issuer.context.counters.countVerified(.acs3)
    try checkToken(call.header("x-acs-security-token"), nonce: nonce, of: key, at: call.date)
    return key.id
  }

  private func authenticateRPC(_ call: InboundCall) throws(ErrorResponse) -> AccessKeyID {
    guard let id = call["AccessKeyId"], let signature = call["Signature"], let nonce = call["SignatureNonce"],
      let pairs = call.pairs
    else { throw .incompleteSignature("AccessKeyId, Signature and SignatureNonce are required") }
    guard call["SignatureMethod"] == "HMAC-SHA1", call["SignatureVersion"] == "1.0" else {
      throw .incompleteSignature("the SignatureMethod must be HMAC-SHA1 and the SignatureVersion 1.0")
    }
    let key = try key(id, at: call.date)
    try checkTime(call["Timestamp"], at: call.date)
    let method = call.request.method.rawValue
    let stringToSign = RPCSignature.stringToSign(method: method, parameters: pairs)
    guard constantTimeEqual(RPCSignature.signature(of: stringToSign, secret: key.secret), signature) else {
      let maskedPairs = pairs.map { $0.name == "SecurityToken" ? FormPair($0.name, Secret.mask) : $0 }
      throw .mismatch("server string to sign is:\(RPCSignature.stringToSign(method: method, parameters: maskedPairs))")
    }
    issuer.context.counters.countVerified(.alibabaRPC)
    try checkToken(call["SecurityToken"], nonce: nonce, of: key, at: call.date)
    return key.id
  }

  private func key(_ claimedID: String, at date: Timestamp) throws(ErrorResponse) -> AccessKey {
    let id = AccessKeyID(claimedID)
    if let key = issuer.key(id, of: .oss, at: date) { return key }
    if issuer.context.keys.isDisabled(id) {
      throw .invalid("InvalidAccessKeyId.Inactive", "Specified access key is disabled.")
    }
    throw ErrorResponse(.notFound, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
  }

  private func checkTime(_ text: String?, at date: Timestamp) throws(ErrorResponse) {
    guard let signingTime = text.flatMap({ Timestamp(iso8601: $0) }) else {
      throw .invalid("InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted.")
    }
    guard signingTime.isWithin(Self.clockTolerance, of: date) else {
      throw .invalid("InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
    }
  }

  private func checkToken(
    _ token: String?, nonce: String, of key: AccessKey, at date: Timestamp
  ) throws(ErrorResponse) {
    do {
      try TokenClaim(accessKeyID: key.id, sessionToken: token.map { Secret($0) }).checkToken(against: key, at: date)
    } catch {
      switch error.code {
      case .missingToken: throw .missing("SecurityToken")
      case .keyExpired: throw .invalid("InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
      default:
        throw .invalid(
          "InvalidSecurityToken.MismatchWithAccessKey", "Specified SecurityToken mismatch with the AccessKey.")
      }
    }
    let expiration = date.advanced(by: Self.clockTolerance * 2)
    guard nonces.insert("\(key.id) \(nonce)", until: expiration, at: date) else {
      throw .invalid("SignatureNonceUsed", "Specified signature nonce was used already.")
    }
  }
}

extension KeyServiceFormat {
  static let alibaba = KeyServiceFormat(
    provider: .oss, appServerPath: "/oss/distribute-token.json",
    metadataPaths: ["/latest/meta-data/ram/security-credentials/"],
    metadataTokenHeaders: MetadataTokenHeaders(
      lifetimeHeader: "x-aliyun-ecs-metadata-token-ttl-seconds", tokenHeader: "x-aliyun-ecs-metadata-token"),
    appServerDocument: { key, _ in
      [
        "StatusCode": 200, "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret),
        "SecurityToken": .string(key.token), "Expiration": .string(key.expiration.iso8601),
      ]
    },
    errorDocument: { error in
      [
        "StatusCode": .integer(error.status.code), "ErrorCode": .string(error.code),
        "ErrorMessage": .string(error.message),
      ]
    },
    metadataDocument: { key in
      [
        "AccessKeyId": .string(key.id), "AccessKeySecret": .string(key.secret), "SecurityToken": .string(key.token),
        "Expiration": .string(key.expiration.iso8601), "LastUpdated": .string(key.start.iso8601), "Code": "Success",
      ]
    })
}

extension ErrorResponse {
  fileprivate static func invalid(_ code: String, _ message: String) -> Self { Self(.badRequest, code, message) }

  fileprivate static func missing(_ name: String) -> Self {
    invalid("Missing\(name)", "\(name) is mandatory for this action.")
  }

  fileprivate static func malformed(_ name: String) -> Self {
    invalid("InvalidParameter.\(name)", "The parameter \(name) is wrongly formed.")
  }

  fileprivate static func incompleteSignature(_ reason: String) -> Self {
    invalid("IncompleteSignature", "The request signature does not conform to Aliyun standards: \(reason).")
  }

  fileprivate static func mismatch(_ comparison: String) -> Self {
    invalid("SignatureDoesNotMatch", "Specified signature is not matched with our calculation. \(comparison)")
  }
}
