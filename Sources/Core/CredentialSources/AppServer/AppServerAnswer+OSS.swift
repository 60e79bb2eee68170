// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension AppServerFormat {
  /// The response format in the OSS documentation (`distribute-token.json`).
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = AppServerFormat(.oss)
}

extension AppServerDocument {
  static let oss = AppServerDocument(
    recognizes: { $0.first(["StatusCode", "AccessKeyId", "AccessKeySecret", "ErrorCode"]) != nil },
    issued: { answer, object throws(CredentialError) in try answer.oss(object) },
    refusal: { answer, object in answer.ossRefusal(object) })
}

extension AppServerAnswer {
  fileprivate func oss(_ object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let refusal = ossRefusal(object) { throw rejected(refusal) }
    let id = try reader.text(["AccessKeyId"], in: object)
    let secret = try reader.text(["AccessKeySecret"], in: object)
    let token = try reader.text(["SecurityToken"], in: object)
    guard let end = try reader.instant(["Expiration"], in: [object]) else {
      throw reader.malformed("The response has no field Expiration.")
    }
    return try reader.issued(id: id, secret: secret, token: token, expiration: end, at: answer.issuerTime)
  }

  fileprivate func ossRefusal(_ object: JSONObject) -> ServiceRefusal? {
    let status = object["StatusCode"]?.code
    let code = object["ErrorCode"]?.code
    if status == "200" || status == nil && code == nil { return nil }
    return ServiceRefusal(
      code: code ?? "StatusCode \(status ?? "")", message: object["ErrorMessage"]?.string ?? "")
  }
}
