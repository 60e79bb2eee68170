// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird
internal import StorageAuth

/// The response to a signing request that the service refuses.
struct SigningAnswer: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String

  /// Creates the response for a refusal.
  ///
  /// The status is 400 if the caller's request is malformed, and 403 if the rules do not allow it.
  init(_ refusal: SigningRefusal) {
    self.init(refusal.isAboutForm ? .badRequest : .forbidden, "\(refusal.code)", "\(refusal.message) \(refusal.remedy)")
  }

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  static let notACaller = SigningAnswer(.forbidden, "notAllowed", "The server does not sign requests of this caller.")

  static let unreadable = SigningAnswer(
    .badRequest, "malformed",
    "The body is not a JSON object with strings provider, version, method, stringToSign and optionally canonicalRequest."
  )

  static let unknownProvider = SigningAnswer(
    .badRequest, "malformed", "The server does not sign for this provider or for this version of its signature.")

  static let unavailable = SigningAnswer(
    .serviceUnavailable, "unavailable", "The server has no key to sign with at the moment.")

  static func tooLarge(_ limit: Int) -> SigningAnswer {
    SigningAnswer(.contentTooLarge, "tooLarge", "The body has more than \(limit) bytes.")
  }
}

extension Response {
  /// Creates the HTTP response for a refused signing request.
  static func refusal(_ answer: SigningAnswer) -> Response {
    json(["code": .string(answer.code), "message": .string(answer.message)], answer.status)
  }
}

extension SigningRequest {
  /// Creates a signing request from the JSON body of an HTTP request.
  init(json bytes: [UInt8]) throws(SigningAnswer) {
    guard let object = (try? JSONValue(parsing: bytes))?.object,
      Set(object.names).isSubset(of: ["provider", "version", "method", "stringToSign", "canonicalRequest"]),
      let provider = object["provider"]?.string, let version = object["version"]?.string,
      let method = object["method"]?.string, let stringToSign = object["stringToSign"]?.string
    else { throw .unreadable }
    var canonicalRequest: String?
    switch object["canonicalRequest"] {
    case .string(let text)?: canonicalRequest = text
    case nil, .null?: break
    default: throw .unreadable
    }
    let scheme = SignatureScheme(service: provider, version: version)
    self.init(scheme, method: method, stringToSign: stringToSign, canonicalRequest: canonicalRequest)
  }
}

extension SigningResponse {
  /// Returns the signing response as JSON, in the format of the vendor's documentation if there is one.
  ///
  /// - Parameter word: The word before `id:signature` in the vendor's format, or `nil` if the vendor has no such
  ///   format.
  func json(authorizationWord word: String?) -> JSONValue {
    if let word { return ["authorization": .string(authorization(word))] }
    var object = JSONObject()
    object["accessKeyId"] = .string(accessKeyID.string)
    object["signature"] = .string(signature)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    return .object(object)
  }
}

extension Identity {
  /// The JSON document that identifies the signing key.
  var json: JSONValue {
    var object = JSONObject()
    object["accessKeyId"] = .string(id.string)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    object["expiration"] = expiration.map { .string($0.iso8601) }
    return .object(object)
  }
}
