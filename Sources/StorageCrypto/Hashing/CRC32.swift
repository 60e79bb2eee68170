/// A CRC-32: with the polynomial of ISO 3309, as ZIP and Ethernet have it, or with Castagnoli's.
package struct CRC32: Sendable, Equatable {
  /// Which CRC-32.
  package enum Variant: Sendable {
    /// CRC-32/ISO-HDLC.
    case iso
    /// CRC-32C (CRC-32/ISCSI).
    case castagnoli
  }

  private let variant: Variant
  private var register = ~UInt32(0)

  package init(_ variant: Variant = .iso) {
    self.variant = variant
  }

  /// Continues from a checksum that is already known.
  package init(continuing checksum: UInt32, _ variant: Variant = .iso) {
    self.variant = variant
    register = ~checksum
  }

  /// The checksum of everything so far.
  package var checksum: UInt32 { ~register }

  /// Adds bytes; eight at a time while there are eight.
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Adds the bytes of an array.
  package mutating func update(_ bytes: [UInt8]) {
    update(bytes.span)
  }

  /// Adds the bytes of a buffer.
  @unsafe
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = unsafe UInt32(truncatingIfNeeded: Self.tables(of: variant).advance(UInt64(register), over: bytes))
  }

  /// The checksum of two runs of bytes, one after the other, from the checksums of each.
  package static func combine(
    _ first: UInt32, _ second: UInt32, byteCount: UInt64, _ variant: Variant = .iso
  ) -> UInt32 {
    UInt32(
      truncatingIfNeeded: tables(of: variant).combine(UInt64(first), UInt64(second), byteCount: byteCount))
  }

  private static func tables(of variant: Variant) -> CRCTables {
    switch variant {
    case .iso: isoTables
    case .castagnoli: castagnoliTables
    }
  }

  private static let isoTables = CRCTables(polynomial: 0xEDB8_8320)
  private static let castagnoliTables = CRCTables(polynomial: 0x82F6_3B78)
}
