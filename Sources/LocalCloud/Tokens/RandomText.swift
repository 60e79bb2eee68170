// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A generator of random strings for temporary credentials.
enum RandomText {
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

  /// Returns random letters and digits.
  static func letters(_ count: Int) -> String {
    String((0..<count).compactMap { _ in alphabet.randomElement() })
  }

  /// Returns the Base64 of random bytes.
  static func base64(byteCount: Int) -> String {
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(base64: bytes.span) })
  }
}
