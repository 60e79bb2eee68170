// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CLibcrypto)
  internal import CLibcrypto

  /// A non-negative integer of any length, which is wiped when its last reference is released.
  @safe
  final class BigNumber {
    private let number: OpaquePointer

    private init?(_ number: OpaquePointer?) {
      guard let number = unsafe number else { return nil }
      unsafe self.number = number
    }

    /// Creates an integer from big-endian bytes.
    convenience init?(_ bytes: [UInt8]) {
      unsafe self.init(BN_secure_new())
      guard unsafe BN_bin2bn(bytes, Int32(clamping: bytes.count), number) != nil else { return nil }
    }

    deinit {
      unsafe BN_clear_free(number)
    }

    /// The integer as big-endian bytes without leading zeros.
    var bytes: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
      unsafe BN_bn2bin(number, &bytes)
      return bytes
    }

    /// Returns `self mod (other - 1)`, or `nil` if `other` is at most 1.
    func remainder(byPredecessorOf other: BigNumber) -> BigNumber? {
      guard let context = unsafe BN_CTX_secure_new(), let divisor = unsafe BigNumber(BN_dup(other.number)),
        let remainder = unsafe BigNumber(BN_secure_new())
      else { return nil }
      defer { unsafe BN_CTX_free(context) }
      guard unsafe BN_sub_word(divisor.number, 1) == 1, unsafe BN_is_negative(divisor.number) == 0,
        unsafe BN_div(nil, remainder.number, number, divisor.number, context) == 1
      else { return nil }
      return remainder
    }

    /// Returns whether the integer is the product of two other integers.
    func isProduct(of first: BigNumber, _ second: BigNumber) -> Bool {
      guard let context = unsafe BN_CTX_secure_new(), let product = unsafe BigNumber(BN_secure_new()) else {
        return false
      }
      defer { unsafe BN_CTX_free(context) }
      return unsafe BN_mul(product.number, first.number, second.number, context) == 1
        && BN_cmp(product.number, number) == 0
    }
  }
#endif
