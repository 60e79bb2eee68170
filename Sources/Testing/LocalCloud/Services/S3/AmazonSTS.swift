// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import S3Auth
internal import StorageAuth

/// The simulated token service of Amazon Web Services (STS 2011-06-15), whose pages are named like its actions.
struct AmazonSTS: TokenService {
  static let provider = LocalCloud.Provider.s3
  private static let version = "2011-06-15"
  private static let namespace = "https://sts.amazonaws.com/doc/2011-06-15/"
  private static let roleID = "AROALOCALCLOUD000000"
  static let policyByteLimit = 2048
  static let policyTooLong = ErrorResponse(
    .badRequest, "PackedPolicyTooLarge", "The policy has more than \(policyByteLimit) bytes.")
  private static let verifier = S3Verifier(service: "sts", style: .path, allowsUnsignedPayload: false)
  let issuer: Issuer

  func handles(_ call: InboundCall) -> Bool {
    call.authorization?.hasBytePrefix("AWS4-") == true
      || call.pairs?.contains { $0.name == "Version" && $0.value == Self.version } == true
  }

  func response(to call: InboundCall) throws(ErrorResponse) -> Answer {
    guard call.parameters != nil else { throw .invalidParameter("A parameter occurs twice or cannot be decoded.") }
    guard let action = call["Action"] else {
      throw ErrorResponse(.badRequest, "MissingAction", "The request is missing an action.")
    }
    guard call["Version"] == Self.version else {
      throw ErrorResponse(.badRequest, "InvalidAction", "Could not find operation \(action) for this version.")
    }
    switch action {
    case "AssumeRole": return try assumeRole(call)
    case "AssumeRoleWithWebIdentity": return try assumeRoleWithWebIdentity(call)
    case "GetCallerIdentity": return callerIdentity(session(of: try authenticate(call)), call)
    default:
      throw ErrorResponse(
        .badRequest, "InvalidAction", "Could not find operation \(action) for version \(Self.version)")
    }
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let type = error.status.kind == .serverError ? "Receiver" : "Sender"
    let element = XMLNode("Error", texts: ["Type": type, "Code": error.code, "Message": error.message])
    let children = [element, XMLNode("RequestId", call.requestID)]
    var response = Self.response(with: XMLNode("ErrorResponse", children: children), to: call)
    response.status = error.status
    return response
  }

  private func assumeRole(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    let caller = try authenticate(call)
    let request = try credentialRequest(call, by: caller)
    guard issuer.allows(caller, toAssume: request.role, at: call.date) else {
      throw .unauthorized(request.role?.arn ?? "")
    }
    return issueCredential(request, for: "AssumeRole", call)
  }

  private func assumeRoleWithWebIdentity(_ call: InboundCall) throws(ErrorResponse) -> Answer {
    guard let token = call["WebIdentityToken"] else { throw .missing("WebIdentityToken") }
    guard issuer.trusts(token) else {
      throw ErrorResponse(.badRequest, "InvalidIdentityToken", "The web identity token is not valid.")
    }
    let identity = [
      XMLNode("SubjectFromWebIdentityToken", "localcloud"), XMLNode("Audience", "sts.amazonaws.com"),
      XMLNode("Provider", "localcloud"),
    ]
    let request = try credentialRequest(call, by: nil)
    return issueCredential(request, for: "AssumeRoleWithWebIdentity", call, identity: identity)
  }

  /// Verifies the signature of a call, which must cover the body, and returns the ID of its access key.
  private func authenticate(_ call: InboundCall) throws(ErrorResponse) -> AccessKeyID {
    // SDKs send the hash of the body only to S3; here, the signature is verified with the hash of the received body.
    var request = call.request
    request.headerFields[values: .known("x-amz-content-sha256")] = [call.call.bodyHash]
    do throws(VerificationError) {
      guard let claim = try Self.verifier.claim(in: request) else {
        countUnsigned()
        throw VerificationError(.unsigned, "The call carries no authorization.", remedy: "Sign it.")
      }
      // Parameters are read from both the URL and the body, but a signature in the URL doesn't include the body.
      guard claim.placement == .header else { throw VerificationError.malformed("Sign a call in its headers.") }
      let key = issuer.key(claim.accessKeyID, of: .s3, at: call.date)
      guard let key else { throw VerificationError.unknownKey(claim.accessKeyID) }
      let verified = try Self.verifier.verify(claim, against: key, at: call.date)
      issuer.context.counters.countVerified(.s3V4)
      return verified.accessKeyID
    } catch {
      throw Self.errorResponse(for: error)
    }
  }

  private static func errorResponse(for error: VerificationError) -> ErrorResponse {
    switch error.code {
    case .unsigned: ErrorResponse(.forbidden, "MissingAuthenticationToken", "Request is missing Authentication Token")
    case .unknownKey, .missingToken, .invalidToken:
      ErrorResponse(.forbidden, "InvalidClientTokenId", "The security token included in the request is invalid.")
    case .keyExpired: ErrorResponse(.forbidden, "ExpiredToken", "The security token included in the request is expired")
    case .mismatch, .clockSkew, .wrongScope:
      ErrorResponse(
        .forbidden, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided, or its time or scope is not "
          + "that of this service. \(error.message)")
    default: ErrorResponse(.badRequest, "IncompleteSignature", error.message)
    }
  }

