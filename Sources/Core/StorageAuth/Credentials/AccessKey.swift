// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// An access key of OSS, COS or S3, permanent or temporary.
///
/// A temporary key comes with a session token and an expiration. COS token servers also report the time from which the
/// key is valid, according to their own clock, so that a wrong clock on the device does no harm.
///
/// ```swift
/// let key = AccessKey(id: "LTAI…", secret: "…")
/// let temporary = AccessKey(id: "STS.…", secret: "…", sessionToken: "…", expiration: .now.advanced(by: .seconds(3600)))
/// ```
public struct AccessKey: Credential {
  /// The key's ID, secret and session token with the values derived from them, which have the same lifetime.
  let storage: AccessKeyStorage

  /// The first instant at which the key is valid by its issuer's clock, or `nil` if the issuer did not report it.
  public let start: Timestamp?

  /// The time at which the key expires, according to the issuer's clock, or `nil` for a permanent key.
  public let expiration: Timestamp?

  /// Creates an access key from strings.
  ///
  /// The initializer performs no validation. A key that cannot be used, such as a key with a space in its ID or a line
  /// break in its token, is rejected with a reason when it signs.
  ///
  /// - Parameters:
  ///   - id: The access key ID (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty token counts as `nil`.
  ///   - start: The first instant at which the key is valid, by its issuer's clock, or `nil` if it is not known.
  ///   - expiration: The time at which the key expires, according to the issuer's clock, or `nil` for a permanent key.
  public init(
    id: String, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Creates an access key from an ID and secrets in protected memory.
  ///
  /// The parameters are those of the initializer from strings.
  public init(
    id: String, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: AccessKeyID(id), secret: secret, sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an access key from an existing access key ID and strings.
  ///
  /// The parameters are those of the initializer from strings.
  public init(
    id: AccessKeyID, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Creates an access key from an existing access key ID and secrets in protected memory.
  ///
  /// The parameters are those of the initializer from strings.
  public init(
    id: AccessKeyID, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    let token = sessionToken.flatMap { $0.isEmpty ? nil : $0 }
    storage = AccessKeyStorage(id: id, secret: secret, sessionToken: token)
    self.start = start
    self.expiration = expiration
  }

  private init(storage: AccessKeyStorage) {
    self.storage = storage
    start = nil
    expiration = nil
  }

  /// The anonymous credential, which leaves requests unsigned and cannot presign URLs.
  ///
  /// An app must choose the anonymous credential explicitly. A key with an empty ID and an empty secret is rejected,
  /// because it usually is a setting that was forgotten.
  public static let anonymous = AccessKey(
    storage: AccessKeyStorage(id: "", secret: Secret(""), sessionToken: nil, isAnonymous: true))

  /// Returns a decoy key, which a verifier checks a signature against if the claimed access key ID does not exist.
  ///
  /// With a decoy key, rejecting an unknown ID costs the same hashing as rejecting a wrong signature. The decoy's
  /// secret is not secret: a signature that matches the decoy key must not be accepted.
  static func decoy(for claim: some SignatureClaim) -> AccessKey {
    AccessKey(
      storage: AccessKeyStorage(
        id: claim.accessKeyID, secret: .decoy, sessionToken: claim.sessionToken.flatMap { $0.isEmpty ? nil : $0 },
        isDecoy: true))
  }

  var isDecoy: Bool { storage.isDecoy }

  /// The access key ID (`AccessKeyId`, `SecretId`).
  public var id: AccessKeyID { storage.id }

  /// The key's secret (`AccessKeySecret`, `SecretKey`).
  public var secret: Secret { storage.secret }

  /// The session token of a temporary key, or `nil` for a permanent key.
  public var sessionToken: Secret? { storage.sessionToken }

  /// A Boolean value that indicates whether the key is the ``anonymous`` credential.
  public var isAnonymous: Bool { storage.isAnonymous }

  /// The key's ID, session token, start and expiration, without its secret.
  public var identity: Identity { Identity(id: id, sessionToken: sessionToken, start: start, expiration: expiration) }
}

extension AccessKey: Equatable {
  /// Returns a Boolean value that indicates whether two access keys are equal in every property.
  ///
  /// Secrets are compared in constant time.
  public static func == (first: AccessKey, second: AccessKey) -> Bool {
    first.isAnonymous == second.isAnonymous && first.identity == second.identity && first.secret == second.secret
  }
}

extension AccessKey: Redacted {
  /// The key's ID, start and expiration, with masks for the secret and the session token.
  public var description: String {
    if isAnonymous { return "AccessKey.anonymous" }
    var parts = ["id: \(id)", "secret: \(Secret.mask)"]
    if sessionToken != nil { parts.append("sessionToken: \(Secret.mask)") }
    if let start { parts.append("start: \(start)") }
    if let expiration { parts.append("expiration: \(expiration)") }
    return "AccessKey(\(parts.joined(separator: ", ")))"
  }
}

extension AccessKey {
  /// Returns the HMAC-SHA-1 signing key for a scope, which is derived once for the lifetime of the access key.
  package func signingKey(for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA1>) -> HMACKey<SHA1> {
    storage.sha1Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the HMAC-SHA-256 signing key for a scope, which is derived once for the lifetime of the access key.
  package func signingKey(for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA256>) -> HMACKey<SHA256> {
    storage.sha256Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the header field with the session token, or `nil`; it is created once for each key and field name.
  package func tokenField(named name: HTTPField.Name) -> HTTPField? { storage.tokenField(named: name) }

  /// The percent-encoded session token, or `nil` if the key has no session token; the token is encoded once per key.
  package var encodedToken: SecretBytes? { storage.encodedToken }
}

/// The message authentication code of a string, computed with HMAC (RFC 2104) and an access key's secret.
///
/// It is compared in constant time. `print`, `dump` and `Mirror` hide it: a client that has it can send the request.
public struct AuthenticationCode: Sendable, Equatable {
  /// An HMAC algorithm, identified by its hash function.
  public enum Algorithm: Sendable, Hashable, CaseIterable {
    /// HMAC with SHA-1, whose output has 20 bytes.
    case hmacSHA1
    /// HMAC with SHA-256, whose output has 32 bytes.
    case hmacSHA256

    /// The number of bytes in an authentication code of this algorithm.
    public var byteCount: Int {
      switch self {
      case .hmacSHA1: SHA1.digestByteCount
      case .hmacSHA256: SHA256.digestByteCount
      }
    }
  }

  /// The bytes of the authentication code.
  public let bytes: [UInt8]

  init(_ digest: Digest) { bytes = digest.bytes }

  /// Decodes an authentication code from Base64 with padding (RFC 4648, section 4).
  ///
  /// The result is `nil` for a length other than the algorithm's, or a string that is not the canonical encoding.
  ///
  /// - Parameters:
  ///   - text: The code in Base64.
  ///   - algorithm: The HMAC algorithm, which determines the number of bytes.
  public init?(base64 text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](base64: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard base64.isIdentical(to: text) else { return nil }
  }

  /// Decodes an authentication code from lowercase hexadecimal digits.
  ///
  /// The result is `nil` for a length other than the algorithm's, or a string that is not the canonical encoding.
  ///
  /// - Parameters:
  ///   - text: The code in lowercase hexadecimal digits.
  ///   - algorithm: The HMAC algorithm, which determines the number of bytes.
  public init?(hexadecimal text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](hex: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard hexadecimal.isIdentical(to: text) else { return nil }
  }

  /// The authentication code in Base64 with padding (RFC 4648, section 4).
  public var base64: String { String(writing: { $0.append(base64: bytes) }) }

  /// The authentication code in lowercase hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes) }) }

  /// Returns a Boolean value that indicates whether two authentication codes are equal.
  ///
  /// The time of the comparison depends only on the lengths of the codes.
  public static func == (first: AuthenticationCode, second: AuthenticationCode) -> Bool {
    constantTimeEqual(first.bytes, second.bytes)
  }
}

extension AuthenticationCode: Redacted {
  /// A description with a mask in place of the authentication code's bytes.
  public var description: String { "AuthenticationCode(\(Secret.mask))" }
}

extension AccessKey {
  /// Returns the authentication code of a string, computed with the key's secret; for signers.
  ///
  /// The secret is not copied out of its protected memory. The HMAC state of the secret is cached with the key.
  ///
  /// ```swift
  /// let signature = key.authenticationCode(for: stringToSign, using: .hmacSHA1).base64
  /// ```
  ///
  /// - Parameters:
  ///   - text: The string whose UTF-8 bytes are authenticated, such as a string to sign.
  ///   - algorithm: The HMAC algorithm to use.
  public func authenticationCode(
    for text: String, using algorithm: AuthenticationCode.Algorithm
  ) -> AuthenticationCode {
    switch algorithm {
    case .hmacSHA1:
      let signingKey: HMACKey<SHA1> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(signingKey.authenticationCode(for: text))
    case .hmacSHA256:
      let signingKey: HMACKey<SHA256> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(signingKey.authenticationCode(for: text))
    }
  }

  /// Returns the HMAC-SHA1 of a string in Base64, for a server that signs for its apps with OSS V1 (self-signed mode).
  ///
  /// The vendor's pages and SDKs call it `calBase64Sha1`.
  ///
  /// - Parameter text: The string whose UTF-8 bytes are authenticated: the string to sign that the app sends.
  public func hmacSHA1Base64(_ text: String) -> String { authenticationCode(for: text, using: .hmacSHA1).base64 }
}

/// The scope of a signing key that is derived from a secret in steps, as signatures of the SigV4 family derive theirs.
///
/// The first key is a prefix followed by the secret. The HMAC-SHA256 of each part with the key before it is the next key.
///
/// ```swift
/// let scope = SigningKeyScope(prefix: "ACME4", [day, region, "storage", "acme4_request"])
/// let signature = key.authenticationCode(for: stringToSign, in: scope).hexadecimal
/// ```
public struct SigningKeyScope: Sendable, Hashable {
  /// The text before the secret in the first key.
  public let prefix: String

  /// The parts, of which each derives a key from the key before it.
  public let parts: [String]

  /// The parts as one string, in which no two lists of parts are equal.
  let joined: String

  /// Creates the scope of a derived signing key.
  ///
  /// - Parameters:
  ///   - prefix: The text before the secret in the first key.
  ///   - parts: The parts, such as the day, the region, the service and the end of the scope.
  public init(prefix: String, _ parts: [String]) {
    self.prefix = prefix
    self.parts = parts
    joined = parts.map { "\($0.utf8.count):\($0)" }.joined()
  }
}

extension AccessKey {
  /// Returns the HMAC-SHA256 of a string, computed with a key that is derived from the secret; for signers.
  ///
  /// The most recently derived keys are cached with the access key, so that a key is derived once for each scope.
  ///
  /// - Parameters:
  ///   - text: The string whose UTF-8 bytes are authenticated, such as a string to sign.
  ///   - scope: The scope of the signing key.
  public func authenticationCode(for text: String, in scope: SigningKeyScope) -> AuthenticationCode {
    // A scope of the package's own signers starts and ends at a day or at an instant.
    let cached = KeyScope(from: .min, to: .min, region: scope.joined, service: scope.prefix)
    let signingKey: HMACKey<SHA256> = signingKey(for: cached) { secret in
      let first = HMACKey<SHA256>(writing: {
        $0.append(scope.prefix)
        $0.append(secret)
      })
      return scope.parts.reduce(first) { key, part in key.derivedKey { $0.append(part) } }
    }
    return AuthenticationCode(signingKey.authenticationCode(for: text))
  }

  /// Returns the authentication code of bytes, computed with the key's secret; for signers.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that are authenticated.
  ///   - algorithm: The HMAC algorithm to use.
  public func authenticationCode(
    for bytes: [UInt8], using algorithm: AuthenticationCode.Algorithm
  ) -> AuthenticationCode {
    switch algorithm {
    case .hmacSHA1:
      let signingKey: HMACKey<SHA1> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(bytes.withElements { signingKey.authenticationCode(for: $0) })
    case .hmacSHA256:
      let signingKey: HMACKey<SHA256> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(bytes.withElements { signingKey.authenticationCode(for: $0) })
    }
  }
}

/// The storage of an access key: its ID and secrets, and the values derived from them.
final class AccessKeyStorage: Sendable {
  let id: AccessKeyID
  let secret: Secret
  let sessionToken: Secret?
  let isAnonymous: Bool
  let isDecoy: Bool
  let encodedToken: SecretBytes?
  /// The error that explains why the access key cannot sign, or `nil` if the key can sign.
  let problem: SigningError?
  /// The characters in the access key ID with which some signature schemes would end it.
  let delimiters: IDDelimiters
  let sha1Keys = DerivedKeys<SHA1>()
  let sha256Keys = DerivedKeys<SHA256>()
  private let field = Lock<HTTPField?>(nil)

  init(id: AccessKeyID, secret: Secret, sessionToken: Secret?, isAnonymous: Bool = false, isDecoy: Bool = false) {
    self.isAnonymous = isAnonymous
    self.isDecoy = isDecoy
    self.id = id
    self.secret = secret
    self.sessionToken = sessionToken
    problem = CredentialValidation.problem(id: id, secret: secret, token: sessionToken)
    delimiters = IDDelimiters(in: id)
    encodedToken = sessionToken.map { token in
      var encoded = [UInt8](writing: { writer in token.bytes.withBytes { writer.append(percentEncoding: $0) } })
      defer { wipe(&encoded) }
      return SecretBytes(encoded)
    }
  }

  func tokenField(named name: HTTPField.Name) -> HTTPField? {
    guard let sessionToken else { return nil }
    return field.withLock { field in
      if let field, field.name == name { return field }
      let made = HTTPField(name: name, value: sessionToken.reveal())
      field = made
      return made
    }
  }
}

/// The scope of a derived signing key: a period in any unit, a region and a service, each zero or empty if unused.
@usableFromInline
package struct KeyScope: Sendable, Equatable {
  @usableFromInline let from: Int64
  @usableFromInline let to: Int64
  @usableFromInline let region: String
  @usableFromInline let service: String

  @inlinable @inline(__always)
  package init(from: Int64 = 0, to: Int64 = 0, region: String = "", service: String = "") {
    self.from = from
    self.to = to
    self.region = region
    self.service = service
  }
}

/// A cache for the most recently derived signing keys of an access key.
final class DerivedKeys<Hash: HashFunction & BitwiseCopyable>: Sendable {
  private struct Entry {
    let scope: KeyScope
    let key: HMACKey<Hash>
  }

  /// The maximum number of cached keys: two days, two regions or two periods may be in use concurrently.
  private static var capacity: Int { 4 }

  private let entries = Lock<[Entry]>([])

  func key(for scope: KeyScope, derive: () -> HMACKey<Hash>) -> HMACKey<Hash> {
    let known = entries.withLock { entries in
      entries.first { $0.scope == scope }?.key
    }
    if let known { return known }
    let key = derive()
    entries.withLock { entries in
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(scope: scope, key: key))
    }
    return key
  }
}
