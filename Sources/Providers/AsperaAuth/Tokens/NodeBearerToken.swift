// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A node's bearer token, which contains claims signed with the private key of an access key.
///
/// Any client that has the token can use its rights. `print`, `dump` and `Mirror` do not show the token.
///
/// ```swift
/// let claims = NodeBearerClaims(
///   userID: "mia", scope: NodeScope(accessKey: "my_key"), expiration: .now.advanced(by: .seconds(3600)))
/// let token = try NodeBearerToken(claims, signedWith: key)
/// ```
public struct NodeBearerToken: Sendable, Equatable, Redacted {
  /// The maximum size of a token in bytes, also uncompressed; a token with a thousand groups takes a tenth of it.
  static let sizeLimit = 65_536

  /// The token, without the prefix `Bearer`.
  public let secret: Secret
  /// The token's claims, which are trustworthy only after ``verify(with:)`` succeeds.
  public let claims: NodeBearerClaims

  /// The signed bytes: the claims in JSON.
  let payload: [UInt8]
  let signature: [UInt8]

  static let delimiter = Array("==SIGNATURE==".utf8)
  private static let signatureLineLength = 60

  /// Creates a token by signing claims with an access key's private key.
  ///
  /// The claims in compact JSON, a line `==SIGNATURE==`, and the RSA signature with SHA-512 in lines of Base64 are
  /// compressed with zlib and encoded in Base64. The source is IBM's support page ["How to create and use bearer
  /// tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens); the lines are those of aspera-cli.
  ///
  /// - Parameters:
  ///   - claims: The claims, which must contain a user, a scope and an expiration.
  ///   - key: The private key whose public key is registered with the access key.
  /// - Throws: An ``AsperaError``: `invalidToken` if a required claim is missing, or if the claims are too long or
  ///   contain the signature delimiter; `unsupportedKey` if the key is too short; `failed` if compression fails.
  public init(_ claims: NodeBearerClaims, signedWith key: NodeBearerKey) throws(AsperaError) {
    self.claims = claims
    payload = JSONValue.object(claims.fields).serialized
    try Self.check(claims, encodedAs: payload)
    signature = try key.signature(of: payload)
    guard let compressed = Zlib.compress(Self.plaintext(payload, signature)) else {
      throw AsperaError(.failed, "The bearer token could not be compressed.", remedy: "Try again with more memory.")
    }
    secret = Secret(String(writing: { $0.append(base64: compressed) }))
  }

  /// Parses a token without verifying its signature.
  ///
  /// Use ``verify(with:)`` to verify the signature. Signature lines of any length are accepted, and the line break
  /// before the delimiter is optional, because the commands on IBM's support page produce such tokens.
  ///
  /// - Parameter secret: The token, with or without the prefix `Bearer`.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the text is not a node bearer token.
  public init(_ secret: Secret) throws(AsperaError) {
    let text = BearerText.withoutPrefix(secret.reveal())
    guard text.utf8.count <= Self.sizeLimit, let compressed = [UInt8](base64: text) else {
      throw Self.unreadable("is not Base64 in one line of at most \(Self.sizeLimit) characters")
    }
    let plaintext: [UInt8]
    do { plaintext = try Zlib.decompress(compressed, limit: Self.sizeLimit) } catch {
      throw Self.unreadable("is not compressed with zlib, or has more than \(Self.sizeLimit) bytes")
    }
    // A claim can contain the delimiter, but the Base64 after the last delimiter cannot.
    guard let delimiterRange = plaintext.ranges(of: Self.delimiter).last else {
      throw Self.unreadable("has no line that separates claims and signature")
    }
    var payload = Array(plaintext[..<delimiterRange.lowerBound])
    if payload.last == UInt8(ascii: "\n") { payload.removeLast() }
    let encodedSignature = plaintext[delimiterRange.upperBound...].filter {
      $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
    }
    guard let signature = [UInt8](base64: String(decoding: encodedSignature, as: UTF8.self)), !signature.isEmpty else {
      throw Self.unreadable("has no signature in Base64")
    }
    guard let claims = try? JSONValue(parsing: payload).object else {
      throw Self.unreadable("has claims that are not a JSON object")
    }
    self.secret = Secret(text)
    self.claims = NodeBearerClaims(fields: claims)
    self.payload = payload
    self.signature = signature
  }

  /// Verifies the token's signature, without checking the expiration.
  ///
  /// - Parameter publicKeyPEM: The public key in PEM: the access key's `token_verification_key`.
  /// - Throws: An ``AsperaError``: `malformedKey` if the text is not a public key, `unsupportedKey` if the key is not
  ///   an RSA key, and `invalidToken` if the signature does not match.
  public func verify(with publicKeyPEM: String) throws(AsperaError) {
    let key: PublicKey
    do { key = try PublicKey(pem: publicKeyPEM) } catch {
      throw AsperaError(
        .malformedKey, "The key to verify bearer tokens with is not a public key in PEM.",
        remedy: "Register the public key of the key pair: openssl rsa -pubout prints it.")
    }
    guard case .rsa = key.kind else {
      throw AsperaError(
        .unsupportedKey, "The key to verify bearer tokens with is not an RSA key.",
        remedy: "Register the public key of an RSA key pair.")
    }
    guard key.verify(signature, of: payload, with: .rsaPKCS1(.sha512)) else {
      throw AsperaError(
        .invalidToken, "The signature of the bearer token does not match the key.",
        remedy: "Sign the token with the private key whose public key is registered with the access key.")
    }
  }

  /// A description that contains the user, the scope and the expiration, but not the token.
  public var description: String {
    let user = claims.userID.map { "user: \($0)" }
    let parts = [user, claims.scope.map { "scope: \($0)" }, claims.expiration.map { "expiration: \($0)" }]
    return "NodeBearerToken(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }

  /// Checks the claims, whose limit of half the token's size leaves room for the signature and Base64.
  private static func check(_ claims: NodeBearerClaims, encodedAs payload: [UInt8]) throws(AsperaError) {
    let missing = [
      claims.userID?.isEmpty == false ? nil : "user_id", claims.scope == nil ? "scope" : nil,
      claims.expiration == nil ? "expires_at" : nil,
    ].compactMap(\.self)
    guard missing.isEmpty else {
      throw AsperaError(
        .invalidToken,
        "The claims of the bearer token have no \(missing.joined(separator: " and no ")) that can be read.",
        remedy: "Add them; servers reject a token without them.")
    }
    guard payload.count <= sizeLimit / 2, payload.firstRange(of: delimiter) == nil else {
      throw AsperaError(
        .invalidToken,
        "The claims of the bearer token are longer than \(sizeLimit / 2) bytes, or contain the signature delimiter.",
        remedy: "Leave claims out; long lists of groups are the usual cause.")
    }
  }

  static func plaintext(_ payload: [UInt8], _ signature: [UInt8]) -> [UInt8] {
    let lineEnd = UInt8(ascii: "\n")
    var text = payload + [lineEnd] + delimiter + [lineEnd]
    var remainingCharacters = Array(String(writing: { $0.append(base64: signature) }).utf8)[...]
    while !remainingCharacters.isEmpty {
      text += remainingCharacters.prefix(signatureLineLength) + [lineEnd]
      remainingCharacters = remainingCharacters.dropFirst(signatureLineLength)
    }
    return text
  }

  private static func unreadable(_ predicate: String) -> AsperaError {
    AsperaError(
      .invalidToken, "The bearer token \(predicate).",
      remedy: "Pass the token as it was issued; a JSON Web Token is not a token of a node.")
  }
}