  private func credentialRequest(
    _ call: InboundCall, by caller: AccessKeyID?
  ) throws(ErrorResponse) -> TokenTable.Request {
    guard let arn = call["RoleArn"] else { throw .missing("RoleArn") }
    guard let session = call["RoleSessionName"] else { throw .missing("RoleSessionName") }
    let isAllowed = session.utf8.allSatisfy { $0.isASCIILetterOrDigit || "=,.@-_".utf8.contains($0) }
    guard isAllowed, (2...64).contains(session.utf8.count) else {
      throw .invalidParameter("The RoleSessionName must have 2 to 64 letters, digits or characters of =,.@-_.")
    }
    guard let role = issuer.role(arn), role.provider == .s3 else { throw .unauthorized(arn) }
    let lifetime = try lifetime(call, of: role)
    let policy = try call["Policy"].map(Self.policy)
    return TokenTable.Request(
      provider: .s3, role: role, session: session, policy: policy, lifetime: lifetime, caller: caller)
  }

  static func malformedPolicy(_ reason: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "MalformedPolicyDocument", "The policy cannot be applied. \(reason)")
  }

  static func invalidLifetime(_ limits: ClosedRange<Int64>) -> ErrorResponse {
    .invalidParameter("DurationSeconds must be \(limits.lowerBound) to \(limits.upperBound).")
  }

  private func callerIdentity(_ session: LocalCloud.Session?, _ call: InboundCall) -> Answer {
    let account = SimulatedS3.accountNumber
    let userARN = session.map { "\(($0.role ?? "").assumedRoleARN)/\($0.name)" } ?? "arn:aws:iam::\(account):root"
    let userID = session.map { "\(Self.roleID):\($0.name)" } ?? account
    let result = [XMLNode("Arn", userARN), XMLNode("UserId", userID), XMLNode("Account", account)]
    return Self.response(with: result, to: "GetCallerIdentity", call)
  }

  private func issueCredential(
    _ request: TokenTable.Request, for action: String, _ call: InboundCall, identity: [XMLNode] = []
  ) -> Answer {
    let key = issuer.issue(request, by: endpoint, at: call.date)
    let userARN = "\((request.role?.arn ?? "").assumedRoleARN)/\(request.session)"
    let userID = "\(Self.roleID):\(request.session)"
    let user = XMLNode("AssumedRoleUser", texts: ["Arn": userARN, "AssumedRoleId": userID])
    let credentials = XMLNode(
      "Credentials",
      texts: [
        "AccessKeyId": key.id, "SecretAccessKey": key.secret, "SessionToken": key.token,
        "Expiration": key.expiration.iso8601,
      ])
    return Self.response(with: [user, credentials] + identity, to: action, call)
  }

  private static func response(with result: [XMLNode], to action: String, _ call: InboundCall) -> Answer {
    let metadata = XMLNode("ResponseMetadata", texts: ["RequestId": call.requestID])
    let children = [XMLNode("\(action)Result", children: result), metadata]
    return response(with: XMLNode("\(action)Response", children: children), to: call)
  }

  private static func response(with document: XMLNode, to call: InboundCall) -> Answer {
    var root = document
    root.attributes["xmlns"] = namespace
    var response = Answer(root)
    response.headers[.contentType] = "text/xml"
    response.headers.set("x-amzn-requestid", call.requestID)
    return response
  }
}

extension String {
  /// The ARN of an assumed-role user without the session name, derived from this ARN of a role, whose path it omits.
  fileprivate var assumedRoleARN: String {
    let parts = parts(between: ":", maxSplits: 5).map(String.init)
    guard parts.count == 6, parts[5].hasBytePrefix("role/"), let name = parts[5].words(between: "/").last else {
      return self
    }
    return "arn:aws:sts::\(parts[4]):assumed-role/\(name)"
  }
}

extension ErrorResponse {
  fileprivate static func missing(_ name: String) -> Self {
    invalidParameter(
      "1 validation error detected: Value null at '\(name)' failed to satisfy constraint: Member must not be null")
  }

  fileprivate static func invalidParameter(_ message: String) -> Self { Self(.badRequest, "ValidationError", message) }

  fileprivate static func unauthorized(_ arn: String) -> Self {
    accessDenied("User is not authorized to perform: sts:AssumeRole on resource: \(arn)")
  }
}

extension KeyServiceFormat {
  /// The app server has the container credentials ("Container credential provider", "IMDS credential provider").
  static let amazon = KeyServiceFormat(
    provider: .s3, appServerPath: "/s3/container-credentials", authorizationPrefixes: ["Bearer ", ""],
    metadataPaths: ["/latest/meta-data/iam/security-credentials/"],
    metadataTokenHeaders: MetadataTokenHeaders(
      lifetimeHeader: "x-aws-ec2-metadata-token-ttl-seconds", tokenHeader: "x-aws-ec2-metadata-token",
      rejectionStatus: .unauthorized),
    appServerDocument: { key, _ in
      [
        "AccessKeyId": .string(key.id), "SecretAccessKey": .string(key.secret), "Token": .string(key.token),
        "Expiration": .string(key.expiration.iso8601),
      ]
    },
    errorDocument: { ["code": .string($0.code), "message": .string($0.message)] },
    metadataDocument: { key in
      [
        "Code": "Success", "LastUpdated": .string(key.start.iso8601), "Type": "AWS-HMAC",
        "AccessKeyId": .string(key.id), "SecretAccessKey": .string(key.secret), "Token": .string(key.token),
        "Expiration": .string(key.expiration.iso8601),
      ]
    })
}
