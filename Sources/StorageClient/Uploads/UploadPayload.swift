/// Bytes that can be read from any place, any number of times.
protocol UploadPayload: Sendable {
  var length: Int64 { get }

  /// The bytes of a range, in chunks.
  func stream(_ range: Range<Int64>) -> ByteStream
}

extension UploadPayload {
  /// All the bytes, in chunks.
  var stream: ByteStream { stream(0..<length) }
}

extension UploadPayload {
  /// All the bytes in memory; for few of them.
  ///
  /// - Throws: ``StorageError/Code/sourceChanged`` if there are more or fewer than there were.
  func collected() async throws -> [UInt8] {
    if let payload = self as? BytesPayload { return payload.bytes }
    guard let bytes = try await stream.collected(upTo: Int(length)), bytes.count == length else {
      throw StorageError.sourceChanged(from: length)
    }
    return bytes
  }
}

extension StorageError {
  /// A source that did not have as many bytes as it said.
  static func sourceChanged(from length: Int64) -> StorageError {
    StorageError(
      .sourceChanged, "The source has another length than the \(length) bytes that were announced.",
      remedy: "Do not change a file while it is uploaded, and give a stream's length only if it is certain.")
  }
}

/// How many bytes are read at a time; a body of no more is sent from memory.
let payloadChunkSize: Int64 = 256 * 1024

/// Bytes in memory.
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

/// A range of other bytes.
struct SlicePayload: UploadPayload {
  let base: any UploadPayload
  let range: Range<Int64>

  var length: Int64 { range.upperBound - range.lowerBound }

  func stream(_ range: Range<Int64>) -> ByteStream {
    base.stream(self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound)
  }
}
