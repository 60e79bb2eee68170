// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// An object checksum that is computed incrementally, in the format of the `x-amz-checksum-` headers and trailers.
///
/// Source: AWS, "Checking object integrity for data uploads in Amazon S3".
public struct S3Checksum: Sendable {
  /// A checksum algorithm that S3 accepts.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// The CRC-32 algorithm (ISO 3309), the default in most SDKs.
    case crc32
    /// The CRC-32C algorithm (Castagnoli).
    case crc32c
    /// The CRC-64/NVME algorithm.
    case crc64nvme
    /// The SHA-1 hash algorithm.
    case sha1
    /// The SHA-256 hash algorithm.
    case sha256

    /// The lowercase name of the header or trailer that contains a checksum of this algorithm.
    package var fieldName: String { "x-amz-checksum-\(rawValue)" }

    /// Creates an algorithm from the name of a checksum header or trailer, in any letter case, or returns `nil`.
    public init?(fieldName: String) {
      let name = fieldName.asciiLowercased
      guard let found = Self.allCases.first(where: { $0.fieldName.isIdentical(to: name) }) else { return nil }
      self = found
    }
  }

  private enum Computation {
    case cyclic(CRC)
    case sha1(SHA1)
    case sha256(SHA256)
  }

  /// The algorithm with which the checksum is computed.
  public let algorithm: Algorithm

  private var computation: Computation

  /// Creates a checksum to which no bytes have been added.
  public init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    computation =
      switch algorithm {
      case .crc32: .cyclic(CRC(.crc32))
      case .crc32c: .cyclic(CRC(.crc32c))
      case .crc64nvme: .cyclic(CRC(.crc64NVME))
      case .sha1: .sha1(SHA1())
      case .sha256: .sha256(SHA256())
      }
  }

  /// Updates the checksum with more bytes.
  public mutating func update(_ bytes: [UInt8]) { bytes.withElements { update($0) } }

  /// Updates the checksum with more bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    switch computation {
    case .cyclic(var crc):
      crc.update(bytes)
      computation = .cyclic(crc)
    case .sha1(var hash):
      hash.update(bytes)
      computation = .sha1(hash)
    case .sha256(var hash):
      hash.update(bytes)
      computation = .sha256(hash)
    }
  }

  /// The checksum of the bytes so far, in big-endian byte order.
  public var bytes: [UInt8] {
    switch computation {
    case .cyclic(let crc): crc.bytes
    case .sha1(let hash): hash.finalize().bytes
    case .sha256(let hash): hash.finalize().bytes
    }
  }

  /// The checksum of the bytes so far, in Base64.
  public var base64: String {
    let bytes = bytes
    return String(writing: { $0.append(base64: bytes) })
  }
}
