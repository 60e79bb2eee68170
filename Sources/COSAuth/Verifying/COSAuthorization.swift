internal import StorageAuth
internal import StorageCrypto

/// The seven fields of a COS authorization.
struct COSAuthorization {
  static let names = [
    "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
  ]

  let id: String
  let window: COSKeyTime
  let headers: [String]
  let parameters: [String]
  let signature: String

  /// Reads the value of an Authorization header, or of the parameter `sign`.
  init(_ text: String) throws(VerificationError) {
    var fields: [String: String] = [:]
    for item in text.parts(between: "&") {
      let pair = item.parts(between: "=", atMost: 1)
      guard pair.count == 2, Self.names.contains(String(pair[0])),
        fields.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
      else { throw .malformed("The authorization has a field that is unknown or there twice.") }
    }
    try self.init(fields)
  }

  /// Reads fields that are decoded already.
  init(_ fields: [String: String]) throws(VerificationError) {
    guard fields.count == Self.names.count, let id = fields["q-ak"], !id.isEmpty, let signature = fields["q-signature"],
      !signature.isEmpty, let headerList = fields["q-header-list"], let parameterList = fields["q-url-param-list"]
    else { throw .malformed("The authorization lacks one of its seven fields.") }
    guard fields["q-sign-algorithm"] == "sha1" else {
      throw VerificationError(.unsupported, "The algorithm is not sha1.", remedy: "Sign with q-sign-algorithm=sha1.")
    }
    guard let text = fields["q-sign-time"], let window = COSKeyTime(text) else {
      throw .malformed("The sign time is not two numbers of seconds with a semicolon between them.")
    }
    guard fields["q-key-time"] == text else {
      throw .malformed("The key time is not the sign time.")
    }
    guard window.start <= window.end else { throw .malformed("The sign time ends before it starts.") }
    self.id = id
    self.window = window
    self.signature = signature
    headers = try Self.list(headerList)
    parameters = try Self.list(parameterList)
  }

  /// The names of a list; some SDKs encode them and some do not, and both mean the same name.
  private static func list(_ text: String) throws(VerificationError) -> [String] {
    var names: [String] = []
    for name in text.words(between: ";") {
      guard let bytes = String(name).percentDecodedBytes(), let decoded = String(validating: bytes, as: UTF8.self)
      else {
        throw .malformed("A list of signed names holds a broken escape.")
      }
      names.append(decoded.asciiLowercased)
    }
    return names
  }
}
