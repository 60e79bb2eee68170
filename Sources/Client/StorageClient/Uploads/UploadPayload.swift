// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The content of a request body, with random access and repeatable reads.
protocol UploadPayload: Sendable {
  var length: Int64 { get }

  /// Returns a stream of the bytes in a range of the payload, in chunks.
  func stream(_ range: Range<Int64>) -> ByteStream
}

extension UploadPayload {
  /// A stream of all bytes of the payload, in chunks.
  var stream: ByteStream { stream(0..<length) }
}

extension UploadPayload {
  /// Returns all bytes of a small payload in memory.
  ///
  /// - Throws: ``StorageError/Code/sourceChanged`` if the number of bytes differs from the length.
  func collected() async throws -> [UInt8] {
    if let payload = self as? BytesPayload { return payload.bytes }
    guard let bytes = try await stream.collected(upTo: Int(length)), bytes.count == length else {
      throw StorageError.sourceChanged(from: length)
    }
    return bytes
  }
}

extension StorageError {
  /// Creates the error for an upload source whose length differs from the announced length.
  static func sourceChanged(from length: Int64) -> StorageError {
    StorageError(
      .sourceChanged, "The length of the source differs from the announced \(length) bytes.",
      remedy: "Do not change a file while it is uploaded, and give a stream's length only if it is certain.")
  }
}

/// The number of bytes per read from a payload.
///
/// A body of at most this size is sent from memory.
package let payloadChunkSize: Int64 = 256 * 1024

/// A payload of bytes in memory.
struct BytesPayload: UploadPayload {
  let bytes: [UInt8]

  var length: Int64 { Int64(bytes.count) }

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream {
      var offset = Int(range.lowerBound)
      let end = Int(range.upperBound)
      return {
        guard offset < end else { return nil }
        let next = min(offset + Int(payloadChunkSize), end)
        defer { offset = next }
        return offset == 0 && next == bytes.count ? bytes : Array(bytes[offset..<next])
      }
    }
  }
}

/// A payload that is a range of another payload.
struct SlicePayload: UploadPayload {
  let base: any UploadPayload
  let range: Range<Int64>

  var length: Int64 { range.upperBound - range.lowerBound }

  func stream(_ range: Range<Int64>) -> ByteStream {
    base.stream(self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound)
  }
}
