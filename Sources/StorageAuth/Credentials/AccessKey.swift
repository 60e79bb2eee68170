package import HTTPTypes
package import StorageCrypto

/// An access key of OSS or COS, permanent or temporary.
///
/// A temporary key comes with a session token and an expiration; COS token servers also say from when the key is valid,
/// in their own time, so that a wrong clock on the device does no harm.
///
/// ```swift
/// let key = AccessKey(id: "LTAI…", secret: "…")
/// let temporary = AccessKey(id: "STS.…", secret: "…", sessionToken: "…", expiration: .now.advanced(by: .seconds(3600)))
/// ```
public struct AccessKey: Credential {
  /// The id, the key and the token, with what was derived from them; derived keys live and end with the secret.
  let storage: AccessKeyStorage

  /// The first instant at which the key is valid, in the issuer's time; nothing if the issuer did not say.
  public let start: Timestamp?

  /// When the key ends, in the issuer's time; nothing for a permanent key.
  public let expiration: Timestamp?

  /// Makes a key from text.
  ///
  /// Nothing is checked here. A key that cannot be used (a blank in the id, a line break in the token) is refused with a
  /// reason when it is to sign.
  ///
  /// - Parameters:
  ///   - id: The access key id (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty one counts as none.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: When the key ends, in the issuer's time.
  public init(
    id: String, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Makes a key from secrets.
  ///
  /// - Parameters:
  ///   - id: The access key id (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty one counts as none.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: When the key ends, in the issuer's time.
  public init(
    id: String, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: AccessKeyID(id), secret: secret, sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Makes a key from text, with an id that is known already.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - secret: The secret.
  ///   - sessionToken: The session token of a temporary key; an empty one counts as none.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: When the key ends, in the issuer's time.
  public init(
    id: AccessKeyID, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Makes a key from secrets, with an id that is known already.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - secret: The secret.
  ///   - sessionToken: The session token of a temporary key; an empty one counts as none.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: When the key ends, in the issuer's time.
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

  /// No key: signing leaves the request as it is, presigning is refused.
  ///
  /// It has to be named: a key with an empty id and an empty secret is refused, because it is a setting that was
  /// forgotten.
  public static let anonymous = AccessKey(
    storage: AccessKeyStorage(id: "", secret: Secret(""), sessionToken: nil, isAnonymous: true))

  /// A key that takes the place of one that does not exist, so that refusing its id costs the same hashing as refusing a
  /// wrong signature.
  ///
  /// Its secret is no secret: what it verifies proves nothing.
  static func decoy(for claim: some SignatureClaim) -> AccessKey {
    AccessKey(
      storage: AccessKeyStorage(
        id: claim.accessKeyID, secret: .decoy, sessionToken: claim.sessionToken.flatMap { $0.isEmpty ? nil : $0 },
        isDecoy: true))
  }

  /// Whether the key takes the place of one that does not exist.
  var isDecoy: Bool { storage.isDecoy }

  /// The access key id.
  public var id: AccessKeyID { storage.id }

  /// The secret.
  public var secret: Secret { storage.secret }

  /// The session token of a temporary key.
  public var sessionToken: Secret? { storage.sessionToken }

  /// Whether this is ``anonymous``.
  public var isAnonymous: Bool { storage.isAnonymous }

  /// The key without its secret.
  public var identity: Identity {
    Identity(id: id, sessionToken: sessionToken, start: start, expiration: expiration)
  }
}

extension AccessKey: Equatable {
  /// Whether two keys are the same in every part; secrets are compared in constant time.
  public static func == (first: AccessKey, second: AccessKey) -> Bool {
    first.isAnonymous == second.isAnonymous && first.identity == second.identity && first.secret == second.secret
  }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id and the times; the secret and the token are masked.
  public var description: String {
    if isAnonymous { return "AccessKey.anonymous" }
    var parts = ["id: \(id)", "secret: \(Secret.mask)"]
    if sessionToken != nil { parts.append("sessionToken: \(Secret.mask)") }
    if let start { parts.append("start: \(start)") }
    if let expiration { parts.append("expiration: \(expiration)") }
    return "AccessKey(\(parts.joined(separator: ", ")))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The parts, with masks for the secret ones.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "secret": secret, "start": start as Any, "expiration": expiration as Any])
  }
}

extension AccessKey {
  /// The HMAC-SHA-1 key for a scope, derived once and kept as long as this key lives.
  package func signingKey(
    for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA1>
  ) -> HMACKey<SHA1> {
    storage.sha1Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// The HMAC-SHA-256 key for a scope, derived once and kept as long as this key lives.
  package func signingKey(
    for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA256>
  ) -> HMACKey<SHA256> {
    storage.sha256Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// The header field that carries the session token; made and validated once per key and name.
  package func tokenField(named name: HTTPField.Name) -> HTTPField? {
    storage.tokenField(named: name)
  }

  /// The session token percent-encoded, made once per key.
  package var encodedToken: SecretBytes? { storage.encodedToken }
}
