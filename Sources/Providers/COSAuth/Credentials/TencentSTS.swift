// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// An endpoint of Tencent Cloud's token service (STS).
public struct TencentSTSEndpoint: Sendable, Hashable {
  let baseURL: String

  /// The default STS endpoint: `sts.tencentcloudapi.com`.
  public static let standard = TencentSTSEndpoint(baseURL: "https://sts.tencentcloudapi.com")
  /// The STS endpoint inside the vendor's network: `sts.internal.tencentcloudapi.com`.
  public static let `internal` = TencentSTSEndpoint(baseURL: "https://sts.internal.tencentcloudapi.com")
  /// The STS endpoint for accounts outside of mainland China: `sts.intl.tencentcloudapi.com`.
  public static let international = TencentSTSEndpoint(baseURL: "https://sts.intl.tencentcloudapi.com")

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The URL with scheme, host and port: `https`, or `http` if the server runs on this machine.
  public static func url(_ url: String) -> TencentSTSEndpoint { TencentSTSEndpoint(baseURL: url) }
}

/// The token service (STS) at an endpoint, with the region that requests name.
struct TencentSTS: Sendable, Hashable {
  let region: String
  let endpoint: TencentSTSEndpoint

  /// Returns a call of an operation, after checking that the region can be the value of a header.
  func unsignedCall(
    of action: String, with parameters: JSONObject, _ check: RequestCheck
  ) throws(CredentialError) -> ServiceCall {
    let address = try check.address(endpoint.baseURL)
    let isRegion = region.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard isRegion, !region.isEmpty else {
      throw check.refusal("The name of the region is not valid.", remedy: "Write it like ap-guangzhou.")
    }
    let headers: HTTPFields = [
      .contentType: "application/json; charset=utf-8", .tcAction: action, .tcVersion: "2018-08-13", .tcRegion: region,
    ]
    return address.call(.post, headers: headers, body: JSONValue.object(parameters).serialized)
  }
}

/// A role of Tencent Cloud, with the parameters that `AssumeRole` and `AssumeRoleWithWebIdentity` share.
typealias TencentRole = AssumedRole<TencentSTS>

extension TencentRole {
  /// Returns the checked parameters; STS requires the policy to be percent-encoded once.
  func parameters(_ check: RequestCheck) throws(CredentialError) -> JSONObject {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 6 && parts[0] == "qcs" && parts[2] == "cam" && parts[4].hasBytePrefix("uin/")
      && (parts[5].hasBytePrefix("roleName/") || parts[5].hasBytePrefix("role/")) && !parts[5].hasByteSuffix("/")
    try check.requireResourceName(arn, of: "role", form: "qcs::cam::uin/<account>:roleName/<name>", isRole)
    try check.requireSessionName(sessionName, marks: "=,.@_-", length: 2...128)
    try check.requirePolicy(policy)
    var parameters: JSONObject = ["RoleArn": .string(arn), "RoleSessionName": .string(sessionName)]
    parameters["DurationSeconds"] = .number(JSONNumber(try check.wholeSeconds(of: duration, in: 1...43_200)))
    parameters["Policy"] = policy.map { .string($0.percentEncoded()) }
    parameters["ExternalId"] = externalID.map { .string($0) }
    return parameters
  }
}

extension SignedExchange {
  /// Sends a call that is signed for STS, and returns the temporary key in the response.
  func requestTencentKey(
    with call: ServiceCall, source: String, in context: ProviderContext, requiringPermanentKey: Bool = false
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let response = try await response(
      signedWith: TC3Signer(service: "sts"), refusal: \.tencentRefusal, in: context, permanent: requiringPermanentKey
    ) { call }
    return try CredentialReader(ofTokenService: source).tencentRoleKey(in: response)
  }
}

extension RefusalRules {
  static let tencent = RefusalRules(
    clockCodePrefixes: ["AuthFailure.SignatureExpire"],
    temporaryCodePrefixes: ["RequestLimitExceeded", "InternalError", "LimitExceeded.Frequency"],
    remedies: [
      ("AuthFailure.SignatureExpire", "Set this machine's clock."),
      ("AuthFailure.SignatureFailure", "Check the secret of the signing key; a blank at its end is the usual cause."),
      ("AuthFailure.SecretIdNotFound", "Check the ID of the signing key."),
      ("AuthFailure.InvalidSecretId", "Check the ID of the signing key."),
      ("AuthFailure.TokenFailure", "Get a new temporary key to sign with."),
      ("AuthFailure.UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("UnauthorizedOperation", "Let the caller's policies allow the call, and the role trust the caller."),
      ("ResourceNotFound", "Check the name of the role."),
      ("InvalidParameter", "Check the parameter that the message names."),
    ])
}

extension ServiceResponse {
  /// The refusal in an error response, whose HTTP status is that of a success.
  var tencentRefusal: ServiceRefusal? {
    guard let response = object?["Response"]?.object, let error = response["Error"]?.object else { return nil }
    return ServiceRefusal(
      code: error["Code"]?.code ?? "Error", message: error["Message"]?.string ?? "",
      requestID: response["RequestId"]?.string)
  }
}

extension CredentialReader {
  /// Returns the temporary key in a response of STS, in which the expiration is beside the key.
  func tencentRoleKey(in response: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let content = try object(response)["Response"]?.object else {
      throw malformed("The response has no object Response.")
    }
    guard let fields = content["Credentials"]?.object else {
      throw malformed("The response has no object Credentials inside Response.")
    }
    return try tencentKey(in: fields, expirationIn: content, at: response.issuerTime)
  }

  /// Returns the temporary key in the fields that STS and the metadata service have in common.
  func tencentKey(
    in fields: JSONObject, expirationIn object: JSONObject, at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    try key(
      ("TmpSecretId", "TmpSecretKey", "Token"), in: fields, expirationNames: ["ExpiredTime", "Expiration"],
      expirationIn: object, at: issuerTime)
  }
}
