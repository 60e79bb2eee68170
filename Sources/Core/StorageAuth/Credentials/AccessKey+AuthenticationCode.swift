// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// The message authentication code of a string, computed with HMAC (RFC 2104) and an access key's secret.
///
/// The code is compared in constant time and not shown by `print`, `dump` or `Mirror`, because a client that has the
/// code of a request can send the request.
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

  init(_ digest: Digest) {
    bytes = digest.bytes
  }

  /// Decodes an authentication code from Base64 with padding (RFC 4648, section 4).
  ///
  /// The result is `nil` if the decoded bytes do not have the algorithm's output length, or if the string is not their
  /// canonical encoding.
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
  /// The result is `nil` if the decoded bytes do not have the algorithm's output length, or if the string is not their
  /// canonical encoding.
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

extension AuthenticationCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description with a mask in place of the authentication code's bytes.
  public var description: String { "AuthenticationCode(\(Secret.mask))" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the authentication code's bytes.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccessKey {
  /// Returns the authentication code of a string, computed with the key's secret; for signers.
  ///
  /// The secret is not copied out of its protected memory. The HMAC state derived from the secret is cached for the
  /// lifetime of the key.
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
}
