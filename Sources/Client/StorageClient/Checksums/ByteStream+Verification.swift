// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

extension ByteStream {
  /// Returns a stream of the same bytes that checks their number and their checksum at the end, if these are known.
  ///
  /// If both are unknown and the body ends with its connection, the body may be incomplete, and the stream fails.
  func verified(
    as subject: String, length: Int64?, checksum: ObjectChecksum?, endsWithConnection: @escaping @Sendable () -> Bool
  ) -> ByteStream {
    ByteStream(chunks: { [self] in
      let iterator = makeAsyncIterator()
      var count: Int64 = 0
      var receivedCRC = checksum.map { CRC($0.algorithm.crc) }
      return {
        guard let chunk = try await iterator.nextChunk() else {
          try checkByteCount(of: subject, count, length: length)
          if length == nil, checksum == nil, endsWithConnection() { throw StorageError.unverifiable(subject, count) }
          if let checksum, let receivedCRC {
            let received = ObjectChecksum(checksum.algorithm, receivedCRC.checksum)
            try checkChecksum(of: subject, received, expected: checksum)
          }
          return nil
        }
        count += Int64(chunk.byteCount)
        chunk.withSpan { receivedCRC?.update($0) }
        return chunk
      }
    })
  }
}

/// Requires that a body has the length that the head of the response contains, if any.
func checkByteCount(of subject: String, _ count: Int64, length: Int64?) throws(StorageError) {
  guard let length, length != count else { return }
  throw StorageError(
    .truncated, "\(subject) came with \(count) bytes instead of \(length).", remedy: "Download it again.")
}

extension StorageError {
  static func unverifiable(_ subject: String, _ count: Int64) -> StorageError {
    StorageError(
      .truncated,
      "\(subject) came with \(count) bytes, without a length and a checksum, and ended with its connection, so that it "
        + "may be incomplete.",
      remedy: "Download it again; if that does not help, check the proxies on the way to the service.")
  }
}

/// Requires that downloaded bytes have the checksum that the service reports.
func checkChecksum(of subject: String, _ found: ObjectChecksum, expected: ObjectChecksum) throws(StorageError) {
  guard found == expected else {
    throw StorageError.checksumMismatch(
      of: subject, expected: expected, found: found, remedy: "Download it again; the received bytes are damaged.")
  }
}
