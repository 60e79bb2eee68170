internal import HTTPTypes
internal import Hummingbird
internal import StorageAuth
internal import StorageJSON

/// Why a request to sign was refused, as it is answered.
struct SigningAnswer: Error {
  let status: HTTPResponse.Status
  let code: String
  let message: String

  /// The answer for a refusal: the caller's text is at fault (400), or it asks for something that is not allowed (403).
  init(_ refusal: SigningRefusal) {
    self.init(refusal.isAboutForm ? .badRequest : .forbidden, "\(refusal.code)", "\(refusal.message) \(refusal.remedy)")
  }

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  static let notACaller = SigningAnswer(.forbidden, "notAllowed", "Nothing is signed for this caller.")

  static let unreadable = SigningAnswer(
    .badRequest, "malformed",
    "The body is not a JSON object of the texts provider, version, method, stringToSign and, perhaps, canonicalRequest."
  )

  static let unknownProvider = SigningAnswer(
    .badRequest, "malformed", "The provider, or the version of its signature, is not one that is signed for here.")

  static let unavailable = SigningAnswer(
    .serviceUnavailable, "unavailable", "The server has no key to sign with at the moment.")

  static func tooLarge(_ limit: Int) -> SigningAnswer {
    SigningAnswer(.contentTooLarge, "tooLarge", "The body has more than \(limit) bytes.")
  }
}

extension Response {
  /// The answer for a refusal.
  static func refusal(_ answer: SigningAnswer) -> Response {
    json(["code": .string(answer.code), "message": .string(answer.message)], answer.status)
  }
}

extension SigningRequest {
  /// Reads the body of a request to sign.
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
  /// The answer, in the form of the vendor's documents where they have one.
  ///
  /// - Parameter word: What stands in front of `id:signature` there, or `nil`.
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
  /// The answer that says who signs.
  var json: JSONValue {
    var object = JSONObject()
    object["accessKeyId"] = .string(id.string)
    object["securityToken"] = sessionToken.map { .string($0.reveal()) }
    object["expiration"] = expiration.map { .string($0.iso8601) }
    return .object(object)
  }
}
