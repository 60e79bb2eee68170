// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// An access key of OSS, COS or S3, permanent or temporary.
///
/// A temporary key comes with a session token and an expiration. COS token servers also report the time from which the
/// key is valid, according to their own clock, so that a wrong clock on the device does no harm.
///
/// ```swift
/// let key = AccessKey(id: "LTAI…", secret: "…")
/// let expiration = Timestamp.now.advanced(by: .seconds(3600))
/// let temporary = AccessKey(id: "STS.…", secret: "…", sessionToken: "…", expiration: expiration)
/// ```
public struct AccessKey: Credential {
  /// The key's ID, secret and session token with the values derived from them, which have the same lifetime.
  let storage: AccessKeyStorage
  /// The first instant at which the key is valid by its issuer's clock, or `nil` if the issuer did not report it.
  public let start: Timestamp?
  /// The time at which the key expires by its issuer's clock, or `nil` for a permanent key.
  public let expiration: Timestamp?

  /// Creates an access key from strings.
  ///
  /// A key that cannot be used, such as a key with a space in its ID, is rejected with a reason only when it signs.
  ///
  /// - Parameters:
  ///   - id: The access key ID (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty token counts as `nil`.
  ///   - start: The first instant at which the key is valid, by its issuer's clock, or `nil` if it is not known.
  ///   - expiration: The time at which the key expires by its issuer's clock, or `nil` for a permanent key.
  public init(
    id: String, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(id: AccessKeyID(id), secret: secret, sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an access key from an ID and secrets in protected memory, otherwise like the initializer from strings.
  public init(
    id: String, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(id: AccessKeyID(id), secret: secret, sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates an access key from an existing access key ID, otherwise like the initializer from strings.
  public init(
    id: AccessKeyID, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Creates an access key from an existing ID and secrets in protected memory, otherwise like that from strings.
  public init(
    id: AccessKeyID, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    let storage = AccessKeyStorage(id: id, secret: secret, sessionToken: sessionToken)
    self.init(storage: storage, start: start, expiration: expiration)
  }

  private init(storage: AccessKeyStorage, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.storage = storage
    self.start = start
    self.expiration = expiration
  }

  /// The anonymous credential, which leaves requests unsigned and cannot presign URLs.
  ///
  /// A key with an empty ID and an empty secret is rejected instead, because it usually is a forgotten setting.
  public static let anonymous = AccessKey(
    storage: AccessKeyStorage(id: "", secret: Secret(""), sessionToken: nil, isAnonymous: true))

  /// Returns a decoy key, which a verifier checks a signature against if the claimed access key ID does not exist.
  ///
  /// With a decoy key, rejecting an unknown ID costs the same hashing as rejecting a wrong signature. The decoy's
  /// secret is not secret: a signature that matches the decoy key must not be accepted.
  static func decoy(for claim: some SignatureClaim) -> AccessKey {
    let storage = AccessKeyStorage(
      id: claim.accessKeyID, secret: .decoy, sessionToken: claim.sessionToken, isDecoy: true)
    return AccessKey(storage: storage)
  }

  var isDecoy: Bool { storage.isDecoy }
  /// The access key ID (`AccessKeyId`, `SecretId`).
  public var id: AccessKeyID { storage.id }
  /// The key's secret (`AccessKeySecret`, `SecretKey`).
  public var secret: Secret { storage.secret }
  /// The session token of a temporary key, or `nil` for a permanent key.
  public var sessionToken: Secret? { storage.sessionToken }
  /// Whether the key is the ``anonymous`` credential.
  public var isAnonymous: Bool { storage.isAnonymous }
  /// The part of the key that signed requests reveal: its ID and session token, with its start and expiration.
  public var identity: Identity { Identity(id: id, sessionToken: sessionToken, start: start, expiration: expiration) }
}

extension AccessKey: Equatable {
  /// Returns whether two access keys are equal in every public property, comparing secrets in constant time.
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
  /// Returns the HMAC-SHA-1 signing key for a scope from the cache, or derives it from the secret.
  package func signingKey(for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA1>) -> HMACKey<SHA1> {
    storage.sha1Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the HMAC-SHA-256 signing key for a scope from the cache, or derives it from the secret.
  package func signingKey(for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA256>) -> HMACKey<SHA256> {
    storage.sha256Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the header field with the session token, or `nil`; it is created once for each key and field name.
  package func tokenField(named name: HTTPField.Name) -> HTTPField? { storage.tokenField(named: name) }
  /// Returns the header field with the session token and the percent-encoded token, or `nil`; both are created once.
  package func encodedTokenField(named name: HTTPField.Name) -> TokenField? { storage.encodedTokenField(named: name) }
}
