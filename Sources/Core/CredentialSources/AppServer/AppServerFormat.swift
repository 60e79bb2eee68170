// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// The format in which an app server returns credentials.
public struct AppServerFormat: Sendable {
  enum Kind: Sendable {
    case documents([AppServerDocument])
    case custom(@Sendable ([UInt8]) throws -> AccessKey)
  }

  let kind: Kind

  /// A format that is detected automatically among the formats of all services in this package.
  public static let automatic = AppServerFormat(kind: .documents(knownDocuments))

  /// The formats of all services, in the order in which they are tried.
  ///
  /// The last one is used for a response that no format recognizes, because its errors name the most spellings.
  static let knownDocuments: [AppServerDocument] = [.s3, .oss, .cos]

  /// The response format in the OSS documentation (`distribute-token.json`).
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = AppServerFormat(kind: .documents([.oss]))

  /// The response formats in the COS documentation.
  ///
  /// The key is in `credentials` or `Credentials`, bare or in `data` or `Response`, with `startTime` and `expiredTime`.
  public static let cos = AppServerFormat(kind: .documents([.cos]))

  /// The response format that Amazon's SDKs read from a container's credential URL.
  ///
  /// Its fields are `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`; a refusal has `code` and `message`.
  /// Page: "Container credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let s3 = AppServerFormat(kind: .documents([.s3]))

  /// Returns a format whose responses a closure decodes.
  ///
  /// - Parameter decode: A closure that decodes the body of a successful response. A `CredentialError` that it throws
  ///   is passed on. Any other error becomes `malformedResponse`, which does not show the original error's text.
  public static func custom(_ decode: @escaping @Sendable ([UInt8]) throws -> AccessKey) -> AppServerFormat {
    AppServerFormat(kind: .custom(decode))
  }
}

/// The format of a JSON document in which an app server returns an access key for one service.
struct AppServerDocument: Sendable {
  /// Whether an object has fields of this format.
  let recognizes: @Sendable (JSONObject) -> Bool

