// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth
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

  /// The signed bytes of the token: its claims in JSON.
  let payload: [UInt8]

  let signature: [UInt8]

  /// The line between the claims and the signature in the plaintext of a token.
  static let delimiter = Array("==SIGNATURE==".utf8)

  /// The maximum number of Base64 characters in each line of the signature.
  private static let lineLength = 60

  /// Creates a token by signing claims with an access key's private key.
  ///
  /// The claims in compact JSON, a line `==SIGNATURE==`, and the RSA signature with SHA-512 in lines of Base64 are
  /// compressed with zlib and encoded in Base64. The form is described on IBM's support page ["How to create and use
  /// bearer tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens). The line length and the line
  /// breaks follow aspera-cli.
  ///
  /// - Parameters:
  ///   - claims: The claims, which must contain a user, a scope and an expiration.
  ///   - key: The private key whose public key is registered with the access key.
  /// - Throws: An ``AsperaError``: `invalidToken` if a required claim is missing, or if the claims are too long or
  ///   contain the signature delimiter; `unsupportedKey` if the key is too short; `failed` if the token cannot be
  ///   compressed.
  public init(_ claims: NodeBearerClaims, signedWith key: NodeBearerKey) throws(AsperaError) {
    self.claims = claims
    payload = JSONValue.object(claims.fields).serialized
    try Self.check(claims, payload)
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
    do {
      plaintext = try Zlib.decompress(compressed, limit: Self.sizeLimit)
    } catch {
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
    do {
      key = try PublicKey(pem: publicKeyPEM)
    } catch {
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
    let parts = [
      claims.userID.map { "user: \($0)" }, claims.scope.map { "scope: \($0)" },
      claims.expiration.map { "expiration: \($0)" },
    ]
    return "NodeBearerToken(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }

  /// Checks the claims; at most half of the size limit leaves room for the signature and Base64.
  private static func check(_ claims: NodeBearerClaims, _ payload: [UInt8]) throws(AsperaError) {
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
      text += remainingCharacters.prefix(lineLength) + [lineEnd]
      remainingCharacters = remainingCharacters.dropFirst(lineLength)
    }
    return text
  }

  private static func unreadable(_ predicate: String) -> AsperaError {
    AsperaError(
      .invalidToken, "The bearer token \(predicate).",
      remedy: "Pass the token as it was issued; a JSON Web Token is not a token of a node.")
  }
}

/// Functions that parse a bearer token without verifying its signature.
enum BearerText {
  /// The scheme and the space that precede the token in an `Authorization` header.
  static let prefix = "Bearer "

  /// Returns the token without the prefix `Bearer`, if the text has that prefix.
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

/// An RSA private key that signs bearer tokens for an access key.
///
/// The public key is registered with the access key as `token_verification_key`. `print`, `dump` and `Mirror` do not
/// show the private key.
///
/// ```swift
/// let key = try NodeBearerKey(pem: Secret(text))
/// ```
public struct NodeBearerKey: Sendable, Redacted {
  private let key: PrivateKey

  /// The PEM-encoded public key to register with an access key as `token_verification_key`.
  public let publicKeyPEM: String

  /// Parses a PEM-encoded RSA private key.
  ///
  /// - Parameters:
  ///   - pem: An RSA private key in PEM, in the traditional format or in PKCS #8.
  ///   - passphrase: The passphrase of the key. `nil` or a blank passphrase if the key is not encrypted.
  /// - Throws: An ``AsperaError``: `wrongPassphrase` if the passphrase is wrong or missing, `unsupportedKey` if the key
  ///   is not an RSA key or its encryption is not supported, and `malformedKey` if the text is not a private key in
  ///   PEM.
  public init(pem: Secret, passphrase: Secret? = nil) throws(AsperaError) {
    let passphrase = passphrase.flatMap { $0.isBlank ? nil : $0 }
    do {
      key = try PrivateKey(pem: pem.bytes, passphrase: passphrase?.bytes)
    } catch {
      guard ![UInt8](pem.bytes).isUTF16 else { throw KeyLocation(name: "The key for bearer tokens").utf16Error }
      throw Self.error(for: error)
    }
    guard case .rsa = key.kind, let publicKey = key.publicKey.pem else { throw Self.error(for: .unsupportedKind) }
    publicKeyPEM = publicKey
  }

  /// Reads and parses an RSA private key.
  ///
  /// - Parameters:
  ///   - key: The private key, in memory or in a file.
  ///   - context: The context that reads the key file.
  /// - Throws: An ``AsperaError`` if the key file is missing, cannot be read, or can be read by other users, or if the
  ///   key is not supported; see ``init(pem:passphrase:)``.
  public init(_ key: AsperaPrivateKey, on context: ProviderContext) throws(AsperaError) {
    try self.init(pem: try key.checkedText(on: context).secret, passphrase: key.passphrase)
  }

  /// Returns the signature of a token's payload with RSASSA-PKCS1-v1_5 and SHA-512 (RFC 8017, section 8.2).
  func signature(of payload: [UInt8]) throws(AsperaError) -> [UInt8] {
    do {
      return try key.sign(payload, with: .rsaPKCS1(.sha512))
    } catch {
      throw AsperaError(
        .unsupportedKey, "The key is too short to sign bearer tokens with.", remedy: "Use RSA of 2048 bits or more.")
    }
  }

  private static func error(for error: KeyError) -> AsperaError {
    switch error {
    case .passphraseMissing:
      AsperaError(
        .wrongPassphrase, "The key for bearer tokens is encrypted, and there is no passphrase.",
        remedy: "Give its passphrase.")
    case .wrongPassphrase:
      AsperaError(
        .wrongPassphrase, "The passphrase does not open the key for bearer tokens.",
        remedy: "Give the passphrase of this key.")
    case .unsupportedKind, .unsupportedEncryption:
      AsperaError(
        .unsupportedKey, "The key for bearer tokens is not an RSA key that can be read.",
        remedy: "Create one with openssl genrsa 4096, and register its public key with the access key.")
    case .malformed, .failed:
      AsperaError(
        .malformedKey, "The key for bearer tokens is not a private key in PEM.",
        remedy: "Pass the whole file, from the line BEGIN to the line END.")
    }
  }

  /// A masked description that does not contain the key.
  public var description: String { "NodeBearerKey(\(Secret.mask))" }
}

/// The claims of a node bearer token, such as its user, its scope and its expiration.
///
/// Every claim is stored as it was received, including claims that this package does not know. The claim names are
/// those of IBM's support page ["How to create and use bearer
/// tokens"](https://www.ibm.com/support/pages/how-create-and-use-bearer-tokens).
public struct NodeBearerClaims: Sendable, Equatable {
  /// The claims as JSON members, in the order in which they were received or added.
  public var fields: JSONObject

  /// Creates claims from a JSON object, without validation.
  ///
  /// - Parameter fields: The claims as JSON members.
  public init(fields: JSONObject) { self.fields = fields }

  /// Creates the claims of a node user's bearer token.
  ///
  /// - Parameters:
  ///   - userID: The user ID that the permissions on the node refer to.
  ///   - scope: The access key and the role that the token grants.
  ///   - expiration: The time at which the token expires by the node's clock, without fractions of a second.
  ///   - groupIDs: The IDs of the user's groups, as the permissions on the node refer to them.
  ///   - organizationID: The ID of the user's organization, for servers that require it.
  public init(
    userID: String, scope: NodeScope, expiration: Timestamp, groupIDs: [String] = [], organizationID: String? = nil
  ) {
    fields = [
      "user_id": .string(userID), "scope": .string(scope.description), "auth_type": "access_key",
      "expires_at": .string(expiration.iso8601),
    ]
    if !groupIDs.isEmpty { fields["group_ids"] = .array(groupIDs.map { .string($0) }) }
    fields["organization_id"] = organizationID.map { .string($0) }
  }

  /// The user ID (`user_id`), or `nil` if the claim is missing or malformed.
  public var userID: String? { fields["user_id"]?.code }

  /// The access key and the role that the token grants (`scope`), or `nil` if the claim is missing or malformed.
  public var scope: NodeScope? { fields["scope"]?.string.flatMap { NodeScope($0) } }

  /// The user type (`auth_type`): `access_key` for a user of the access key, `node_user` for a node user.
  public var authType: String? { fields["auth_type"]?.string }

  /// The time at which the token expires by the node's clock (`expires_at`), or `nil` if it is missing or malformed.
  public var expiration: Timestamp? { fields["expires_at"]?.string.flatMap { Timestamp(iso8601: $0) } }

  /// The IDs of the user's groups (`group_ids`).
  public var groupIDs: [String] { (fields["group_ids"]?.array ?? []).compactMap(\.code) }

  /// The ID of the user's organization (`organization_id`), or `nil` if the claim is missing or malformed.
  public var organizationID: String? { fields["organization_id"]?.code }
}

/// The scope of a node bearer token: an access key and a role on the access key.
public struct NodeScope: Sendable, Hashable, CustomStringConvertible {
  /// The role of a user, whose rights are determined by the permissions on folders.
  public static let user = "user:all"

  /// The role of an administrator, who has all rights of the access key.
  public static let admin = "admin:all"

  /// The identifier of the access key.
  public let accessKey: String

  /// The role that the token grants on the access key, such as ``user``.
  public let role: String

  /// Creates a scope from an access key and a role.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - role: The role on the access key.
  public init(accessKey: String, role: String = user) {
    self.accessKey = accessKey
    self.role = role
  }

  /// Parses the value of a token's `scope` claim, or returns `nil` if the text has another form.
  ///
  /// - Parameter text: The claim value, such as `node.<access key>:user:all`.
  public init?(_ text: String) {
    guard let parts = text.removingBytePrefix("node.")?.parts(between: ":", atMost: 1), parts.count == 2 else {
      return nil
    }
    accessKey = String(parts[0])
    role = String(parts[1])
    if accessKey.isEmpty || role.isEmpty { return nil }
  }

  /// The value of a token's `scope` claim, such as `node.<access key>:user:all`.
  public var description: String { "node.\(accessKey):\(role)" }
}
