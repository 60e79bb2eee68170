// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird

extension RequestRefusal {
  /// Creates the response for a refusal: 400 if the caller's request is malformed, and 403 if the rules do not allow it.
  init(_ refusal: SigningRefusal) {
    self.init(
      status: refusal.isAboutForm ? .badRequest : .forbidden, code: "\(refusal.code)",
      message: "\(refusal.message) \(refusal.remedy)")
  }

  static let notACaller = RequestRefusal(
    status: .forbidden, code: "notAllowed", message: "The server does not sign requests of this caller.")

  static let unreadable = RequestRefusal(
    status: .badRequest, code: "malformed",
    message:
      "The body is not a JSON object with strings provider, version, method, stringToSign and optionally canonicalRequest."
  )

  static let unknownProvider = RequestRefusal(
    status: .badRequest, code: "malformed",
    message: "The server does not sign for this provider or for this version of its signature.")

  static let unavailable = RequestRefusal(
    status: .serviceUnavailable, code: "unavailable", message: "The server has no key to sign with at the moment.")

  static func tooLarge(_ limit: Int) -> RequestRefusal {
    RequestRefusal(status: .contentTooLarge, code: "tooLarge", message: "The body has more than \(limit) bytes.")
  }
}

extension SigningRequest {
  /// Parses the body of a signing request.
  init(json bytes: [UInt8]) throws(RequestRefusal) {
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
  /// The response of the identity route.
  var json: JSONValue {
    var object = JSONObject()
    object["accessKeyId"] = .string(id.string)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    object["expiration"] = expiration.map { .string($0.iso8601) }
    return .object(object)
  }
}
