/// The remainders of one reflected polynomial of up to 64 bits, for eight bytes at a time.
///
/// A register of 32 bits uses the lower half of a word.
struct CRCTables: Sendable {
  private let polynomial: UInt64

  /// Table `n` (256 entries from `n << 8`) advances a byte that has `n` more bytes behind it.
  private let entries: [UInt64]

  /// Makes the tables of a polynomial whose bits are reversed.
  init(polynomial: UInt64) {
    self.polynomial = polynomial
    var entries = [UInt64](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt64(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ polynomial : value >> 1 }
      entries[byte] = value
    }
    for index in 256..<(8 * 256) {
      let previous = entries[index - 256]
      entries[index] = entries[Int(previous & 0xff)] ^ (previous >> 8)
    }
    self.entries = entries
  }

  /// Returns the register behind some bytes.
  @unsafe
  func advance(_ register: UInt64, over bytes: UnsafeRawBufferPointer) -> UInt64 {
    var crc = register
    var offset = 0
    let tables = entries.span
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

  /// Returns the checksum of two runs of bytes, one after the other, from the checksums of each.
  ///
  /// Appending `byteCount` zero bytes to the first run is a linear map over GF(2); squaring it doubles the count, so the
  /// cost grows with the logarithm of the length.
  func combine(_ first: UInt64, _ second: UInt64, byteCount: UInt64) -> UInt64 {
    var result = first
    var left = byteCount
    var shift = Matrix(ofOneZeroByte: polynomial)
    while left > 0 {
      if left & 1 == 1 { result = shift.apply(to: result) }
      left >>= 1
      if left > 0 { shift = shift.squared() }
    }
    return result ^ second
  }

  /// A linear map over GF(2) on the bits of the register, a column a bit.
  private struct Matrix {
    private var columns: [UInt64]

    private init(columns: [UInt64]) {
      self.columns = columns
    }

    /// Makes the map of what one zero byte does to the register.
    init(ofOneZeroByte polynomial: UInt64) {
      let oneZeroBit = Matrix(columns: (0..<64).map { $0 == 0 ? polynomial : 1 << UInt64($0 - 1) })
      self = oneZeroBit.squared().squared().squared()
    }

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
  }
}
