// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CCarryless

/// A reflected cyclic redundancy check whose register is inverted at the start and at the end.
///
/// All checksums that storage services report for objects have this form.
package struct CRC: Sendable, Equatable {
  package enum Algorithm: Sendable, Hashable, CaseIterable {
    /// The CRC-32 algorithm (ISO 3309).
    case crc32
    /// The CRC-32C algorithm (Castagnoli).
    case crc32c
    /// The CRC-64 algorithm with the ECMA-182 polynomial (CRC-64/XZ).
    case crc64ECMA
    /// The CRC-64/NVME algorithm.
    case crc64NVME

    package var byteCount: Int {
      switch self {
      case .crc32, .crc32c: 4
      case .crc64ECMA, .crc64NVME: 8
      }
    }

    /// The polynomial, in which the lowest bit is the coefficient of the highest power.
    fileprivate var polynomial: UInt64 {
      switch self {
      case .crc32: 0xEDB8_8320
      case .crc32c: 0x82F6_3B78
      case .crc64ECMA: 0xC96C_5795_D787_0F42
      case .crc64NVME: 0x9A6C_9329_AC4B_C9B5
      }
    }

    /// The initial value of the register, which also inverts its final value.
    fileprivate var mask: UInt64 { byteCount == 4 ? 0xFFFF_FFFF : .max }

    /// The constants that follow from the polynomial, which are computed when they are first used.
    fileprivate struct Constants {
      let tables: ContiguousArray<UInt64>
      /// The factors that move the register over 64 or 16 bytes, for carry-less multiplication.
      let foldingFactors: carryless_factors

      init(_ algorithm: Algorithm) {
        tables = algorithm.makeTables()
        foldingFactors = carryless_factors(
          far: carryless_block(low: algorithm.power(512 + 64 - 1), high: algorithm.power(512 - 1)),
          near: carryless_block(low: algorithm.power(128 + 64 - 1), high: algorithm.power(128 - 1)))
      }
    }

    fileprivate var constants: Constants {
      switch self {
      case .crc32: Self.crc32Constants
      case .crc32c: Self.crc32cConstants
      case .crc64ECMA: Self.crc64ECMAConstants
      case .crc64NVME: Self.crc64NVMEConstants
      }
    }

    private static let crc32Constants = Constants(.crc32)
    private static let crc32cConstants = Constants(.crc32c)
    private static let crc64ECMAConstants = Constants(.crc64ECMA)
    private static let crc64NVMEConstants = Constants(.crc64NVME)

    /// Returns the remainder of a power of x modulo the polynomial, reflected in 64 bits.
    private func power(_ exponent: Int) -> UInt64 {
      let width = 8 * byteCount
      var value = UInt64(1) << (width - 1)
      for _ in 0..<exponent { value = value & 1 == 1 ? (value >> 1) ^ polynomial : value >> 1 }
      return value << (64 - width)
    }

    /// Returns eight tables of 256 entries; table `n`, at index `n << 8`, is for a byte before `n` more bytes.
    private func makeTables() -> ContiguousArray<UInt64> {
      var tables = ContiguousArray<UInt64>(repeating: 0, count: 8 * 256)
      for byte in 0..<256 {
        var value = UInt64(byte)
        for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ polynomial : value >> 1 }
        tables[byte] = value
      }
      for index in 256..<(8 * 256) {
        let previous = tables[index - 256]
        tables[index] = tables[Int(previous & 0xff)] ^ (previous >> 8)
      }
      return tables
    }
  }

  package let algorithm: Algorithm
  private var register: UInt64

  package init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    register = algorithm.mask
  }

  package var checksum: UInt64 { register ^ algorithm.mask }
  /// The checksum of all bytes that have been added so far, in big-endian byte order.
  package var bytes: [UInt8] { Self.bytes(of: checksum, algorithm) }

  package static func bytes(of checksum: UInt64, _ algorithm: Algorithm) -> [UInt8] {
    (0..<algorithm.byteCount).reversed().map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) }
  }

  package mutating func update(_ bytes: Span<UInt8>) { unsafe bytes.withUnsafeBytes { unsafe update($0) } }
  package mutating func update(_ bytes: [UInt8]) { bytes.withElements { update($0) } }

  @unsafe package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.minimumFoldedByteCount, Self.canFold else { return unsafe updateByTable(bytes) }
    let foldedByteCount = bytes.count & ~15
    // Safe: the words are the first `foldedByteCount` bytes of the buffer, which is not empty, and are not retained.
    let block = unsafe carryless_fold(
      register, bytes.baseAddress, foldedByteCount, [algorithm.constants.foldingFactors])
    let tables = algorithm.constants.tables.span
    register = Self.advance(Self.advance(block.low, tables) ^ block.high, tables)
    unsafe updateByTable(UnsafeRawBufferPointer(rebasing: bytes[foldedByteCount...]))
  }

  /// The minimum number of bytes for which folding is faster than the tables; it must be at least 64.
  private static let minimumFoldedByteCount = 64
  /// Whether the processor supports carry-less multiplication, as most do.
  private static let canFold = carryless_is_available()

  /// Updates the checksum by tables, eight bytes at a time, for processors without carry-less multiplication.
  @unsafe package mutating func updateByTable(_ bytes: UnsafeRawBufferPointer) {
    let tables = algorithm.constants.tables.span
    var crc = register
    var offset = 0
    while bytes.count - offset >= 8 {
      // Safe: the eight bytes from `offset` are inside of the buffer, and an unaligned load works for any address.
      let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      crc = Self.advance(crc ^ word, tables)
      offset += 8
    }
    while offset < bytes.count {
      crc = unsafe tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])] ^ (crc >> 8)
      offset += 1
    }
    register = crc
  }

  /// Returns the register after eight bytes, to which the previous register has been added.
  ///
  /// A 32-bit register leaves the upper half of the word zero, so the same function works for both widths.
  @inline(__always) private static func advance(_ word: UInt64, _ tables: Span<UInt64>) -> UInt64 {
    var crc = tables[0x700 | Int(word & 0xff)]
    crc ^= tables[0x600 | Int((word >> 8) & 0xff)]
    crc ^= tables[0x500 | Int((word >> 16) & 0xff)]
    crc ^= tables[0x400 | Int((word >> 24) & 0xff)]
    crc ^= tables[0x300 | Int((word >> 32) & 0xff)]
    crc ^= tables[0x200 | Int((word >> 40) & 0xff)]
    crc ^= tables[0x100 | Int((word >> 48) & 0xff)]
    crc ^= tables[Int(word >> 56)]
    return crc
  }

  /// Returns the checksum of the concatenation of two byte sequences from their checksums and the second one's length.
  ///
  /// Appending a zero byte to the first sequence is a linear map over GF(2). Squaring the map doubles the number of
  /// zero bytes, so that the time grows with the logarithm of the length.
  package static func combine(_ first: UInt64, _ second: UInt64, byteCount: UInt64, _ algorithm: Algorithm) -> UInt64 {
    var result = first
    var remainingByteCount = byteCount
    var shift = Matrix.oneZeroByte(algorithm)
    while remainingByteCount > 0 {
      if remainingByteCount & 1 == 1 { result = shift.apply(to: result) }
      remainingByteCount >>= 1
      if remainingByteCount > 0 { shift = shift.squared() }
    }
    return result ^ second
  }

  /// A linear map over GF(2) on the 64 bits of a CRC register, with one column for each bit.
  private struct Matrix {
    var columns: [UInt64]

    func apply(to vector: UInt64) -> UInt64 {
      var result: UInt64 = 0
      var remainingBits = vector
      while remainingBits != 0 {
        result ^= columns[remainingBits.trailingZeroBitCount]
        remainingBits &= remainingBits - 1
      }
      return result
    }

    func squared() -> Matrix { Matrix(columns: columns.map { apply(to: $0) }) }

    /// Returns the linear map that a zero byte applies to the register.
    static func oneZeroByte(_ algorithm: Algorithm) -> Matrix {
      let oneZeroBit = Matrix(columns: (0..<64).map { $0 == 0 ? algorithm.polynomial : 1 << UInt64($0 - 1) })
      return oneZeroBit.squared().squared().squared()
    }
  }
}
