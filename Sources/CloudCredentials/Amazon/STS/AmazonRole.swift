internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON
internal import StorageXML

/// What both ways to a role of Amazon name.
struct AmazonRole: Sendable {
  let arn: String
  let sessionName: String
  let duration: Duration
  let policy: String?

  /// The parameters of a call, within the limits of the service.
  ///
  /// Services that speak like Amazon's have roles in other forms, so only the beginning of an ARN is looked at.
  func parameters(of action: String, _ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    let parts = arn.parts(between: ":", atMost: 5)
    let isARN = parts.count == 6 && parts[0] == "arn" && !parts[5].isEmpty
    try check.resourceName(arn, of: "role", form: "arn:aws:iam::<account>:role/<name>", limit: 2048, isARN)
    try check.sessionName(sessionName, marks: "_+=,.@-", length: 2...64)
    let seconds = try check.seconds(duration, in: 900...43_200)
    try check.policy(policy, limit: 2048)
    var parameters = [
      FormPair("Action", action), FormPair("Version", "2011-06-15"), FormPair("RoleArn", arn),
      FormPair("RoleSessionName", sessionName), FormPair("DurationSeconds", "\(seconds)"),
    ]
    if let policy { parameters.append(FormPair("Policy", policy)) }
    return parameters
  }
}

extension ServiceURL {
  /// A call of a token service that answers with XML.
  func amazonCall(_ form: [FormPair]) -> ServiceCall {
    let headers: HTTPFields = [
      .accept: "application/xml", .contentType: "application/x-www-form-urlencoded; charset=utf-8",
    ]
    return call(.post, headers: headers, body: Array(FormPair.written(form).utf8))
  }
}

extension RefusalRules {
  /// The codes of Amazon's token service.
  ///
  /// Pages: "AssumeRole" and "AssumeRoleWithWebIdentity", part "Errors", and "Common Errors".
  ///
  /// A signature whose time is wrong is refused with `SignatureDoesNotMatch` as well, so that a clock that differs from
  /// the service's is put right before the secret is blamed.
  static let amazon = RefusalRules(
    clock: ["RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"],
    passing: [
      "IDPCommunicationError", "Throttling", "InternalFailure", "InternalError", "ServiceUnavailable",
      "RequestLimitExceeded",
    ],
    remedies: [
      ("RequestExpired", "Set this machine's clock."), ("RequestTimeTooSkewed", "Set this machine's clock."),
      ("AccessDenied", "Let the role's trust policy name the caller, and give the caller sts:AssumeRole."),
      ("ExpiredToken", "Get a new token or temporary key to ask with."),
      ("InvalidIdentityToken", "Check the identity provider that the role trusts, and the token's audience."),
      ("IDPRejectedClaim", "Get a new identity token; the identity provider takes this one no longer."),
      ("InvalidClientTokenId", "Check the access key id that asks, and its session token."),
      ("SignatureDoesNotMatch", "Check the secret of the key that asks; a blank at its end is the usual cause."),
      ("RegionDisabledException", "Activate STS in the region, or ask another region."),
      ("MalformedPolicyDocument", "Correct the policy; it is written like those of IAM."),
      ("PackedPolicyTooLarge", "Shorten the policy, or attach it to the role."),
      ("ValidationError", "Ask for no longer than the role allows, and check the names."),
    ])
}

extension ServiceAnswer {
  /// The code, the message and the request of a refusal of Amazon's services.
  var amazonRefusal: ServiceRefusal? {
    guard let document, let error = document.name.isIdentical(to: "Error") ? document : document["Error"],
      let code = error["Code"]?.text, !code.isEmpty
    else { return nil }
    return ServiceRefusal(
      code: code, message: error["Message"]?.text ?? "",
      requestID: (document["RequestId"] ?? error["RequestId"])?.text)
  }
}

extension AnswerReader {
  static func amazonSTS(_ source: String) -> AnswerReader {
    AnswerReader(source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// The key in an answer to an action of the token service: `<…Response><…Result><Credentials>`.
  func amazonRoleKey(
    in answer: ServiceAnswer, to action: String
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let document = answer.document else {
      throw malformed("The answer is empty, is no XML, or was cut off.", isRetryable: true)
    }
    guard document.name.isIdentical(to: "\(action)Response") else {
      throw malformed("The answer is XML, but no \(action)Response.")
    }
    let credentials = try only("Credentials", in: try only("\(action)Result", in: document))
    var fields = JSONObject()
    for field in credentials.children {
      guard fields[field.name] == nil else { throw malformed("The answer has a field of the key twice.") }
      fields[field.name] = .string(field.text)
    }
    return try amazonKey(in: fields, token: "SessionToken", at: answer.issuerTime)
  }

  private func only(_ name: String, in node: XMLNode) throws(CredentialError) -> XMLNode {
    let found = node.all(name)
    guard let first = found.first, found.count == 1 else {
      throw malformed("The answer has \(found.isEmpty ? "no element" : "more than one element") \(name).")
    }
    return first
  }

  /// The four fields of a temporary key, as Amazon writes them everywhere but for the name of the token.
  func amazonKey(
    in fields: JSONObject, token: String, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text(["AccessKeyId"], in: fields)
    let secret = try text(["SecretAccessKey"], in: fields)
    let token = try text([token], in: fields)
    guard let end = try instant(["Expiration"], in: [fields]) else {
      throw malformed("The answer has no field Expiration.")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}
