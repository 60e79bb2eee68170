// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth

/// The role parameters that Amazon's operations `AssumeRole` and `AssumeRoleWithWebIdentity` share.
struct AmazonRole: Sendable {
  let arn: String
  let sessionName: String
  let duration: Duration
  let policy: String?

  /// Returns the role's request parameters after validating them against the service's limits.
  ///
  /// Compatible services have role ARNs in other forms, so only the beginning of the ARN is checked.
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
  /// Creates a POST request to an STS endpoint, with a form body and XML as the accepted response format.
  func amazonCall(_ form: [FormPair]) -> ServiceCall {
    let headers: HTTPFields = [
      .accept: "application/xml", .contentType: "application/x-www-form-urlencoded; charset=utf-8",
    ]
    return call(.post, headers: headers, body: Array(FormPair.written(form).utf8))
  }
}

extension RefusalRules {
  /// The rules for interpreting the error codes of Amazon's token service.
  ///
  /// The service also reports a wrong signing time as `SignatureDoesNotMatch`. Therefore a clock that differs from the
  /// service's is corrected before the secret is assumed to be wrong.
  ///
  /// Pages: "AssumeRole" and "AssumeRoleWithWebIdentity", section "Errors", and "Common Errors" in the STS API
  /// reference.
  static let amazon = RefusalRules(
    clock: ["RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"],
    passing: [
      "IDPCommunicationError", "Throttling", "InternalFailure", "InternalError", "ServiceUnavailable",
      "RequestLimitExceeded",
    ],
    remedies: [
      ("RequestExpired", "Set this machine's clock."), ("RequestTimeTooSkewed", "Set this machine's clock."),
      ("AccessDenied", "Let the role's trust policy name the caller, and give the caller sts:AssumeRole."),
      ("ExpiredToken", "Get a new token, or a new temporary key to sign with."),
      ("InvalidIdentityToken", "Check the identity provider that the role trusts, and the token's audience."),
      ("IDPRejectedClaim", "Get a new identity token; the identity provider no longer accepts this one."),
      ("InvalidClientTokenId", "Check the access key id of the signing key, and its session token."),
      ("SignatureDoesNotMatch", "Check the secret of the signing key; a blank at its end is the usual cause."),
      ("RegionDisabledException", "Activate STS in the region, or use another region."),
      ("MalformedPolicyDocument", "Correct the policy; it is written like those of IAM."),
      ("PackedPolicyTooLarge", "Shorten the policy, or attach it to the role."),
      ("ValidationError", "Request a lifetime within the role's maximum, and check the names."),
    ])
}

extension ServiceResponse {
  /// The refusal in an error response of an Amazon service, or `nil` if the response contains no error code.
  var amazonRefusal: ServiceRefusal? {
    guard let document, let error = document.name.isIdentical(to: "Error") ? document : document["Error"],
      let code = error["Code"]?.text, !code.isEmpty
    else { return nil }
    return ServiceRefusal(
      code: code, message: error["Message"]?.text ?? "",
      requestID: (document["RequestId"] ?? error["RequestId"])?.text)
  }
}

extension CredentialReader {
  static func amazonSTS(_ source: String) -> CredentialReader {
    CredentialReader(
      source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// Returns the temporary key in an XML response of the token service: `<…Response><…Result><Credentials>`.
  func amazonRoleKey(
    in response: ServiceResponse, to action: String
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let document = response.document else {
      throw malformed("The response is empty, is no XML, or was cut off.", isRetryable: true)
    }
    guard document.name.isIdentical(to: "\(action)Response") else {
      throw malformed("The response is XML, but no \(action)Response.")
    }
    let credentials = try only("Credentials", in: try only("\(action)Result", in: document))
    var fields = JSONObject()
    for field in credentials.children {
      guard fields[field.name] == nil else { throw malformed("The response has a field of the key twice.") }
      fields[field.name] = .string(field.text)
    }
    return try amazonKey(in: fields, token: "SessionToken", at: response.issuerTime)
  }

  private func only(_ name: String, in node: XMLNode) throws(CredentialError) -> XMLNode {
    let found = node.all(name)
    guard let first = found.first, found.count == 1 else {
      throw malformed("The response has \(found.isEmpty ? "no element" : "more than one element") \(name).")
    }
    return first
  }

  /// Returns the temporary key in an object with the four fields that all services of Amazon use.
  ///
  /// Only the name of the session token's field varies among the services.
  func amazonKey(
    in fields: JSONObject, token: String, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text(["AccessKeyId"], in: fields)
    let secret = try text(["SecretAccessKey"], in: fields)
    let token = try text([token], in: fields)
    guard let end = try instant(["Expiration"], in: [fields]) else {
      throw malformed("The response has no field Expiration.")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}
