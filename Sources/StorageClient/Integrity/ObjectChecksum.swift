// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// A checksum of an object, as a service reports it and as the client computes it during a transfer.
///
/// All algorithms are cyclic redundancy checks, so the checksum of an object can be derived from those of its parts.
public struct ObjectChecksum: Sendable, Hashable, CustomStringConvertible {
  /// The algorithm.
  public let algorithm: Algorithm

  /// The value; a 32-bit checksum is in the lower half.
  public let value: UInt64

  /// Creates a checksum from its value.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm.
  ///   - value: The value.
  public init(_ algorithm: Algorithm, _ value: UInt64) {
    self.algorithm = algorithm
    self.value = value
  }

  /// Computes the checksum of bytes.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm.
  ///   - bytes: The bytes.
  public init(_ algorithm: Algorithm, of bytes: [UInt8]) {
    var crc = CRC(algorithm.crc)
    crc.update(bytes)
    self.init(algorithm, crc.checksum)
  }

  /// An algorithm of the checksums that a service reports.
  public struct Algorithm: Sendable, Hashable, CustomStringConvertible {
    let crc: CRC.Algorithm

    /// CRC-64 with the polynomial of ECMA-182 (CRC-64/XZ).
    public static let crc64 = Algorithm(crc: .crc64ECMA)
    /// CRC-64/NVME.
    public static let crc64NVME = Algorithm(crc: .crc64NVME)
    /// CRC-32 of ISO 3309.
    public static let crc32 = Algorithm(crc: .crc32)
    /// CRC-32C (Castagnoli).
    public static let crc32C = Algorithm(crc: .crc32c)

    /// The usual name of the algorithm.
    public var description: String {
      switch crc {
      case .crc64ECMA: "CRC-64"
      case .crc64NVME: "CRC-64/NVME"
      case .crc32: "CRC-32"
      case .crc32c: "CRC-32C"
      }
    }
  }

  /// The name of the algorithm and the decimal value.
  public var description: String { "\(algorithm) \(value)" }

  /// The value in Base64, most significant byte first.
  public var base64: String {
    let bytes = CRC.bytes(of: value, algorithm.crc)
    return String(writing: { $0.append(base64: bytes.span) })
  }

  /// Returns the checksum of these bytes followed by others.
  ///
  /// - Parameters:
  ///   - next: The checksum of the bytes that follow, with the same algorithm.
  ///   - byteCount: The number of bytes that follow.
  func followed(by next: ObjectChecksum, byteCount: Int64) -> ObjectChecksum {
    ObjectChecksum(
      algorithm, CRC.combine(value, next.value, byteCount: UInt64(clamping: byteCount), algorithm.crc))
  }
}

/// A header in which a service reports the checksum of an object or a part.
public struct ChecksumHeader: Sendable, Hashable {
  /// The name of the header.
  public let name: HTTPField.Name

  /// The algorithm.
  public let algorithm: ObjectChecksum.Algorithm

  /// The encoding of the value.
  public let spelling: Spelling

  /// An encoding of the value of a checksum.
  public enum Spelling: Sendable, Hashable {
    /// Decimal digits.
    case decimal
    /// Base64 of the bytes, most significant byte first.
    case base64
  }

  /// Creates the description of a header.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - algorithm: The algorithm.
  ///   - spelling: The encoding of the value.
  public init(_ name: HTTPField.Name, _ algorithm: ObjectChecksum.Algorithm, spelling: Spelling = .decimal) {
    self.name = name
    self.algorithm = algorithm
    self.spelling = spelling
  }

  /// Returns the header field for a checksum.
  func field(_ checksum: ObjectChecksum) -> HTTPField {
    HTTPField(name: name, value: spelling == .decimal ? "\(checksum.value)" : checksum.base64)
  }

  /// Parses a value, or returns `nil` if its length or form differs, as for a checksum of the checksums of parts.
  func checksum(_ text: String) -> ObjectChecksum? {
    switch spelling {
    case .decimal:
      return UInt64(text).map { ObjectChecksum(algorithm, $0) }
    case .base64:
      guard let bytes = [UInt8](base64: text), bytes.count == algorithm.crc.byteCount else { return nil }
      return ObjectChecksum(algorithm, bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

extension HTTPFields {
  /// Returns the first checksum in one of the given headers.
  func checksum(in headers: [ChecksumHeader]) -> ObjectChecksum? {
    for header in headers {
      if let checksum = self[header.name].flatMap(header.checksum) { return checksum }
    }
    return nil
  }
}
