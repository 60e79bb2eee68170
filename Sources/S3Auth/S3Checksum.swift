// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A checksum of an object that is computed incrementally, in the form of the `x-amz-checksum-` headers and trailers.
///
/// Source: AWS, "Checking object integrity for data uploads in Amazon S3".
public struct S3Checksum: Sendable {
  /// A checksum algorithm that S3 accepts.
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
    package var fieldName: String { "x-amz-checksum-\(rawValue)" }

    /// Creates the algorithm that a header or trailer names, regardless of letter case; `nil` for another name.
    public init?(fieldName: String) {
      let name = fieldName.asciiLowercased
      guard let found = Self.allCases.first(where: { $0.fieldName.isIdentical(to: name) }) else { return nil }
      self = found
    }
  }

  private enum State {
    case cyclic(CRC)
    case sha1(SHA1)
    case sha256(SHA256)
  }

  /// The checksum algorithm.
  public let algorithm: Algorithm

  private var state: State

  /// Creates the checksum of zero bytes.
  public init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    state =
      switch algorithm {
      case .crc32: .cyclic(CRC(.crc32))
      case .crc32c: .cyclic(CRC(.crc32c))
      case .crc64nvme: .cyclic(CRC(.crc64NVME))
      case .sha1: .sha1(SHA1())
      case .sha256: .sha256(SHA256())
      }
  }

  /// Adds bytes to the checksum.
  public mutating func update(_ bytes: [UInt8]) {
    update(bytes.span)
  }

  /// Adds bytes to the checksum.
  public mutating func update(_ bytes: Span<UInt8>) {
    switch state {
    case .cyclic(var crc):
      crc.update(bytes)
      state = .cyclic(crc)
    case .sha1(var hash):
      hash.update(bytes)
      state = .sha1(hash)
    case .sha256(var hash):
      hash.update(bytes)
      state = .sha256(hash)
    }
  }

  /// The checksum of the bytes so far, with the most significant byte first.
  public var bytes: [UInt8] {
    switch state {
    case .cyclic(let crc): crc.bytes
    case .sha1(let hash): hash.finalize().bytes
    case .sha256(let hash): hash.finalize().bytes
    }
  }

  /// The checksum of the bytes so far, in Base64.
  public var base64: String {
    let bytes = bytes
    return String(writing: { $0.append(base64: bytes.span) })
  }
}
