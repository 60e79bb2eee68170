// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// Functions that parse bearer tokens without verifying their signatures.
enum BearerText {
  static let prefix = "Bearer "

  static func withoutPrefix(_ text: String) -> String {
    String((text.removingBytePrefix(prefix) ?? text[...]).droppingBlanks)
  }

  /// Returns the expiration of a node bearer token or a JSON Web Token, or `nil` if the text is neither.
  static func expiration(of text: String) -> Timestamp? {
    let token = withoutPrefix(text)
    if token.hasByte(".") { return webTokenExpiration(of: token) }
    return (try? NodeBearerToken(Secret(token)))?.claims.expiration
  }

  /// Returns the time in the claim `exp` of a JSON Web Token (RFC 7519, section 4.1.4).
  private static func webTokenExpiration(of text: String) -> Timestamp? {
    let parts = text.parts(between: ".")
    guard parts.count == 3, text.utf8.count <= NodeBearerToken.sizeLimit, let payload = [UInt8](base64URL: parts[1]),
      let number = try? JSONValue(parsing: payload)["exp"]
    else { return nil }
    if let seconds = number.integer { return Timestamp(unixSeconds: Int64(seconds)) }
    guard let seconds = number.code.flatMap({ Double($0) }), seconds.magnitude < 0x1p53 else { return nil }
    return Int64(exactly: seconds.rounded(.down)).map { Timestamp(unixSeconds: $0) }
  }
}

extension [UInt8] {
  /// Decodes unpadded Base64 in the URL-safe alphabet (RFC 7515, section 2), or returns `nil` if the text is invalid.
  init?(base64URL text: Substring) {
    guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    self.init(base64: standard + padding)
  }

  /// The bytes in unpadded Base64 with the URL-safe alphabet (RFC 7515, section 2).
  package var base64URL: String {
    let standard = String(writing: { $0.append(base64: self) })
    return standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