  /// Reads the key from a response and its object, or throws the refusal in the object.
  let issued: @Sendable (AppServerResponse, JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey>

  /// Reads the refusal from an object, or returns `nil` if the object has none.
  let refusal: @Sendable (JSONObject) -> ServiceRefusal?

  static let oss: AppServerDocument = .init(
    recognizes: { $0.first(["StatusCode", "AccessKeyId", "AccessKeySecret", "ErrorCode"]) != nil },
    issued: { response, object throws(CredentialError) in
      try response.key(in: object, secret: "AccessKeySecret", token: "SecurityToken", unless: oss.refusal(object))
    },
    refusal: { object in
      let status = object["StatusCode"]?.code
      let code = object["ErrorCode"]?.code
      if status == "200" || status == nil && code == nil { return nil }
      return ServiceRefusal(code: code ?? "StatusCode \(status ?? "")", message: object["ErrorMessage"]?.string ?? "")
    })

  static let cos: AppServerDocument = .init(
    recognizes: { $0.first(["credentials", "Credentials", "data", "Response"]) != nil },
    issued: { response, object throws(CredentialError) in try response.cosKey(in: object) }, refusal: cosRefusal)

  static let s3: AppServerDocument = .init(
    recognizes: { $0["SecretAccessKey"] != nil },
    issued: { response, object throws(CredentialError) in
      try response.key(in: object, secret: "SecretAccessKey", token: "Token", unless: s3.refusal(object))
    },
    refusal: { object in
      object["code"]?.code.map { ServiceRefusal(code: $0, message: object["message"]?.string ?? "") }
    })

  /// Returns the refusal in `Response.Error`, or that with an error code other than zero.
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

/// An app server's response, from which a format reads the key or the refusal.
struct AppServerResponse {
  let source: String
  let response: ServiceResponse

  var reader: CredentialReader {
    CredentialReader(
      source: source,
      remedy: "Compare the server's response with the formats in the article CredentialServices of CredentialSources.")
  }

  func issued(as format: AppServerFormat) throws(CredentialError) -> IssuedCredential<AccessKey> {
    guard response.isSuccess else { throw errorOfFailedResponse }
    switch format.kind {
    case .documents(let documents):
      let object = try reader.object(response)
      guard let document = documents.first(where: { $0.recognizes(object) }) ?? documents.last else {
        throw reader.malformed("The response has none of the supported formats.")
      }
      return try document.issued(self, object)
    case .custom(let decode):
      do {
        return try reader.issued(try decode(response.body), at: response.issuerTime)
      } catch let error as CredentialError {
        throw error
      } catch {
        throw reader.malformed("The app's decoder threw \(type(of: error)).", underlying: error)
      }
    }
  }

  private var errorOfFailedResponse: CredentialError {
    let object = response.object ?? JSONObject()
    let refusal = AppServerFormat.knownDocuments.reversed().lazy.compactMap { $0.refusal(object) }.first
    let isLoginRefused = response.status == 401 || response.status == 403
    let fallback =
      isLoginRefused
      ? "Log in again, so that the app's requests are accepted."
      : "Check the address, and the request that the app makes."
    return RefusalRules.none.error(for: response, refusal, source: source, fallback: fallback)
  }

  /// Returns the error for a refusal that the body of a successful response contains.
  func error(for refusal: ServiceRefusal) -> CredentialError {
    RefusalRules.none.error(for: response, refusal, source: source, fallback: "See the server's log.")
  }
}

extension AppServerResponse {
  fileprivate func key(
    in object: JSONObject, secret: String, token: String, unless refusal: ServiceRefusal?
  ) throws(CredentialError) -> IssuedCredential<AccessKey> {
    if let refusal { throw error(for: refusal) }
    let id = try reader.text(["AccessKeyId"], in: object)
    let secret = try reader.text([secret], in: object)
    let token = try reader.text([token], in: object)
    guard let expiration = try reader.time(["Expiration"], in: [object]) else {
      throw reader.malformed("The response has no field Expiration.")
    }
    return try reader.issued(id: id, secret: secret, token: token, expiration: expiration, at: response.issuerTime)
  }

  private static let ids = ["tmpSecretId", "TmpSecretId"]
  private static let secrets = ["tmpSecretKey", "TmpSecretKey"]
  private static let tokens = [
    "sessionToken", "SessionToken", "Token", "token", "XCosSecurityToken", "SecurityToken", "securityToken",
  ]
  private static let starts = ["startTime", "StartTime"]
  private static let expirations = ["expiredTime", "ExpiredTime", "expiration", "Expiration"]

  /// Reads a key in one of the formats of the COS documentation.
  fileprivate func cosKey(in object: JSONObject) throws(CredentialError) -> IssuedCredential<AccessKey> {
    let envelope = (object["data"] ?? object["Response"])?.object ?? object
    guard let fields = credentials(in: envelope) else {
      if let refusal = AppServerDocument.cos.refusal(object) { throw error(for: refusal) }
      throw reader.malformed("The response has no object credentials or Credentials, bare or inside data or Response.")
    }
    let id = try reader.text(Self.ids, in: fields)
    let secret = try reader.text(Self.secrets, in: fields)
    let token = try reader.text(Self.tokens, in: fields)
    let objects = [envelope, fields, object]
    guard let expiration = try reader.time(Self.expirations, in: objects) else {
      throw reader.malformed("The response has no field expiredTime, ExpiredTime, expiration or Expiration.")
    }
    let start = try reader.time(Self.starts, in: objects)
    return try reader.issued(
      id: id, secret: secret, token: token, start: start, expiration: expiration, at: response.issuerTime ?? start)
  }

  /// Returns the object with the key's fields, which is nested, or the envelope itself as in the vendor's browser SDK.
  private func credentials(in envelope: JSONObject) -> JSONObject? {
    if let nested = envelope.first(["credentials", "Credentials"])?.value.object { return nested }
    return envelope.first(Self.ids + Self.secrets) == nil ? nil : envelope
  }
}

extension RefusalRules {
  /// The rules for responses of app servers, whose error codes this package does not interpret.
  static let none = RefusalRules(clock: [], temporary: [], remedies: [])
}
