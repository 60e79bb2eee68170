// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

extension RefusalRules {
  /// The rules for interpreting the error codes of Tencent Cloud's STS.
  static let tencent = RefusalRules(
    clock: ["AuthFailure.SignatureExpire"],
    passing: ["RequestLimitExceeded", "InternalError", "LimitExceeded.Frequency"],
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
  /// The refusal in an error response of a Tencent Cloud service, or `nil` if the response contains no error.
  ///
  /// Error responses of these services have a successful HTTP status.
  var tencentRefusal: ServiceRefusal? {
    guard let response = object?["Response"]?.object, let error = response["Error"]?.object else { return nil }
    return ServiceRefusal(
      code: error["Code"]?.code ?? "Error", message: error["Message"]?.string ?? "",
      requestID: response["RequestId"]?.string)
  }
}

extension CredentialReader {
  static func tencentSTS(_ source: String) -> CredentialReader {
    CredentialReader(
      source: source, remedy: "Check that the endpoint is the vendor's; a proxy may answer in its place.")
  }

  /// Returns the temporary key in a response of Tencent Cloud's STS.
  func tencentRoleKey(in received: ServiceResponse) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard let response = try object(received)["Response"]?.object else {
      throw malformed("The response has no object Response.")
    }
    guard let fields = response["Credentials"]?.object else {
      throw malformed("The response has no object Credentials inside Response.")
    }
    return try tencentKey(in: fields, times: [response], at: received.issuerTime)
  }

  /// Returns the temporary key in an object with the fields that Tencent Cloud's STS and metadata service use.
  func tencentKey(
    in fields: JSONObject, times: [JSONObject], at issuerTime: Timestamp?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let id = try text(["TmpSecretId"], in: fields)
    let secret = try text(["TmpSecretKey"], in: fields)
    let token = try text(["Token"], in: fields)
    guard let end = try instant(["ExpiredTime", "Expiration"], in: times) else {
      throw malformed("The response has no field ExpiredTime or Expiration.")
    }
    return try issued(id: id, secret: secret, token: token, expiration: end, at: issuerTime)
  }
}
