// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

/// Creates nonces, strings that are unique with overwhelming probability.
enum ServiceNonce {
  /// Returns 128 random bits in hexadecimal.
  static func make() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(hex: bytes.span) })
  }
}
