// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// A check that processes the bytes of a body as they arrive.
protocol BodyCheck: Sendable {
  /// Processes further bytes.
  mutating func update(_ bytes: Span<UInt8>)

  /// Completes the check at the end of the body.
  ///
  /// - Returns: The checksum to store with the object, or `nil` for a check that provides none.
  /// - Throws: The error response if the check fails.
  func finish() throws(RefusalAnswer) -> StoredChecksum?
}

/// A decoder of the framing within a request body.
protocol BodyReader: Sendable {
  /// Decodes further bytes of the request body and returns the object's bytes in them.
  ///
  /// The decoded bytes are valid only if all later calls succeed.
  mutating func read(_ bytes: ByteBuffer) throws(VerificationError) -> ByteBuffer

  /// Completes the decoding at the end of the body.
  mutating func finish() throws(VerificationError)
}

/// An additional checksum of an object, with an algorithm that the client or the service chose.
struct StoredChecksum: Sendable, Codable, Equatable {
  /// The algorithm, as the service's headers spell it.
  let algorithm: String

  /// The value in Base64, followed by `-` and the number of parts for a composite checksum.
  let value: String

  /// Whether the value is a checksum of the parts' checksums.
  var isComposite = false
}

/// The checksums that the parts of a multipart upload must have.
struct ChecksumRule: Sendable, Equatable {
  /// The algorithm, as the service's headers spell it.
  let algorithm: String

  /// Whether the object's checksum is a checksum of the parts' checksums.
  let isComposite: Bool

  /// Whether the client chose the algorithm.
  let isChosen: Bool
}
