internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON

/// What can be read from a bearer token without its key.
enum BearerText {
  /// What stands before the token where it is sent.
  static let prefix = "Bearer "

  /// The token without the word before it.
  static func bare(_ text: String) -> String {
    String((text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]).drop { $0 == " " })
  }

  /// When a bearer token ends: a node bearer token and a JSON web token say so; nothing if it is neither.
  static func expiration(of text: String) -> Timestamp? {
    let bare = bare(text)
    if bare.contains(".") { return webTokenExpiration(of: bare) }
    return (try? NodeBearerToken(Secret(bare)))?.claims.expiration
  }

  /// The claim `exp` of a JSON web token (RFC 7519).
  private static func webTokenExpiration(of text: String) -> Timestamp? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= NodeBearerToken.sizeLimit, let payload = [UInt8](base64URL: parts[1]),
      let number = try? JSONValue(parsing: payload)["exp"]
    else { return nil }
    if let seconds = number.integer { return Timestamp(unixSeconds: Int64(seconds)) }
    guard let seconds = number.code.flatMap({ Double($0) }), seconds.magnitude < 0x1p53 else { return nil }
    return Int64(exactly: seconds.rounded(.down)).map { Timestamp(unixSeconds: $0) }
  }
}

extension [UInt8] {
  /// Reads Base64 in the alphabet of URLs, without padding (RFC 7515).
  fileprivate init?(base64URL text: Substring) {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    self.init(base64: standard + padding)
  }
}
