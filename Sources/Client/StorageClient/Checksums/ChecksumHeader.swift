// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// An HTTP header in which a service reports the checksum of an object or a part.
public struct ChecksumHeader: Sendable, Hashable {
  /// The name of the header that contains the checksum.
  public let name: HTTPField.Name

  /// The algorithm of the checksum in the header.
  public let algorithm: ObjectChecksum.Algorithm

  /// The encoding of the checksum in the header.
  public let spelling: Spelling

  /// An encoding of a checksum in a header.
  public enum Spelling: Sendable, Hashable {
    /// The checksum is encoded as decimal digits.
    case decimal
    /// The checksum is encoded as the Base64 of its bytes, most significant byte first.
    case base64
  }

  /// Creates the description of a checksum header; the parameters are the properties.
  public init(_ name: HTTPField.Name, _ algorithm: ObjectChecksum.Algorithm, spelling: Spelling = .decimal) {
    self.name = name
    self.algorithm = algorithm
    self.spelling = spelling
  }

  /// Returns the header with a checksum.
  func field(with checksum: ObjectChecksum) -> HTTPField {
    HTTPField(name: name, value: spelling == .decimal ? "\(checksum.value)" : checksum.base64)
  }

  /// Parses a header value, or returns `nil` if its length or format differs.
  ///
  /// The checksum of an object's part checksums, for example, has another format.
  func checksum(parsing text: String) -> ObjectChecksum? {
    switch spelling {
    case .decimal:
      return UInt64(text, radix: 10).map { ObjectChecksum(algorithm, $0) }
    case .base64:
      guard let bytes = [UInt8](base64: text), bytes.count == algorithm.crc.byteCount else { return nil }
      return ObjectChecksum(algorithm, bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

extension HTTPFields {
  /// Returns the first valid checksum in the given headers, or `nil` if none contains one.
  func checksum(in headers: [ChecksumHeader]) -> ObjectChecksum? {
    headers.lazy.compactMap { header in self[header.name].flatMap(header.checksum(parsing:)) }.first
  }
}
