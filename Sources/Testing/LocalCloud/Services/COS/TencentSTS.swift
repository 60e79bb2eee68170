// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import CredentialSources
internal import StorageAuth
internal import StorageCrypto

/// The simulated token service of Tencent Cloud (STS 2018-08-13), whose pages are named like its actions.
///
/// Like the real service, it reports errors with the status 200 and an error document.
struct TencentSTS: TokenService {
  static let provider = LocalCloud.Provider.cos
  private static let version = "2018-08-13"
  private static let roleID = "4611686000000000000"
  static let policyByteLimit = 6144
  static let policyTooLong = ErrorResponse.ok("InvalidParameter.PolicyTooLong", "The policy is too long.")
  /// The lifetime of a role's credential in seconds, unless the call or the role sets another one.
  private static let defaultRoleLifetime: Int64 = 7200
  private static let clockTolerance = Duration.seconds(5 * 60)
  let issuer: Issuer

  func handles(_ call: InboundCall) -> Bool {
    if call.header("x-tc-action") != nil { return true }
    // Tencent's SDKs send `SKIP` with calls that need no signature, such as AssumeRoleWithWebIdentity.
    if call.authorization?.hasBytePrefix("TC3") == true || call.authorization == "SKIP" { return true }
    return call.pairs?.contains { $0.name == "SecretId" || $0.name == "Version" && $0.value == Self.version } ?? false
  }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    var call = call
    call.parameters = try parameters(of: call)
    let names = call.names(inHeaders: "x-tc-")
    guard let action = names.action else { throw .missing("Action") }
    guard let version = names.version else { throw .missing("Version") }
    guard version == Self.version else { throw .ok("NoSuchVersion", "The version \(version) does not exist.") }
    switch action {
    case "GetFederationToken": return try getFederationToken(call)
    case "AssumeRole": return try assumeRole(call, by: authenticate(call))
    case "AssumeRoleWithWebIdentity": return try assumeRoleWithWebIdentity(call)
    case "GetCallerIdentity": return callerIdentity(session(of: try authenticate(call).id), call)
    default: throw .ok("InvalidAction", "The action \(action) does not exist.")
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

  private func parameters(of call: InboundCall) throws(ErrorResponse) -> [String: String] {
    if call.header("content-type")?.asciiLowercased.hasBytePrefix("application/json") == true, !call.call.body.isEmpty {
      guard let members = (try? JSONValue(parsing: call.call.body))?.object else {
        throw .ok("InvalidParameter", "The body is not an object in JSON.")
      }
      return members.reduce(into: [:]) { values, member in values[member.name] = member.value.code }
    }
    guard let parameters = call.parameters else {
      throw .ok("InvalidParameter", "A parameter occurs twice or cannot be decoded.")
    }
    return parameters
  }

  private func getFederationToken(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    let caller = try authenticate(call)
    guard caller.sessionToken == nil else {
      throw .ok("UnauthorizedOperation", "GetFederationToken needs a permanent key.")
    }
    guard let name = call["Name"] else { throw .missing("Name") }
    guard let policy = try policy(call) else { throw .missing("Policy") }
    let lifetime = try lifetime(call, default: 1800, in: 1...129_600)
    return issueCredential(
      .init(provider: .cos, role: nil, session: name, policy: policy, lifetime: lifetime, caller: caller.id), call)
  }

  private func assumeRoleWithWebIdentity(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call["ProviderId"] != nil else { throw .missing("ProviderId") }
    guard let token = call["WebIdentityToken"] else { throw .missing("WebIdentityToken") }
    guard issuer.trusts(token) else {
      throw .ok("InvalidParameter.WebIdentityTokenError", "The WebIdentityToken is not valid.")
    }
    return try assumeRole(call, by: nil)
  }

  private func assumeRole(_ call: InboundCall, by caller: AccessKey?) throws(ErrorResponse) -> Answer {
    guard let arn = call["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = call["RoleSessionName"] else { throw .missing("RoleSessionName") }
    let policy = try policy(call)
    guard let role = issuer.role(arn), role.provider == .cos else {
      throw .ok("ResourceNotFound.RoleNotFound", "The role \(arn) does not exist.")
    }
    if let caller, !issuer.allows(caller.id, toAssume: role, at: call.date) {
      throw .ok("UnauthorizedOperation", "The caller is not allowed to assume the role \(arn).")
    }
    let limit = role.maximumDuration.components.seconds
    let lifetime = try lifetime(call, default: min(Self.defaultRoleLifetime, limit), in: 1...max(limit, 1))
    return issueCredential(
      .init(provider: .cos, role: role, session: session, policy: policy, lifetime: lifetime, caller: caller?.id), call)
  }

  static func invalidLifetime(_ limits: ClosedRange<Int64>) -> ErrorResponse {
    .ok("InvalidParameter.OverTimeError", "DurationSeconds must be \(limits.lowerBound) to \(limits.upperBound).")
  }

  /// Returns the session policy, which is percent-encoded before the request is encoded; some SDKs omit this step.
  private func policy(_ call: InboundCall) throws(ErrorResponse) -> PolicyDocument? {
    guard let text = call["Policy"] else { return nil }
    // Percent-encoding makes a byte at most three times as long.
    guard text.utf8.count <= Self.policyByteLimit * 3 else { throw Self.policyTooLong }
    let decodedText = FormPair.read("policy=\(text)")?.first?.value
    for policy in [decodedText, text].compactMap(\.self) {
      guard let document = try? JSONValue(parsing: policy.utf8), document.object != nil else { continue }
      if policy.utf8.count <= Self.policyByteLimit, document.hasMember("principal") {
        throw .ok("InvalidParameter.StrategyInvalid", "The policy must not contain a principal.")
      }
      return try Self.policy(policy)
    }
    throw Self.malformedPolicy("It is not an object in JSON.")
  }

  static func malformedPolicy(_ reason: String) -> ErrorResponse {
    .ok("InvalidParameter.StrategyFormatError", "The policy cannot be read. \(reason)")
  }

  private func issueCredential(_ request: TokenTable.Request, _ call: InboundCall) -> Answer {
    let key = issuer.issue(request, by: endpoint, at: call.date)
    return Answer([
      "Response": [
        "Credentials": [
          "Token": .string(key.token), "TmpSecretId": .string(key.id), "TmpSecretKey": .string(key.secret),
        ],
        "ExpiredTime": .integer(key.expiration.unixSeconds), "Expiration": .string(key.expiration.iso8601),
        "RequestId": .string(call.requestID),
      ]
    ])
  }

  private func callerIdentity(_ session: LocalCloud.Session?, _ call: InboundCall) -> Answer {
    let account = SimulatedService.account
    let isRole = session?.role != nil
    let userID = isRole ? Self.roleID : account
    let kind = session == nil ? "cam:\(account):uin" : "sts:\(account):\(isRole ? "assumed-role" : "federated-user")"
    return Answer([
      "Response": [
        "Type": .string(isRole ? "CAMRole" : "CAMUser"), "AccountId": .string(account),
        "UserId": .string(session.map { "\(userID):\($0.name)" } ?? userID), "PrincipalId": .string(account),
        "Arn": .string("qcs::\(kind)/\(userID)"), "RequestId": .string(call.requestID),
      ]
    ])
  }

  /// Returns the key that signed a call with version 1 or TC3-HMAC-SHA256 ("Signature v3").
  private func authenticate(_ call: InboundCall) throws(ErrorResponse) -> AccessKey {
    if call.request.headerFields[.authorization] != nil { return try authenticateTC3(call) }
    if call["Signature"] != nil { return try authenticateVersion1(call) }
    countUnsigned()
    throw .invalidAuthorization("The call carries no authorization.")
  }

  private func authenticateTC3(_ call: InboundCall) throws(ErrorResponse) -> AccessKey {
    guard let authorization = call.authorization.flatMap({ ServiceAuthorization($0) }),
      authorization.algorithm == TC3Signature.algorithm
    else { throw .invalidAuthorization("The Authorization header is not valid for \(TC3Signature.algorithm).") }
    let idAndScope = authorization.credential.words(between: "/", maxSplits: 1).map(String.init)
    guard idAndScope.count == 2 else { throw .invalidAuthorization("The Credential has no scope.") }
    guard Set(authorization.signedHeaders).isSuperset(of: ["content-type", "host"]) else {
      throw .invalidAuthorization("The signature must cover the content type and the host.")
    }
    let key = try key(idAndScope[0], at: call.date)
    let signingTime = try signingTime(call.header("x-tc-timestamp"), named: "X-TC-Timestamp", at: call.date)
    let scheme = TC3Signature(service: "sts", date: signingTime)
    guard idAndScope[1] == scheme.scope else {
      throw .signatureFailure("The scope of the Credential must be \(scheme.scope).")
    }
    let expected: String
    do {
      expected = try scheme.signature(of: call.call, signing: authorization.signedHeaders, secret: key.secret)
    } catch {
      throw .invalidAuthorization(error.message)
    }
    guard constantTimeEqual(expected, authorization.signature) else { throw .signatureFailure() }
    issuer.context.counters.countVerified(.tc3)
    try checkToken(call.header("x-tc-token"), of: key, at: call.date)
    return key
  }

  private func authenticateVersion1(_ call: InboundCall) throws(ErrorResponse) -> AccessKey {
    guard let id = call["SecretId"], let signature = call["Signature"], call["Nonce"] != nil, let pairs = call.pairs
    else { throw .invalidAuthorization("SecretId, Nonce and Signature are required.") }
    let method = call["SignatureMethod"]
    guard method == nil || method == "HmacSHA1" || method == "HmacSHA256" else {
      throw .invalidAuthorization("The SignatureMethod must be HmacSHA1 or HmacSHA256.")
    }
    let key = try key(id, at: call.date)
    _ = try signingTime(call["Timestamp"], named: "Timestamp", at: call.date)
    let stringToSign = TencentV1Signature.stringToSign(
      method: call.request.method.rawValue, host: call.request.authority ?? "", path: call.path, parameters: pairs)
    let expected = TencentV1Signature.signature(of: stringToSign, secret: key.secret, method: method)
    guard constantTimeEqual(expected, signature) else { throw .signatureFailure() }
    issuer.context.counters.countVerified(.tencentV1)
    try checkToken(call["Token"], of: key, at: call.date)
    return key
  }

  private func key(_ id: String, at date: Timestamp) throws(ErrorResponse) -> AccessKey {
    if let key = issuer.key(AccessKeyID(id), of: .cos, at: date) { return key }
    throw .ok("AuthFailure.SecretIdNotFound", "The SecretId is not found; check that it is right.")
  }

  private func signingTime(_ text: String?, named name: String, at date: Timestamp) throws(ErrorResponse) -> Timestamp {
    // The limit is the last second of the year 9999, the last one that ISO 8601 writes with a year of four digits.
    guard let seconds = text.flatMap({ Int64(digits: $0) }), (0...253_402_300_799).contains(seconds) else {
      throw .missing(name)
    }
    let signingTime = Timestamp(unixSeconds: seconds)
    guard signingTime.isWithin(Self.clockTolerance, of: date) else {
      throw .ok(
        "AuthFailure.SignatureExpire",
        "The provided signature is expired: the signing time is \(seconds), the server time is \(date.unixSeconds).")
    }
    return signingTime
  }

  private func checkToken(_ token: String?, of key: AccessKey, at date: Timestamp) throws(ErrorResponse) {
    do {
      try TokenClaim(accessKeyID: key.id, sessionToken: token.map { Secret($0) }).checkToken(against: key, at: date)
    } catch {
      throw .ok("AuthFailure.TokenFailure", "The token is wrong: \(error.message)")
    }
  }
}

extension JSONValue {
  fileprivate func hasMember(_ name: String) -> Bool {
    switch self {
    case .object(let object): object[name] != nil || object.contains { $0.value.hasMember(name) }
    case .array(let elements): elements.contains { $0.hasMember(name) }
    case .string, .number, .bool, .null: false
    }
  }
}

extension KeyServiceFormat {
  static let tencent = KeyServiceFormat(
    provider: .cos, appServerPath: "/cos/credentials",
    metadataPaths: ["/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/"],
    appServerDocument: { key, requestID in
      [
        "credentials": [
          "tmpSecretId": .string(key.id), "tmpSecretKey": .string(key.secret), "sessionToken": .string(key.token),
        ],
        "startTime": .integer(key.start.unixSeconds), "expiredTime": .integer(key.expiration.unixSeconds),
        "expiration": .string(key.expiration.iso8601), "requestId": .string(requestID),
      ]
    },
    errorDocument: { error in
      ["code": .integer(error.status.code), "codeDesc": .string(error.code), "message": .string(error.message)]
    },
    metadataDocument: { key in
      [
        "TmpSecretId": .string(key.id), "TmpSecretKey": .string(key.secret), "Token": .string(key.token),
        "ExpiredTime": .integer(key.expiration.unixSeconds), "Expiration": .string(key.expiration.iso8601),
        "Code": "Success",
      ]
    })
}

extension ErrorResponse {
  fileprivate static func ok(_ code: String, _ message: String) -> ErrorResponse { ErrorResponse(.ok, code, message) }

  fileprivate static func missing(_ name: String) -> ErrorResponse {
    ok("MissingParameter", "The request is missing a required parameter `\(name)`.")
  }

  fileprivate static func invalidAuthorization(_ reason: String) -> ErrorResponse {
    ok("AuthFailure.InvalidAuthorization", reason)
  }

  fileprivate static func signatureFailure(_ reason: String? = nil) -> ErrorResponse {
    let message = "The provided credentials could not be validated. Please check your signature is correct."
    return ok("AuthFailure.SignatureFailure", reason.map { "\(message) \($0)" } ?? message)
  }
}
