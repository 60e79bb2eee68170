internal import NIOCore
internal import _NIOFileSystem

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

/// How many bytes are read at a time.
private let chunkSize: Int64 = 256 * 1024

/// A file that is open as long as the upload goes on.
struct FilePayload: UploadPayload {
  let handle: ReadFileHandle
  let length: Int64

  func stream(_ range: Range<Int64>) -> ByteStream {
    ByteStream {
      var offset = range.lowerBound
      return {
        let count = min(chunkSize, range.upperBound - offset)
        guard count > 0 else { return nil }
        let chunk = try await handle.readChunk(fromAbsoluteOffset: offset, length: .bytes(count))
        guard chunk.readableBytes > 0 else { return nil }
        offset += Int64(chunk.readableBytes)
        return Array(buffer: chunk)
      }
    }
  }
}

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
        let next = min(offset + Int(chunkSize), end)
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
