// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The parameters of a request to Tencent Cloud's STS.
///
/// Parameters that are `nil` are omitted from the request.
struct TencentSTSParameters: Sendable {
  var name: String?
  var roleARN: String?
  var sessionName: String?
  var providerID: String?
  var identityToken: String?
  var policy: String?
  var externalID: String?
  var seconds: Int64

  /// The parameters as a JSON object whose members are sorted by name.
  var json: JSONValue {
    var object = JSONObject()
    object["DurationSeconds"] = .number(JSONNumber(seconds))
    object["ExternalId"] = externalID.map { .string($0) }
    object["Name"] = name.map { .string($0) }
    object["Policy"] = policy.map { .string($0) }
    object["ProviderId"] = providerID.map { .string($0) }
    object["RoleArn"] = roleARN.map { .string($0) }
    object["RoleSessionName"] = sessionName.map { .string($0) }
    object["WebIdentityToken"] = identityToken.map { .string($0) }
    return .object(object)
  }

  /// Returns a policy in the form that STS requires, which is percent-encoded once, or `nil` if the policy is `nil`.
  static func encoded(policy: String?) -> String? {
    policy?.percentEncoded()
  }
}

/// A request to Tencent Cloud's STS that is not yet signed.
struct TencentSTSCall: Sendable {
  let action: String
  let region: String
  let address: ServiceURL

  init(_ action: String, region: String, endpoint: TencentSTSEndpoint, _ check: RequestCheck) throws(CredentialError) {
    self.action = action
    self.region = region
    address = try check.address(endpoint.url)
    let isRegion = region.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard isRegion, !region.isEmpty else {
      throw check.refused("The name of the region is not valid.", "Write it like ap-guangzhou.")
    }
  }

  func call(_ parameters: TencentSTSParameters) -> ServiceCall {
    address.call(
      .post,
      headers: [
        .contentType: "application/json; charset=utf-8", .tcAction: action, .tcVersion: "2018-08-13",
        .tcRegion: region,
      ], body: parameters.json.serialized)
  }
}

extension RequestCheck {
  /// Checks that a role ARN and a session name have the forms that Tencent Cloud requires.
  func tencentRole(_ arn: String, sessionName: String) throws(CredentialError) {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    let isRole =
      parts.count == 6 && parts[0] == "qcs" && parts[2] == "cam" && parts[4].hasBytePrefix("uin/")
      && (parts[5].hasBytePrefix("roleName/") || parts[5].hasBytePrefix("role/")) && !parts[5].hasByteSuffix("/")
    try resourceName(arn, of: "role", form: "qcs::cam::uin/<account>:roleName/<name>", isRole)
    try self.sessionName(sessionName, marks: "=,.@_-", length: 2...128)
  }
}
