// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

extension ObjectChecksum: Codable {
  /// Creates a checksum from its description, such as `CRC-64 9593`.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` if the value is not the description of a checksum.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let words = try container.decode(String.self).split(separator: " ")
    let known: [Algorithm] = [.crc64, .crc64NVME, .crc32, .crc32C]
    guard words.count == 2, let algorithm = known.first(where: { $0.description == words[0] }),
      let value = UInt64(words[1])
    else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is not a checksum.")
    }
    self.init(algorithm, value)
  }

  /// Encodes the description of the checksum, such as `CRC-64 9593`.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: An `EncodingError` if the encoder fails.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
