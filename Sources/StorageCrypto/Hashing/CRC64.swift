/// CRC-64 with the ECMA-182 polynomial, reflected (CRC-64/XZ), as OSS and COS report it for every object.
package struct CRC64: Sendable, Equatable {
  private var register = ~UInt64(0)

  package init() {}

  /// Continues from a checksum that is already known.
  package init(continuing checksum: UInt64) {
    register = ~checksum
  }

  /// The checksum of everything so far.
  package var checksum: UInt64 { ~register }

  /// Adds bytes; eight at a time while there are eight.
  package mutating func update(_ bytes: Span<UInt8>) {
    register = unsafe bytes.withUnsafeBytes { unsafe Self.advance(register, over: $0) }
  }

  /// Adds the bytes of an array.
  package mutating func update(_ bytes: [UInt8]) {
    update(bytes.span)
  }

  /// Adds the bytes of a buffer.
  @unsafe
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = unsafe Self.advance(register, over: bytes)
  }

  private static func advance(_ register: UInt64, over bytes: UnsafeRawBufferPointer) -> UInt64 {
    var crc = register
    var offset = 0
    let tables = Self.tables.span
    while bytes.count - offset >= 8 {
      let word = unsafe crc ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      crc = tables[0x700 | Int(word & 0xff)]
      crc ^= tables[0x600 | Int((word >> 8) & 0xff)]
      crc ^= tables[0x500 | Int((word >> 16) & 0xff)]
      crc ^= tables[0x400 | Int((word >> 24) & 0xff)]
      crc ^= tables[0x300 | Int((word >> 32) & 0xff)]
      crc ^= tables[0x200 | Int((word >> 40) & 0xff)]
      crc ^= tables[0x100 | Int((word >> 48) & 0xff)]
      crc ^= tables[Int(word >> 56)]
      offset += 8
    }
    while offset < bytes.count {
      crc = unsafe tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])] ^ (crc >> 8)
      offset += 1
    }
    return crc
  }

  /// The checksum of two runs of bytes, one after the other, from the checksums of each.
  ///
  /// Appending `byteCount` zero bytes to the first run is a linear map over GF(2); squaring it doubles the count, so the
  /// cost grows with the logarithm of the length.
  package static func combine(_ first: UInt64, _ second: UInt64, byteCount: UInt64) -> UInt64 {
    var result = first
    var left = byteCount
    var shift = Matrix.oneZeroByte
    while left > 0 {
      if left & 1 == 1 { result = shift.apply(to: result) }
      left >>= 1
      if left > 0 { shift = shift.squared() }
    }
    return result ^ second
  }

  private static let polynomial: UInt64 = 0xC96C_5795_D787_0F42

  /// Table `n` (256 entries from `n << 8`) advances a byte that has `n` more bytes behind it.
  private static let tables: [UInt64] = {
    var tables = [UInt64](repeating: 0, count: 8 * 256)
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
  }()

  /// A linear map over GF(2) on the 64 bits of the register, a column a bit.
  private struct Matrix {
    var columns: [UInt64]

    func apply(to vector: UInt64) -> UInt64 {
      var result: UInt64 = 0
      var rest = vector
      while rest != 0 {
        result ^= columns[rest.trailingZeroBitCount]
        rest &= rest - 1
      }
      return result
    }

    func squared() -> Matrix {
      Matrix(columns: columns.map { apply(to: $0) })
    }

    /// What one zero byte does to the register.
    static let oneZeroByte: Matrix = {
      let oneZeroBit = Matrix(columns: (0..<64).map { $0 == 0 ? polynomial : 1 << UInt64($0 - 1) })
      return oneZeroBit.squared().squared().squared()
    }()
  }
}
