// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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
  ///
  /// - Parameter bytes: The bytes to hash.
  public static func sha256(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: SHA256.hash(bytes).bytes) }

  /// Returns the SHA-1 hash value of bytes (FIPS 180-4).
  ///
  /// - Parameter bytes: The bytes to hash.
  public static func sha1(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: SHA1.hash(bytes).bytes) }

  /// Returns the MD5 hash value of bytes (RFC 1321).
  ///
  /// - Parameter bytes: The bytes to hash.
  public static func md5(of bytes: [UInt8]) -> MessageDigest { MessageDigest(bytes: MD5.hash(bytes).bytes) }

  /// The hash value in Base64 with padding (RFC 4648, section 4), as the header `Content-MD5` contains it.
  public var base64: String { String(writing: { $0.append(base64: bytes) }) }

  /// The hash value in lowercase hexadecimal digits.
  public var hexadecimal: String { String(writing: { $0.append(hex: bytes) }) }
}
