internal import StorageAuth
internal import StorageCrypto

/// A checksum of an object that is computed as its bytes pass, in the form of the `x-amz-checksum-` headers and trailers.
///
/// Page: "Checking object integrity for data uploads".
public struct S3Checksum: Sendable {
  /// An algorithm that S3 accepts.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// CRC-32 (ISO 3309), the default of most SDKs.
    case crc32
    /// CRC-32C (Castagnoli).
    case crc32c
    /// CRC-64/NVME.
    case crc64nvme
    /// SHA-1.
    case sha1
    /// SHA-256.
    case sha256

    /// The name of the header or trailer, in lower case.
    public var fieldName: String { "x-amz-checksum-\(rawValue)" }

    /// Finds the algorithm of a header or trailer; the case of the name does not matter.
    public init?(fieldName: String) {
      let name = fieldName.asciiLowercased
      guard let found = Self.allCases.first(where: { $0.fieldName.isIdentical(to: name) }) else { return nil }
      self = found
    }
  }

  private enum State {
    case cyclic(UInt64, byteCount: Int)
    case sha1(SHA1)
    case sha256(SHA256)
  }

  /// The algorithm.
  public let algorithm: Algorithm

  private var state: State

  /// Starts a checksum of no bytes.
  public init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    state =
      switch algorithm {
      case .crc32, .crc32c: .cyclic(0xffff_ffff, byteCount: 4)
      case .crc64nvme: .cyclic(.max, byteCount: 8)
      case .sha1: .sha1(SHA1())
      case .sha256: .sha256(SHA256())
      }
  }

  /// Continues with more bytes.
  public mutating func update(_ bytes: [UInt8]) {
    switch state {
    case .cyclic(var remainder, let byteCount):
      let table = Self.table(of: algorithm)
      for byte in bytes { remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8) }
      state = .cyclic(remainder, byteCount: byteCount)
    case .sha1(var hash):
      hash.update(bytes.span)
      state = .sha1(hash)
    case .sha256(var hash):
      hash.update(bytes.span)
      state = .sha256(hash)
    }
  }

  /// The checksum of the bytes so far in Base64, the highest byte of a number first.
  public var base64: String {
    switch state {
    case .cyclic(let remainder, let byteCount):
      let value = byteCount == 4 ? remainder ^ 0xffff_ffff : ~remainder
      let bytes = (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
      return String(writing: { $0.append(base64: bytes.span) })
    case .sha1(let hash): return hash.finalize().base64
    case .sha256(let hash): return hash.finalize().base64
    }
  }

  private static func table(of algorithm: Algorithm) -> [UInt64] {
    switch algorithm {
    case .crc32c: crc32cTable
    case .crc64nvme: crc64NVMETable
    case .crc32, .sha1, .sha256: crc32Table
    }
  }

  private static let crc32Table = makeTable(0xedb8_8320)
  private static let crc32cTable = makeTable(0x82f6_3b78)
  private static let crc64NVMETable = makeTable(0x9a6c_9329_ac4b_c9b5)

  /// The remainders of all bytes for a polynomial whose bits are reversed.
  private static func makeTable(_ polynomial: UInt64) -> [UInt64] {
    (0..<256).map { byte in
      (0..<8).reduce(UInt64(byte)) { value, _ in value & 1 == 1 ? polynomial ^ (value >> 1) : value >> 1 }
    }
  }
}
