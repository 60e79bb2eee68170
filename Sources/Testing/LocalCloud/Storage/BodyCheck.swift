// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import StorageAuth

/// A check that processes the bytes of a body as they arrive.
protocol BodyCheck: Sendable {
  /// Processes the next bytes of the body that is checked.
  mutating func update(_ bytes: Span<UInt8>)

  /// Completes the check at the end of the body.
  ///
  /// - Returns: The checksum to store with the object, or `nil` if the check provides no checksum.
  /// - Throws: An error response if the check fails.
  func finish() throws(ErrorResponse) -> StoredChecksum?
}

/// A decoder that removes the framing within a request body.
protocol BodyReader: Sendable {
  /// Decodes the next bytes of the request body and returns the object's bytes that they contain.
  ///
  /// The decoded bytes are valid only if all later calls succeed.
  mutating func read(_ bytes: ByteBuffer) throws(VerificationError) -> ByteBuffer

  /// Completes the decoding at the end of the request body.
  ///
  /// - Throws: `VerificationError` if the body is incomplete or invalid.
  mutating func finish() throws(VerificationError)
}

/// An additional checksum of an object, whose algorithm the client or the service chose.
struct StoredChecksum: Sendable, Codable, Equatable {
  /// The name of the algorithm of this checksum, as the service's headers spell it.
  let algorithm: String

  /// The checksum in Base64; for a composite checksum, `-` and the number of parts follow.
  let value: String

  /// Whether the checksum is composite, that is, computed from the checksums of the parts.
  var isComposite = false
}

/// A rule for the checksums of a multipart upload and its parts.
struct ChecksumRule: Sendable, Equatable {
  /// The name of the checksum algorithm of the multipart upload, as the service's headers spell it.
  let algorithm: String

  /// Whether the object's checksum is composite, that is, computed from the checksums of the parts.
  let isComposite: Bool

  /// Whether the client, and not the service, chose the algorithm.
  let isChosen: Bool
}
