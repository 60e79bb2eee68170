// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A generator of random strings, for temporary credentials and tokens.
enum RandomText {
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")

  /// Returns a string of random letters and digits.
  ///
  /// - Parameter count: The number of characters.
  static func letters(_ count: Int) -> String {
    String((0..<count).compactMap { _ in alphabet.randomElement() })
  }

  /// Returns random bytes, encoded as Base64.
  static func base64(byteCount: Int) -> String {
    let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(base64: bytes) })
  }
}
