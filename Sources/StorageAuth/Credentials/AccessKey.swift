// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageCrypto

/// An access key of OSS, COS or S3, permanent or temporary.
///
/// A temporary key comes with a session token and an expiration. COS token servers also report the time from which the
/// key is valid, by their own clock, so that a wrong clock on the device does no harm.
///
/// ```swift
/// let key = AccessKey(id: "LTAI…", secret: "…")
/// let temporary = AccessKey(id: "STS.…", secret: "…", sessionToken: "…", expiration: .now.advanced(by: .seconds(3600)))
/// ```
public struct AccessKey: Credential {
  /// The id, the secret and the session token with the values derived from them.
  ///
  /// Derived keys have the lifetime of the secret.
  let storage: AccessKeyStorage

  /// The first instant at which the key is valid, in the issuer's time; `nil` if the issuer did not report it.
  public let start: Timestamp?

  /// The time at which the key expires, in the issuer's time; `nil` for a permanent key.
  public let expiration: Timestamp?

  /// Creates a key from strings.
  ///
  /// The initializer validates no part. A key that cannot be used, such as one with a space in its id or a line break
  /// in its token, is rejected with a reason when it signs.
  ///
  /// - Parameters:
  ///   - id: The access key id (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty one counts as `nil`.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: The time at which the key expires, in the issuer's time.
  public init(
    id: String, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Creates a key from secrets.
  ///
  /// - Parameters:
  ///   - id: The access key id (`AccessKeyId`, `SecretId`).
  ///   - secret: The secret (`AccessKeySecret`, `SecretKey`).
  ///   - sessionToken: The session token of a temporary key; an empty one counts as `nil`.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: The time at which the key expires, in the issuer's time.
  public init(
    id: String, secret: Secret, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: AccessKeyID(id), secret: secret, sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Creates a key from strings and an existing id.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - secret: The secret.
  ///   - sessionToken: The session token of a temporary key; an empty one counts as `nil`.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: The time at which the key expires, in the issuer's time.
  public init(
    id: AccessKeyID, secret: String, sessionToken: String? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil
  ) {
    self.init(
      id: id, secret: Secret(secret), sessionToken: sessionToken.map { Secret($0) }, start: start,
      expiration: expiration)
  }

  /// Creates a key from secrets and an existing id.
  ///
  /// - Parameters:
  ///   - id: The access key id.
  ///   - secret: The secret.
  ///   - sessionToken: The session token of a temporary key; an empty one counts as `nil`.
  ///   - start: The first instant at which the key is valid, in the issuer's time.
  ///   - expiration: The time at which the key expires, in the issuer's time.
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

  /// The anonymous credential: signing leaves the request unchanged, and presigning is refused.
  ///
  /// It must be named explicitly: a key with an empty id and an empty secret is rejected, because it usually is a
  /// setting that was forgotten.
  public static let anonymous = AccessKey(
    storage: AccessKeyStorage(id: "", secret: Secret(""), sessionToken: nil, isAnonymous: true))

  /// Returns a key to verify against if the claimed id does not exist.
  ///
  /// With it, rejecting an unknown id costs the same hashing as rejecting a wrong signature. Its secret is not secret:
  /// a signature that verifies against it must not be accepted.
  static func decoy(for claim: some SignatureClaim) -> AccessKey {
    AccessKey(
      storage: AccessKeyStorage(
        id: claim.accessKeyID, secret: .decoy, sessionToken: claim.sessionToken.flatMap { $0.isEmpty ? nil : $0 },
        isDecoy: true))
  }

  /// Whether the key is a decoy for one that does not exist.
  var isDecoy: Bool { storage.isDecoy }

  /// The access key id.
  public var id: AccessKeyID { storage.id }

  /// The secret.
  public var secret: Secret { storage.secret }

  /// The session token of a temporary key, or `nil`.
  public var sessionToken: Secret? { storage.sessionToken }

  /// A Boolean value that indicates whether this is the ``anonymous`` credential.
  public var isAnonymous: Bool { storage.isAnonymous }

  /// The key without its secret.
  public var identity: Identity {
    Identity(id: id, sessionToken: sessionToken, start: start, expiration: expiration)
  }
}

extension AccessKey: Equatable {
  /// Returns a Boolean value that indicates whether two keys are equal in every part.
  ///
  /// Secrets are compared in constant time.
  public static func == (first: AccessKey, second: AccessKey) -> Bool {
    first.isAnonymous == second.isAnonymous && first.identity == second.identity && first.secret == second.secret
  }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The id and the times, with masks for the secret and the session token.
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

  /// A mirror of the id, the masked secret and the times.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "secret": secret, "start": start as Any, "expiration": expiration as Any])
  }
}

extension AccessKey {
  /// Returns the HMAC-SHA-1 key for a scope, derived once and cached for the lifetime of this key.
  package func signingKey(
    for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA1>
  ) -> HMACKey<SHA1> {
    storage.sha1Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the HMAC-SHA-256 key for a scope, derived once and cached for the lifetime of this key.
  package func signingKey(
    for scope: KeyScope, derive: (Span<UInt8>) -> HMACKey<SHA256>
  ) -> HMACKey<SHA256> {
    storage.sha256Keys.key(for: scope) { storage.secret.bytes.withBytes(derive) }
  }

  /// Returns the header field that carries the session token, or `nil` without a session token.
  ///
  /// It is created and validated once per key and name.
  package func tokenField(named name: HTTPField.Name) -> HTTPField? {
    storage.tokenField(named: name)
  }

  /// The percent-encoded session token, encoded once per key; `nil` without a session token.
  package var encodedToken: SecretBytes? { storage.encodedToken }
}
