// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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
  public init?(base64 text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](base64: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard base64.isIdentical(to: text) else { return nil }
  }

  /// Decodes an authentication code from lowercase hexadecimal digits.
  ///
  /// The result is `nil` for a length other than the algorithm's, or a string that is not the canonical encoding.
  public init?(hexadecimal text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](hex: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard hexadecimal.isIdentical(to: text) else { return nil }
  }

  /// The authentication code in Base64 with padding (RFC 4648, section 4).
  public var base64: String { String(writing: { $0.append(base64: bytes) }) }
  /// The authentication code in lowercase hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes) }) }

  /// Returns whether two authentication codes are equal, in a time that depends only on their lengths.
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
    withBytes(of: text) { authenticationCode(for: $0, using: algorithm) }
  }

  /// Returns the authentication code of bytes, computed with the key's secret and an HMAC algorithm; for signers.
  public func authenticationCode(
    for bytes: [UInt8], using algorithm: AuthenticationCode.Algorithm
  ) -> AuthenticationCode {
    bytes.withElements { authenticationCode(for: $0, using: algorithm) }
  }

  private func authenticationCode(
    for bytes: Span<UInt8>, using algorithm: AuthenticationCode.Algorithm
  ) -> AuthenticationCode {
    switch algorithm {
    case .hmacSHA1:
      let signingKey: HMACKey<SHA1> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(signingKey.authenticationCode(for: bytes))
    case .hmacSHA256:
      let signingKey: HMACKey<SHA256> = signingKey(for: KeyScope()) { HMACKey($0) }
      return AuthenticationCode(signingKey.authenticationCode(for: bytes))
    }
  }

  /// Returns the HMAC-SHA1 of a string to sign in Base64, for a server that signs for its apps with OSS V1.
  ///
  /// The vendor calls this mode self-signed, and the function `calBase64Sha1`.
  public func hmacSHA1Base64(_ text: String) -> String { authenticationCode(for: text, using: .hmacSHA1).base64 }

  /// Returns the HMAC-SHA256 of a string, computed with a key that is derived from the secret; for signers.
  ///
  /// The most recently derived keys are cached with the access key, so that a key is derived once for each scope.
  ///
  /// - Parameters:
  ///   - text: The string whose UTF-8 bytes are authenticated, such as a string to sign.
  ///   - scope: The scope of the signing key.
  public func authenticationCode(for text: String, in scope: SigningKeyScope) -> AuthenticationCode {
    // The scopes of the package's own signers start at a day or at an instant, so that `.min` tells them from this one.
    let cachedScope = KeyScope(from: .min, to: .min, region: scope.cacheName)
    let signingKey: HMACKey<SHA256> = signingKey(for: cachedScope) { secret in
      let firstKey = HMACKey<SHA256>(writing: {
        $0.append(scope.prefix)
        $0.append(secret)
      })
      return scope.parts.reduce(firstKey) { key, part in key.derivedKey { $0.append(part) } }
    }
    return AuthenticationCode(signingKey.authenticationCode(for: text))
  }
}

/// The scope of a signing key that is derived from a secret in steps, as signatures of the SigV4 family derive theirs.
///
/// The first key is a prefix followed by the secret; the HMAC-SHA256 of each part is the key for the next part.
///
/// ```swift
/// let scope = SigningKeyScope(prefix: "ACME4", [day, region, "storage", "acme4_request"])
/// let signature = key.authenticationCode(for: stringToSign, in: scope).hexadecimal
/// ```
public struct SigningKeyScope: Sendable, Hashable {
  /// The text before the secret in the first key.
  public let prefix: String
  /// The parts, such as day, region and service, of which each derives a key from the key before it.
  public let parts: [String]
  /// The prefix and the parts as one string, which differs for each scope; in ASCII, so that `==` compares bytes.
  let cacheName: String

  /// Creates the scope of a derived signing key; the parameters are the properties.
  public init(prefix: String, _ parts: [String]) {
    self.prefix = prefix
    self.parts = parts
    cacheName = ([prefix] + parts).map { $0.percentEncoded(.component) }.joined(separator: "/")
  }
}

/// A hash value of bytes, such as the hash of a body that a signature covers; for signers and verifiers.
///
/// ```swift
/// let hash = MessageDigest.sha256(of: body).hexadecimal
/// ```
///
/// MD5 and SHA-1 are for headers and signatures that require them, and not for anything that an attacker can choose.
public struct MessageDigest: Sendable, Hashable {
  /// The bytes of the hash value.
  public let bytes: [UInt8]

  /// Returns the SHA-256 hash value of bytes (FIPS 180-4).
  public static func sha256(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: SHA256.hash(bytes).bytes) }
  /// Returns the SHA-1 hash value of bytes (FIPS 180-4).
  public static func sha1(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: SHA1.hash(bytes).bytes) }
  /// Returns the MD5 hash value of bytes (RFC 1321).
  public static func md5(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: MD5.hash(bytes).bytes) }
  /// The hash value in Base64 with padding (RFC 4648, section 4), as the header `Content-MD5` contains it.
  public var base64: String { String(writing: { $0.append(base64: bytes) }) }
  /// The hash value in lowercase hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes) }) }
}
