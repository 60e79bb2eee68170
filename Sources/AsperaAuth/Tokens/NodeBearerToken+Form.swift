public import StorageAuth
internal import StorageCompression
internal import StorageCrypto
internal import StorageJSON

extension NodeBearerToken {
  /// What stands between the claims and the signature.
  static let delimiter = Array("==SIGNATURE==".utf8)

  /// How many characters of the signature stand in a line.
  private static let lineLength = 60

  /// Signs claims.
  ///
  /// - Parameters:
  ///   - claims: What the token says; a user, a scope and an end have to be among it.
  ///   - key: The key of the access key.
  /// - Throws: An ``AsperaError`` if a claim that servers need is missing, or if the token would be too long.
  public init(_ claims: NodeBearerClaims, signedWith key: NodeBearerKey) throws(AsperaError) {
    let payload = JSONValue.object(claims.fields).serialized
    try Self.check(claims, payload)
    let signature = try key.signature(of: payload)
    let plaintext = Self.plaintext(payload, signature)
    guard let packed = Zlib.compress(plaintext) else {
      throw AsperaError(.failed, "The bearer token could not be packed.", remedy: "Try again with more memory.")
    }
    let text = String(writing: { $0.append(base64: packed.span) })
    self.init(secret: Secret(text), claims: claims, payload: payload, signature: signature)
  }

  private static func check(_ claims: NodeBearerClaims, _ payload: [UInt8]) throws(AsperaError) {
    let missing = [
      claims.userID?.isEmpty == false ? nil : "user_id", claims.scope == nil ? "scope" : nil,
      claims.expiration == nil ? "expires_at" : nil,
    ].compactMap(\.self)
    guard missing.isEmpty else {
      throw AsperaError(
        .invalidToken,
        "The claims of the bearer token have no \(missing.joined(separator: " and no ")) that can be read.",
        remedy: "Give them; servers refuse a token without.")
    }
    guard payload.count <= sizeLimit / 2, payload.firstRange(of: delimiter) == nil else {
      throw AsperaError(
        .invalidToken,
        "The claims of the bearer token are longer than \(sizeLimit / 2) bytes, or hold the text that ends them.",
        remedy: "Leave claims out; groups are what makes them long.")
    }
  }

  static func plaintext(_ payload: [UInt8], _ signature: [UInt8]) -> [UInt8] {
    let lineEnd = UInt8(ascii: "\n")
    var text = payload + [lineEnd] + delimiter + [lineEnd]
    var rest = Array(String(writing: { $0.append(base64: signature.span) }).utf8)[...]
    while !rest.isEmpty {
      text += rest.prefix(lineLength) + [lineEnd]
      rest = rest.dropFirst(lineLength)
    }
    return text
  }

  /// Reads a token; its signature is not verified.
  ///
  /// - Parameter secret: The token, with or without the word `Bearer` before it.
  /// - Throws: An ``AsperaError`` if it is no such token.
  public init(_ secret: Secret) throws(AsperaError) {
    let text = BearerText.bare(secret.reveal())
    guard text.utf8.count <= Self.sizeLimit, let packed = [UInt8](base64: text) else {
      throw Self.unreadable("is not Base64 in one line of at most \(Self.sizeLimit) characters")
    }
    let plaintext: [UInt8]
    do {
      plaintext = try Zlib.decompress(packed, limit: Self.sizeLimit)
    } catch {
      throw Self.unreadable("is not packed with zlib, or has more than \(Self.sizeLimit) bytes")
    }
    // What follows the last delimiter is Base64, which cannot hold one; a claim could.
    guard let cut = plaintext.ranges(of: Self.delimiter).last else {
      throw Self.unreadable("has no line that separates claims and signature")
    }
    var payload = Array(plaintext[..<cut.lowerBound])
    if payload.last == UInt8(ascii: "\n") { payload.removeLast() }
    let digits = plaintext[cut.upperBound...].filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard let signature = [UInt8](base64: String(decoding: digits, as: UTF8.self)), !signature.isEmpty else {
      throw Self.unreadable("has no signature in Base64")
    }
    guard let claims = try? JSONValue(parsing: payload).object else {
      throw Self.unreadable("has claims that are not a JSON object")
    }
    self.init(
      secret: Secret(text), claims: NodeBearerClaims(fields: claims), payload: payload, signature: signature)
  }

  private static func unreadable(_ predicate: String) -> AsperaError {
    AsperaError(
      .invalidToken, "The bearer token \(predicate).",
      remedy: "Pass the token as it was issued; a JSON web token is no token of a node.")
  }
}
