// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A message authentication code of a string under an access key: the output of HMAC (RFC 2104).
///
/// It is compared in constant time and not shown by `print`, `dump` or `Mirror`: a client that has the code of a
/// request can send the request.
public struct AuthenticationCode: Sendable, Equatable {
  /// A hash function that HMAC is used with.
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

  /// The bytes of the code.
  public let bytes: [UInt8]

  init(_ digest: Digest) {
    bytes = digest.bytes
  }

  /// Decodes a code from Base64 with padding (RFC 4648, section 4).
  ///
  /// Fails if the string does not have the algorithm's number of bytes, or is not the canonical encoding of them.
  ///
  /// - Parameters:
  ///   - text: The Base64 string.
  ///   - algorithm: The algorithm of the code.
  public init?(base64 text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](base64: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard base64.isIdentical(to: text) else { return nil }
  }

  /// Decodes a code from lowercase hexadecimal digits.
  ///
  /// Fails if the string does not have the algorithm's number of bytes, or is not the canonical encoding of them.
  ///
  /// - Parameters:
  ///   - text: The string of hexadecimal digits.
  ///   - algorithm: The algorithm of the code.
  public init?(hexadecimal text: String, _ algorithm: Algorithm) {
    guard let bytes = [UInt8](hex: text), bytes.count == algorithm.byteCount else { return nil }
    self.bytes = bytes
    guard hexadecimal.isIdentical(to: text) else { return nil }
  }

  /// The code in Base64 with padding (RFC 4648, section 4).
  public var base64: String { String(writing: { $0.append(base64: bytes.span) }) }

  /// The code in lowercase hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes.span) }) }

  /// Returns a Boolean value that indicates whether two codes are equal.
  ///
  /// The comparison takes a time that depends only on their lengths.
  public static func == (first: AuthenticationCode, second: AuthenticationCode) -> Bool {
    constantTimeEqual(first.bytes.span, second.bytes.span)
  }
}

extension AuthenticationCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A mask in place of the bytes.
  public var description: String { "AuthenticationCode(\(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the bytes.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccessKey {
  /// Returns the authentication code of a string under the key's secret; for signers.
  ///
  /// The secret is not copied out of its protected memory. The HMAC state derived from it is cached for the lifetime of
  /// the key.
  ///
  /// ```swift
  /// let signature = key.authenticationCode(for: stringToSign, using: .hmacSHA1).base64
  /// ```
  ///
  /// - Parameters:
  ///   - text: The string; its UTF-8 bytes are authenticated.
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
