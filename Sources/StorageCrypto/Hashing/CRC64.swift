/// A CRC-64: with the ECMA-182 polynomial (CRC-64/XZ), as OSS and COS report it for every object, or as S3 has it.
package struct CRC64: Sendable, Equatable {
  /// Which CRC-64.
  package enum Variant: Sendable {
    /// CRC-64/XZ.
    case xz
    /// CRC-64/NVME.
    case nvme
  }

  private let variant: Variant
  private var register = ~UInt64(0)

  package init(_ variant: Variant = .xz) {
    self.variant = variant
  }

  /// Continues from a checksum that is already known.
  package init(continuing checksum: UInt64, _ variant: Variant = .xz) {
    self.variant = variant
    register = ~checksum
  }

  /// The checksum of everything so far.
  package var checksum: UInt64 { ~register }

  /// Adds bytes; eight at a time while there are eight.
  package mutating func update(_ bytes: Span<UInt8>) {
    register = unsafe bytes.withUnsafeBytes { unsafe Self.tables(of: variant).advance(register, over: $0) }
  }

  /// Adds the bytes of an array.
  package mutating func update(_ bytes: [UInt8]) {
    update(bytes.span)
  }

  /// Adds the bytes of a buffer.
  @unsafe
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = unsafe Self.tables(of: variant).advance(register, over: bytes)
  }

  /// The checksum of two runs of bytes, one after the other, from the checksums of each.
  package static func combine(
    _ first: UInt64, _ second: UInt64, byteCount: UInt64, _ variant: Variant = .xz
  ) -> UInt64 {
    tables(of: variant).combine(first, second, byteCount: byteCount)
  }

  private static func tables(of variant: Variant) -> CRCTables {
    switch variant {
    case .xz: xzTables
    case .nvme: nvmeTables
    }
  }

  private static let xzTables = CRCTables(polynomial: 0xC96C_5795_D787_0F42)
  private static let nvmeTables = CRCTables(polynomial: 0x9A6C_9329_AC4B_C9B5)
}
