internal import StorageCrypto

/// What a key makes of a text, as a signature of a request: the output of an HMAC (RFC 2104).
///
/// It is compared in constant time and not shown by `print`, `dump` or `Mirror`: who has the code of a request can send
/// the request.
public struct AuthenticationCode: Sendable, Equatable {
  /// A hash function that HMAC is made with.
  public enum Algorithm: Sendable, Hashable, CaseIterable {
    /// HMAC-SHA-1; 20 bytes.
    case hmacSHA1
    /// HMAC-SHA-256; 32 bytes.
    case hmacSHA256

    /// The number of bytes of a code.
    public var byteCount: Int {
      switch self {
      case .hmacSHA1: SHA1.digestByteCount
      case .hmacSHA256: SHA256.digestByteCount
      }
    }
  }

  /// The bytes.
  public let bytes: [UInt8]

  init(_ digest: Digest) {
    bytes = digest.bytes
  }

  /// Reads a code in Base64 with padding (RFC 4648, part 4).
  ///
  /// Fails for a text that is not the one spelling of so many bytes.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - algorithm: The algorithm of the code.
  public init?(base64 text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](base64: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard base64.isIdentical(to: text) else { return nil }
  }

  /// Reads a code in lower-case hexadecimal digits.
  ///
  /// Fails for a text that is not the one spelling of so many bytes.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - algorithm: The algorithm of the code.
  public init?(hexadecimal text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](hex: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard hexadecimal.isIdentical(to: text) else { return nil }
  }

  /// The bytes in Base64 with padding (RFC 4648, part 4).
  public var base64: String { String(writing: { $0.append(base64: bytes.span) }) }

  /// The bytes in lower-case hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes.span) }) }

  /// Returns whether two codes are the same; takes a time that depends on their lengths alone.
  public static func == (first: AuthenticationCode, second: AuthenticationCode) -> Bool {
    constantTimeEqual(first.bytes.span, second.bytes.span)
  }
}

extension AuthenticationCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A mask.
  public var description: String { "AuthenticationCode(\(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the bytes.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccessKey {
  /// Returns the authentication code of a text under the key's secret; for signers.
  ///
  /// The secret is not copied out of its protected memory, and what HMAC derives from it is kept as long as the key lives.
  ///
  /// ```swift
  /// let signature = key.authenticationCode(for: stringToSign, using: .hmacSHA1).base64
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text; its bytes in UTF-8 are authenticated.
  ///   - algorithm: The algorithm.
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
}
