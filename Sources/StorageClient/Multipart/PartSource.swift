/// Gives one part of an upload after the other.
protocol PartSource {
  /// The next part, or nothing at the end.
  mutating func next() async throws -> (any UploadPayload)?
}

/// The parts of bytes that can be read from any place; nothing is read ahead.
struct SlicedParts: PartSource {
  private let base: any UploadPayload
  private var ranges: ArraySlice<Range<Int64>>

  init(_ base: any UploadPayload, sizes: PartSizes) {
    self.base = base
    ranges = sizes.ranges(of: base.length)[...]
  }

  mutating func next() async throws -> (any UploadPayload)? {
    ranges.popFirst().map { SlicePayload(base: base, range: $0) }
  }
}

/// The parts of a stream, each collected in memory before it is sent.
struct CollectedParts: PartSource {
  private let chunks: ByteStream.AsyncIterator
  private let sizes: PartSizes
  private var number = 0
  private var rest: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// What was read before the upload was known to need parts.
  private var first: [UInt8]?

  init(_ stream: ByteStream, sizes: PartSizes) {
    chunks = stream.makeAsyncIterator()
    self.sizes = sizes
  }

  /// Everything, if it fits into one part; otherwise the parts start over with what was read.
  mutating func onlyPart() async throws -> [UInt8]? {
    let bytes = try await collect()
    if rest.isEmpty, !isAtEnd { try await fill() }
    if rest.isEmpty { return bytes }
    first = bytes
    return nil
  }

  mutating func next() async throws -> (any UploadPayload)? {
    if let first {
      self.first = nil
      return BytesPayload(bytes: first)
    }
    let bytes = try await collect()
    return bytes.isEmpty ? nil : BytesPayload(bytes: bytes)
  }

  private mutating func collect() async throws -> [UInt8] {
    number += 1
    let size = Int(clamping: sizes.size(ofPart: number))
    var bytes: [UInt8] = []
    while bytes.count < size {
      if rest.isEmpty { try await fill() }
      if rest.isEmpty { break }
      if bytes.isEmpty { bytes.reserveCapacity(size) }
      let taken = rest.prefix(size - bytes.count)
      bytes += taken
      rest = rest.dropFirst(taken.count)
    }
    return bytes
  }

  /// Gets the next chunk that is not empty.
  private mutating func fill() async throws {
    while rest.isEmpty, !isAtEnd {
      guard let chunk = try await chunks.next() else {
        isAtEnd = true
        return
      }
      rest = chunk[...]
    }
  }
}
