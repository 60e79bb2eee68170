// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// An object's checksum, which the service reports and the client computes during a transfer.
///
/// All algorithms are cyclic redundancy checks, so an object's checksum can be derived from the checksums of its parts.
public struct ObjectChecksum: Sendable, Hashable, CustomStringConvertible {
  /// The algorithm that computed the checksum.
  public let algorithm: Algorithm
  /// The checksum as an integer; a 32-bit checksum is in the lower half.
  public let value: UInt64

  /// Creates a checksum from its integer value; the parameters are the properties.
  public init(_ algorithm: Algorithm, _ value: UInt64) {
    self.algorithm = algorithm
    self.value = value
  }

  /// Computes the checksum of an array of bytes with the given algorithm.
  public init(_ algorithm: Algorithm, of bytes: [UInt8]) {
    var crc = CRC(algorithm.crc)
    crc.update(bytes)
    self.init(algorithm, crc.checksum)
  }

  /// A checksum algorithm that a service uses for objects.
  public struct Algorithm: Sendable, Hashable, CustomStringConvertible {
    package let crc: CRC.Algorithm

    /// CRC-64 with the ECMA-182 polynomial (CRC-64/XZ).
    public static let crc64 = Algorithm(crc: .crc64ECMA)
    /// CRC-64/NVME, which S3 uses by default.
    public static let crc64NVME = Algorithm(crc: .crc64NVME)
    /// CRC-32 as defined in ISO 3309.
    public static let crc32 = Algorithm(crc: .crc32)
    /// CRC-32C, which uses the Castagnoli polynomial.
    public static let crc32C = Algorithm(crc: .crc32c)

    /// The usual name of the algorithm, such as `CRC-64`.
    public var description: String {
      switch crc {
      case .crc64ECMA: "CRC-64"
      case .crc64NVME: "CRC-64/NVME"
      case .crc32: "CRC-32"
      case .crc32c: "CRC-32C"
      }
    }
  }

  /// The name of the algorithm and the decimal value of the checksum.
  public var description: String { "\(algorithm) \(value)" }

  /// The checksum in Base64, most significant byte first.
  public var base64: String {
    let bytes = CRC.bytes(of: value, algorithm.crc)
    return String(writing: { $0.append(base64: bytes) })
  }

  /// Returns the checksum of the bytes of this checksum followed by the `byteCount` bytes of the next one.
  func followed(by next: ObjectChecksum, byteCount: Int64) -> ObjectChecksum {
    ObjectChecksum(algorithm, CRC.combine(value, next.value, byteCount: UInt64(clamping: byteCount), algorithm.crc))
  }
}

extension ObjectChecksum: Codable {
  /// Decodes a checksum from its description, such as `CRC-64 9593`.
  ///
  /// - Throws: A `DecodingError` if the value is not the description of a checksum.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode(String.self).split(separator: " ")
    let algorithms = CRC.Algorithm.allCases.map { Algorithm(crc: $0) }
    guard words.count == 2, let algorithm = algorithms.first(where: { $0.description == words[0] }),
      let value = UInt64(words[1])
    else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a checksum.") }
    self.init(algorithm, value)
  }

  /// Encodes the description of the checksum, such as `CRC-64 9593`.
  ///
  /// - Throws: An `EncodingError` if the encoder fails.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ObjectChecksum {
  /// Throws an error if the response to an upload has a checksum of the same algorithm that differs.
  func verifyUpload(
    of subject: @autoclosure () -> String, against response: HTTPResponse, _ conventions: HeaderConventions
  ) throws(StorageError) {
    let headers = conventions.checksums.filter { $0.algorithm == algorithm }
    guard let expected = response.headerFields.checksum(in: headers), expected != self else { return }
    throw StorageError.checksumMismatch(
      of: subject(), expected: expected, found: self, remedy: "Upload it again; what the service holds is damaged.")
  }
}
