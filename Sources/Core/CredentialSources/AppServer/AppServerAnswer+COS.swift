// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension AppServerFormat {
  /// The response formats in the COS documentation.
  ///
  /// The key is in `credentials` or `Credentials`, at the top level or inside `data` or `Response`, with `startTime`
  /// and `expiredTime`.
  public static let cos = AppServerFormat(.cos)
}

extension AppServerDocument {
  static let cos = AppServerDocument(
    recognizes: { $0.first(["credentials", "Credentials", "data", "Response"]) != nil },
    issued: { answer, object throws(CredentialError) in try answer.cos(object) },
    refusal: { answer, object in answer.cosRefusal(object) })
}

extension AppServerAnswer {
  private static let ids = ["tmpSecretId", "TmpSecretId"]
  private static let secrets = ["tmpSecretKey", "TmpSecretKey"]
  private static let tokens = [
    "sessionToken", "SessionToken", "Token", "token", "XCosSecurityToken", "SecurityToken", "securityToken",
  ]
  private static let starts = ["startTime", "StartTime"]
  private static let ends = ["expiredTime", "ExpiredTime", "expiration", "Expiration"]

  fileprivate func cos(_ object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let envelope = (object["data"] ?? object["Response"])?.object ?? object
    guard let fields = credentials(in: envelope) else {
      if let refusal = cosRefusal(object) { throw rejected(refusal) }
      throw reader.malformed("The response has no object credentials or Credentials, bare or inside data or Response.")
    }
    let id = try reader.text(Self.ids, in: fields)
    let secret = try reader.text(Self.secrets, in: fields)
    let token = try reader.text(Self.tokens, in: fields)
    let objects = [envelope, fields, object]
    guard let end = try reader.instant(Self.ends, in: objects) else {
      throw reader.malformed("The response has no field expiredTime, ExpiredTime, expiration or Expiration.")
    }
    let start = try reader.instant(Self.starts, in: objects)
    return try reader.issued(
      id: id, secret: secret, token: token, start: start, expiration: end, at: answer.issuerTime ?? start)
  }

  /// Returns the object that contains the fields of the key, or `nil` if there is no such object.
  ///
  /// It is a nested object, or the envelope itself as in the vendor's browser SDK.
  private func credentials(in envelope: JSONObject) -> JSONObject? {
    if let nested = envelope.first(["credentials", "Credentials"])?.value.object { return nested }
    return envelope.first(Self.ids + Self.secrets) == nil ? nil : envelope
  }

  /// Returns the refusal in a response, or `nil` if the response contains no error.
  ///
  /// A refusal is in `Response.Error`, or has an error code other than zero.
  fileprivate func cosRefusal(_ object: JSONObject) -> ServiceRefusal? {
    if let response = object["Response"]?.object, let error = response["Error"]?.object {
      return ServiceRefusal(
        code: error["Code"]?.code ?? "Error", message: error["Message"]?.string ?? "",
        requestID: response["RequestId"]?.string)
    }
    let error = object["error"]?.object ?? object["Error"]?.object ?? object
    guard let code = error.first(["code", "Code"])?.value.code, code != "0" else { return nil }
    let name = error["codeDesc"]?.string.map { "\(code) \($0)" } ?? code
    return ServiceRefusal(
      code: name, message: error.first(["message", "Message", "msg"])?.value.string ?? "",
      requestID: object.first(["requestId", "RequestId"])?.value.string)
  }
}
