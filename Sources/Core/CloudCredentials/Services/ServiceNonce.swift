// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// A generator of nonces, which are strings that are unique with overwhelming probability.
enum ServiceNonce {
  /// Returns a new nonce: 128 random bits as hexadecimal digits.
  static func make() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(hex: bytes) })
  }
}
