// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The format in which an app server returns credentials.
public struct AppServerFormat: Sendable {
  enum Kind: Sendable {
    case responseFormats([AppServerResponseFormat])
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// A format that is detected automatically among the formats of all services in this package.
  public static let automatic = AppServerFormat(kind: .responseFormats(knownResponseFormats))

  /// The formats of all services, in the order in which they are tried.
  ///
  /// The last one is used for a response that no format recognizes, because its errors name the most spellings.
  static let knownResponseFormats: [AppServerResponseFormat] = [.s3, .oss, .cos]

  /// The response format in the OSS documentation (`distribute-token.json`).
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = AppServerFormat(kind: .responseFormats([.oss]))

  /// The response formats in the COS documentation.
  ///
  /// The key is in `credentials` or `Credentials`, bare or in `data` or `Response`, with `startTime` and `expiredTime`.
  public static let cos = AppServerFormat(kind: .responseFormats([.cos]))

  /// The response format that Amazon's SDKs read from a container's credential URL.
  ///
  /// Its fields are `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`; a refusal has `code` and `message`.
  /// Page: "Container credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let s3 = AppServerFormat(kind: .responseFormats([.s3]))

  /// Returns a format whose responses a closure decodes.
  ///
  /// - Parameter decode: A closure that decodes the body of a successful response. A `CredentialError` that it throws
  ///   is passed on. Any other error becomes `malformedResponse`, which does not show the original error's text.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerFormat {
    AppServerFormat(kind: .custom(decode))
  }
}

/// The format of a JSON document in which an app server returns an access key for one service.
struct AppServerResponseFormat: Sendable {
  let recognizes: @Sendable (JSONObject) -> Bool
  /// Reads the key from a response and its object, or throws the refusal in the object.
  let readKey: @Sendable (AppServerResponse, JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey>
  let refusal: @Sendable (JSONObject) -> ServiceRefusal?

  static let oss: AppServerResponseFormat = .init(
    recognizes: { $0.first(["StatusCode", "AccessKeyId", "AccessKeySecret", "ErrorCode"]) != nil },
    readKey: { response, object throws(CredentialError) in
      try response.key(
        in: object, secretField: "AccessKeySecret", tokenField: "SecurityToken", unless: oss.refusal(object))
    },
    refusal: { object in
      let status = object["StatusCode"]?.code
      let code = object["ErrorCode"]?.code
      if status == "200" || (status == nil && code == nil) { return nil }
      return ServiceRefusal(code: code ?? "StatusCode \(status ?? "")", message: object["ErrorMessage"]?.string ?? "")
    })

  static let cos: AppServerResponseFormat = .init(
    recognizes: { $0.first(["credentials", "Credentials", "data", "Response"]) != nil },
    readKey: { response, object throws(CredentialError) in try response.cosKey(in: object) }, refusal: cosRefusal)

  static let s3: AppServerResponseFormat = .init(
    recognizes: { $0["SecretAccessKey"] != nil },
    readKey: { response, object throws(CredentialError) in
      try response.key(in: object, secretField: "SecretAccessKey", tokenField: "Token", unless: s3.refusal(object))
    },
    refusal: { object in object["code"]?.code.map { ServiceRefusal(code: $0, message: object["message"]?.string ?? "") }
    })

  /// Returns the refusal in `Response.Error`, or in an `error` object or the object itself if the code is not zero.
  private static func cosRefusal(in object: JSONObject) -> ServiceRefusal? {
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

extension AppServerResponse {
  fileprivate func key(
    in object: JSONObject, secretField: String, tokenField: String, unless refusal: ServiceRefusal?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let refusal { throw error(for: refusal) }
    return try reader.key(
      ("AccessKeyId", secretField, tokenField), in: object, expirationIn: object, at: response.issuerTime)
  }

  // The spellings of the fields in the vendor's documentation, SDKs and samples.
  private static let idNames = ["tmpSecretId", "TmpSecretId"]
  private static let secretNames = ["tmpSecretKey", "TmpSecretKey"]
  private static let tokenNames = [
    "sessionToken", "SessionToken", "Token", "token", "XCosSecurityToken", "SecurityToken", "securityToken",
  ]
  private static let startNames = ["startTime", "StartTime"]
  private static let expirationNames = ["expiredTime", "ExpiredTime", "expiration", "Expiration"]

  fileprivate func cosKey(in object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let envelope = (object["data"] ?? object["Response"])?.object ?? object
    guard let fields = credentials(in: envelope) else {
      if let refusal = AppServerResponseFormat.cos.refusal(object) { throw error(for: refusal) }
      throw reader.malformed("The response has no object credentials or Credentials, bare or inside data or Response.")
    }
    let id = try reader.text(Self.idNames, in: fields)
    let secret = try reader.text(Self.secretNames, in: fields)
    let token = try reader.text(Self.tokenNames, in: fields)
    // The vendor's formats have the times beside the credentials, in them, or outside of the envelope.
    let objects = [envelope, fields, object]
    guard let expiration = try reader.time(Self.expirationNames, in: objects) else {
      throw reader.malformed("The response has no field expiredTime, ExpiredTime, expiration or Expiration.")
    }
    let start = try reader.time(Self.startNames, in: objects)
    let key = AccessKey(id: id, secret: secret, sessionToken: token, start: start, expiration: expiration)
    // Without a date in the head of the response, the start is when the issuer's clock says that the key was issued.
    return try reader.issued(key, at: response.issuerTime ?? start)
  }

  /// Returns the object with the key's fields, which is nested, or the envelope itself as in the vendor's browser SDK.
  private func credentials(in envelope: JSONObject) -> JSONObject? {
    if let nested = envelope.first(["credentials", "Credentials"])?.value.object { return nested }
    return envelope.first(Self.idNames + Self.secretNames) == nil ? nil : envelope
  }
}
