// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// The role parameters that Alibaba Cloud's operations `AssumeRole` and `AssumeRoleWithOIDC` share.
struct AlibabaRole: Sendable {
  /// The version of Alibaba Cloud's STS API.
  static let version = "2015-04-01"

  let arn: String
  let sessionName: String
  let duration: Duration
  let policy: String?

  /// Returns the role's request parameters after validating them against the service's limits.
  func parameters(_ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 5 && parts[0] == "acs" && parts[1] == "ram" && !parts[3].isEmpty && parts[4].hasBytePrefix("role/")
      && parts[4].count > 5
    try check.resourceName(arn, of: "role", form: "acs:ram::<account>:role/<name>", isRole)
    try check.sessionName(sessionName, marks: ".@-_", length: 2...64)
    let seconds = try check.seconds(duration, in: 900...43_200)
    try check.policy(policy, limit: 2048)
    var parameters = [
      FormPair("RoleArn", arn), FormPair("RoleSessionName", sessionName), FormPair("DurationSeconds", "\(seconds)"),
    ]
    if let policy { parameters.append(FormPair("Policy", policy)) }
    return parameters
  }
}

extension RefusalRules {
  /// The rules for interpreting the error codes of Alibaba Cloud's STS.
  static let alibaba = RefusalRules(
    clock: ["InvalidTimeStamp.Expired", "InvalidTimeStamp.NotBefore", "IllegalTimestamp"],
    passing: ["Throttling", "ServiceUnavailable", "InternalError", "SignatureNonceUsed"],
    remedies: [
      ("InvalidTimeStamp", "Set this machine's clock."),
      ("IllegalTimestamp", "Set this machine's clock."),
      ("NoPermission", "Give the caller AliyunSTSAssumeRoleAccess, and let the role trust the caller."),
      ("EntityNotExist.Role", "Check the name of the role."),
      ("InvalidAccessKeyId", "Check the ID of the signing key."),
      ("InvalidSecurityToken", "Get a new temporary key to sign with."),
      ("SignatureDoesNotMatch", "Check the secret of the signing key; a blank at its end is the usual cause."),
      ("IncompleteSignature", "Check the secret of the signing key."),
      ("InvalidParameter.DurationSeconds", "Request a lifetime within the role's maximum."),
      ("AuthenticationFail", "Check the provider of the identity token, its audience, and that it has not expired."),
    ])
}

extension ServiceResponse {
  /// The refusal in an error response of an Alibaba Cloud service, or `nil` if the response contains no error code.
  var alibabaRefusal: ServiceRefusal? {
    guard let object, let code = object["Code"]?.code, code != "Success" else { return nil }
    return ServiceRefusal(
      code: code, message: object["Message"]?.string ?? "", requestID: object["RequestId"]?.string)
  }
}

extension CredentialReader {
  static func alibabaSTS(_ source: String) -> CredentialReader {
    CredentialReader(
      source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// Returns the temporary key in a response to `AssumeRole` or `AssumeRoleWithOIDC`.
  func alibabaRoleKey(in response: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let fields = try object(response)["Credentials"]?.object else {
      throw malformed("The response has no object Credentials.")
    }
    return try alibabaKey(in: fields, at: response.issuerTime)
  }

  /// Returns the temporary key in a JSON object with the four fields that all services of Alibaba Cloud use.
  func alibabaKey(
    in fields: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text(["AccessKeyId"], in: fields)
    let secret = try text(["AccessKeySecret"], in: fields)
    let token = try text(["SecurityToken"], in: fields)
    guard let end = try instant(["Expiration"], in: [fields]) else {
      throw malformed("The response has no field Expiration.")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}
