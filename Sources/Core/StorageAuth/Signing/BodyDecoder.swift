// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A decoder for request bodies that clients send as signed chunks or with trailers.
///
/// The decoded bytes must not become visible before ``finish()`` returns.
public protocol BodyDecoder: Sendable {
  /// Decodes the next bytes of the body, which may be split at any position.
  ///
  /// - Parameter bytes: The next bytes of the body as received.
  /// - Returns: The bytes of the object that have been verified so far, which may be empty.
  /// - Throws: A ``VerificationError`` if the framing, a signature or a checksum is wrong, and in all further calls.
  mutating func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8]

  /// Checks, at the end of the body, that the body is complete.
  ///
  /// - Throws: A ``VerificationError`` if the body is incomplete, or a signature or a checksum is wrong.
  mutating func finish() throws(VerificationError)
}
