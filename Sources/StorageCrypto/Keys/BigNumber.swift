internal import CLibcrypto

/// A number of any length that is not negative, wiped when the last reference to it goes.
@safe
final class BigNumber {
  private let number: OpaquePointer

  private init?(_ number: OpaquePointer?) {
    guard let number = unsafe number else { return nil }
    unsafe self.number = number
  }

  /// Takes over a number, its highest byte first.
  convenience init?(_ bytes: [UInt8]) {
    unsafe self.init(BN_secure_new())
    guard unsafe BN_bin2bn(bytes, Int32(clamping: bytes.count), number) != nil else { return nil }
  }

  deinit {
    unsafe BN_clear_free(number)
  }

  /// The bytes, the highest first, without zeros before them.
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
    unsafe BN_bn2bin(number, &bytes)
    return bytes
  }

  /// What is left of it after division by a number less one; nothing if that is no number to divide by.
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

  /// Whether two numbers give it when multiplied.
  func isProduct(of first: BigNumber, _ second: BigNumber) -> Bool {
    guard let context = unsafe BN_CTX_secure_new(), let product = unsafe BigNumber(BN_secure_new()) else {
      return false
    }
    defer { unsafe BN_CTX_free(context) }
    return unsafe BN_mul(product.number, first.number, second.number, context) == 1
      && BN_cmp(product.number, number) == 0
  }
}
