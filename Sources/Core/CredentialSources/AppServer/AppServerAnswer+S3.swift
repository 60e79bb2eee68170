// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension AppServerFormat {
  /// The response format that Amazon's SDKs read from a container's credential URL.
  ///
  /// Its fields are `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`; a refusal has `code` and `message`.
  /// Page: "Container credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let s3 = AppServerFormat(.s3)
}

extension AppServerDocument {
  static let s3 = AppServerDocument(
    recognizes: { $0["SecretAccessKey"] != nil },
    issued: { answer, object throws(CredentialError) in try answer.s3(object) },
    refusal: { _, object in
      object["code"]?.code.map { ServiceRefusal(code: $0, message: object["message"]?.string ?? "") }
    })
}

extension AppServerAnswer {
  fileprivate func s3(_ object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let refusal = AppServerDocument.s3.refusal(self, object) { throw rejected(refusal) }
    let id = try reader.text(["AccessKeyId"], in: object)
    let secret = try reader.text(["SecretAccessKey"], in: object)
    let token = try reader.text(["Token"], in: object)
    guard let end = try reader.instant(["Expiration"], in: [object]) else {
      throw reader.malformed("The response has no field Expiration.")
    }
    return try reader.issued(id: id, secret: secret, token: token, expiration: end, at: answer.issuerTime)
  }
}
