// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// The digests of a request body that a provider needs before the request is signed.
public struct DigestSet: OptionSet, Sendable, Hashable {
  /// The bits of the set, one for each digest.
  public let rawValue: UInt8

  /// Creates a set of digests from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The checksum with the algorithm that the service uses for uploads.
  public static let checksum = DigestSet(rawValue: 1)
  /// The SHA-256 digest.
  public static let sha256 = DigestSet(rawValue: 1 << 1)
}

/// The digests of a request body, computed before the request is signed.
public struct BodyDigest: Sendable, Hashable {
  /// The checksum of the body, or `nil` if the provider does not need it.
  public var checksum: ObjectChecksum?

  /// The SHA-256 digest of the body in hexadecimal, or `nil` if the provider does not need it.
  public var sha256: String?

  /// Creates the digests of a request body; the parameters are the properties.
  public init(checksum: ObjectChecksum? = nil, sha256: String? = nil) {
    self.checksum = checksum
    self.sha256 = sha256
  }

  /// Computes the requested digests of a payload, which is read once.
  static func of(
    _ payload: any UploadPayload, _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm
  ) async throws -> BodyDigest {
    if digests.isEmpty { return BodyDigest() }
    var crc = CRC(algorithm.crc)
    var hash = SHA256()
    let chunks = payload.stream.makeAsyncIterator()
    while let chunk = try await chunks.nextChunk() {
      chunk.withSpan { bytes in
        if digests.contains(.checksum) { crc.update(bytes) }
        if digests.contains(.sha256) { hash.update(bytes) }
      }
    }
    return BodyDigest(
      checksum: digests.contains(.checksum) ? ObjectChecksum(algorithm, crc.checksum) : nil,
      sha256: digests.contains(.sha256) ? hash.finalize().hex : nil)
  }

  static func of(_ bytes: [UInt8], _ digests: DigestSet, _ algorithm: ObjectChecksum.Algorithm) -> BodyDigest {
    BodyDigest(
      checksum: digests.contains(.checksum) ? ObjectChecksum(algorithm, of: bytes) : nil,
      sha256: digests.contains(.sha256) ? SHA256.hash(bytes).hex : nil)
  }
}
