// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

extension ByteStream {
  /// Returns a stream of the same bytes that checks their number and checksum at the end.
  ///
  /// - Parameters:
  ///   - subject: The description of the download for error messages.
  ///   - length: The expected number of bytes, or `nil` if it is unknown.
  ///   - checksum: The expected checksum, or `nil` if it is unknown.
  ///   - endsWithConnection: A closure that returns whether only the end of the connection marked the end of the body. A
  ///     body without an expected length and checksum is then not accepted, because it may be incomplete.
  func checked(
    _ subject: String, length: Int64?, checksum: ObjectChecksum?,
    endsWithConnection: @escaping @Sendable () -> Bool
  ) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      var count: Int64 = 0
      var found = checksum.map { CRC($0.algorithm.crc) }
      return {
        guard let chunk = try await iterator.nextChunk() else {
          try check(subject, count: count, length: length)
          if length == nil, checksum == nil, endsWithConnection() { throw StorageError.unverifiable(subject, count) }
          if let checksum, let found {
            try check(subject, ObjectChecksum(checksum.algorithm, found.checksum), checksum)
          }
          return nil
        }
        count += Int64(chunk.byteCount)
        chunk.withSpan { found?.update($0) }
        return chunk
      }
    })
  }
}

func check(_ subject: String, count: Int64, length: Int64?) throws(StorageError) {
  guard let length, length != count else { return }
  throw StorageError(
    .truncated, "\(subject) came with \(count) bytes instead of \(length).", remedy: "Download it again.")
}

extension StorageError {
  /// An error for a body of unknown length.
  static func unverifiable(_ subject: String, _ count: Int64) -> StorageError {
    StorageError(
      .truncated,
      "\(subject) came with \(count) bytes, without a length and a checksum, and ended with its connection, so that it "
        + "may be incomplete.",
      remedy: "Download it again; if that does not help, check the proxies on the way to the service.")
  }
}

/// Compares the checksum of the received bytes with the checksum that the service reported.
func check(_ subject: String, _ found: ObjectChecksum, _ expected: ObjectChecksum) throws(StorageError) {
  guard found == expected else {
    throw StorageError.checksumMismatch(
      of: subject, expected: expected, found: found, remedy: "Download it again; the received bytes are damaged.")
  }
}
