// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth
internal import StorageCrypto

/// An endpoint of Alibaba Cloud's token service (STS).
public struct AlibabaSTSEndpoint: Sendable, Hashable {
  static let apiVersion = "2015-04-01"

  let baseURL: String

  /// The global STS endpoint, which is reachable from everywhere: `sts.aliyuncs.com`.
  public static let global = AlibabaSTSEndpoint(baseURL: "https://sts.aliyuncs.com")

  /// Returns the public STS endpoint for a region ID such as `cn-hangzhou`: `sts.<region>.aliyuncs.com`.
  public static func region(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(baseURL: "https://sts.\(region).aliyuncs.com")
  }

  /// Returns the STS endpoint inside the private network (VPC) of a region: `sts-vpc.<region>.aliyuncs.com`.
  public static func vpc(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(baseURL: "https://sts-vpc.\(region).aliyuncs.com")
  }

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The URL with scheme, host and port: `https`, or `http` if the server runs on this machine.
  public static func url(_ url: String) -> AlibabaSTSEndpoint { AlibabaSTSEndpoint(baseURL: url) }
}

extension AlibabaSTSEndpoint {
  /// Creates the endpoint for a region, unless the region contains a character that could change the host.
  init?(region: String, isPrivate: Bool) {
    guard region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { return nil }
    self = isPrivate ? .vpc(region) : .region(region)
  }
}

/// A role of Alibaba Cloud, with the parameters that `AssumeRole` and `AssumeRoleWithOIDC` share.
typealias AlibabaRole = AssumedRole<AlibabaSTSEndpoint>

extension AlibabaRole {
  /// Returns the checked parameters.
  func parameters(_ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 5 && parts[0] == "acs" && parts[1] == "ram" && !parts[3].isEmpty && parts[4].hasBytePrefix("role/")
      && parts[4].count > 5
    try check.requireResourceName(arn, of: "role", form: "acs:ram::<account>:role/<name>", isRole)
    return try parameters(sessionNamePunctuation: ".@-_", check)
  }
}

enum ServiceNonce {
  /// Returns 128 random bits, which a service accepts once, as hexadecimal digits.
  static func random() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(hex: bytes) })
  }
}

extension RefusalRules {
  static let alibaba = RefusalRules(
    clockCodePrefixes: ["InvalidTimeStamp.Expired", "InvalidTimeStamp.NotBefore", "IllegalTimestamp"],
    temporaryCodePrefixes: ["Throttling", "ServiceUnavailable", "InternalError", "SignatureNonceUsed"],
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
  /// The refusal in an error response; the metadata service names the code `Success` in others.
  var alibabaRefusal: ServiceRefusal? {
    guard let object, let code = object["Code"]?.code, code != "Success" else { return nil }
    return ServiceRefusal(code: code, message: object["Message"]?.string ?? "", requestID: object["RequestId"]?.string)
  }
}

extension CredentialReader {
  /// Returns the temporary key in a response of STS.
  func alibabaRoleKey(in response: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let fields = try object(response)["Credentials"]?.object else {
      throw malformed("The response has no object Credentials.")
    }
    return try alibabaKey(in: fields, at: response.issuerTime)
  }

  /// Returns the temporary key in the fields that all of Alibaba Cloud's services have in common.
  func alibabaKey(
    in fields: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    try key(("AccessKeyId", "AccessKeySecret", "SecurityToken"), in: fields, expirationIn: fields, at: issuerTime)
  }
}
