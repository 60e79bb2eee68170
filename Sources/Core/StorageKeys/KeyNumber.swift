// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An integer of a key.
enum KeyNumber {
  /// The public integers of an RSA key.
  case modulus, publicExponent
  /// The private integers of an RSA key.
  case privateExponent, coefficient, firstPrime, secondPrime
  /// The private integer of an ECDSA key.
  case scalar
}
