// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth

/// An endpoint of Amazon's or a compatible token service (STS), with the region in the signature's scope.
public struct AmazonSTSEndpoint: Sendable, Hashable {
  /// The region in the signature's scope.
  let signingRegion: String
  let baseURL: String

  /// The global STS endpoint, which is reachable from everywhere: `sts.amazonaws.com`.
  public static let global = AmazonSTSEndpoint(signingRegion: "us-east-1", baseURL: "https://sts.amazonaws.com")

  /// Returns the STS endpoint for a region ID such as `eu-central-1`: `sts.<region>.amazonaws.com`.
  public static func region(_ region: String) -> AmazonSTSEndpoint {
    let domain = region.hasBytePrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    return AmazonSTSEndpoint(signingRegion: region, baseURL: "https://sts.\(region).\(domain)")
  }

  /// Returns a custom STS endpoint, such as that of a compatible service.
  ///
  /// - Parameters:
  ///   - url: The URL with scheme, host and port: `https`, or `http` if the server runs on this machine.
  ///   - region: The region in the signature's scope.
  public static func url(_ url: String, region: String = "us-east-1") -> AmazonSTSEndpoint {
    AmazonSTSEndpoint(signingRegion: region, baseURL: url)
  }

  /// Returns the URL for requests, or throws an error if the region is invalid, because it could change the host.
  func requestURL(_ check: RequestCheck) throws(CredentialError) -> ServiceURL {
    guard signingRegion.isAmazonScopePart else {
      throw check.refusal("The name of the region is not valid.", remedy: "Write it like eu-central-1.")
    }
    return try check.address(baseURL).appending("/")
  }
}

/// A role of Amazon, with the parameters that `AssumeRole` and `AssumeRoleWithWebIdentity` share.
typealias AmazonRole = AssumedRole<AmazonSTSEndpoint>

extension AmazonRole {
  /// Returns the checked parameters; only the start of an ARN is checked, because compatible services have other forms.
  func parameters(of action: String, _ check: RequestCheck) throws(CredentialError) -> [FormPair] {
    // An ARN is `arn:partition:service:region:account:resource`; the resource can contain colons.
    let parts = arn.parts(between: ":", maxSplits: 5)
    let isARN = parts.count == 6 && parts[0] == "arn" && !parts[5].isEmpty
    try check.requireResourceName(arn, of: "role", form: "arn:aws:iam::<account>:role/<name>", limit: 2048, isARN)
    return [FormPair("Action", action), FormPair("Version", "2011-06-15")]
      + (try parameters(sessionNamePunctuation: "_+=,.@-", check))
  }
}

extension ServiceURL {
  /// Returns a call of STS, whose parameters are a form in the body.
  func amazonCall(with form: [FormPair]) -> ServiceCall {
    let headers: HTTPFields = [
      .accept: "application/xml", .contentType: "application/x-www-form-urlencoded; charset=utf-8",
    ]
    return call(.post, headers: headers, body: Array(FormPair.written(form).utf8))
  }
}

extension RefusalRules {
  /// The rules for the codes in "AssumeRole", "AssumeRoleWithWebIdentity" and "Common Errors" of the STS API reference.
  ///
  /// `SignatureDoesNotMatch` can also mean a wrong signing time, so the clock is corrected before the secret is blamed.
  static let amazon = RefusalRules(
    clockCodePrefixes: ["RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"],
    temporaryCodePrefixes: [
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
  /// The refusal in an error response, whose element `Error` is the root or a child of the root.
  var amazonRefusal: ServiceRefusal? {
    guard let document, let error = document.name.isIdentical(to: "Error") ? document : document["Error"],
      let code = error["Code"]?.text, !code.isEmpty
    else { return nil }
    let requestID = (document["RequestId"] ?? error["RequestId"])?.text
    return ServiceRefusal(code: code, message: error["Message"]?.text ?? "", requestID: requestID)
  }
}

extension CredentialReader {
  /// Returns the temporary key in a response of STS: `<…Response><…Result><Credentials>`.
  func amazonRoleKey(
    in response: ServiceResponse, to action: String
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let document = response.document else {
      throw malformed("The response is empty, is no XML, or was cut off.", isRetryable: true)
    }
    guard document.name.isIdentical(to: "\(action)Response") else {
      throw malformed("The response is XML, but no \(action)Response.")
    }
    let credentials = try onlyChild("Credentials", of: try onlyChild("\(action)Result", of: document))
    var fields = JSONObject()
    for field in credentials.children {
      guard fields[field.name] == nil else { throw malformed("The response has a field of the key twice.") }
      fields[field.name] = .string(field.text)
    }
    return try amazonKey(in: fields, tokenField: "SessionToken", at: response.issuerTime)
  }

  private func onlyChild(_ name: String, of node: XMLNode) throws(CredentialError) -> XMLNode {
    let children = node.all(name)
    guard let child = children.first, children.count == 1 else {
      throw malformed("The response has \(children.isEmpty ? "no element" : "more than one element") \(name).")
    }
    return child
  }

  /// Returns the temporary key in the fields that Amazon's services have in common, except the name of the token.
  func amazonKey(
    in fields: JSONObject, tokenField: String, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    try key(("AccessKeyId", "SecretAccessKey", tokenField), in: fields, expirationIn: fields, at: issuerTime)
  }
}
