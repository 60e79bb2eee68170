// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A part of a multipart upload that can be sent, with its number, which starts at 1.
typealias UploadPart = (number: Int, payload: any UploadPayload)

/// A source of the parts of a multipart upload, in the order of their numbers.
protocol PartSource { mutating func next() async throws -> UploadPart? }

/// A source that slices a payload with random access into parts; a part is read only when it is sent.
struct SlicedParts: PartSource {
  private let base: any UploadPayload
  private var ranges: ArraySlice<Range<Int64>>
  private let uploadedNumbers: Set<Int>
  private var lastNumber = 0

  init(_ base: any UploadPayload, ranges: [Range<Int64>], except uploadedNumbers: Set<Int> = []) {
    self.base = base
    self.ranges = ranges[...]
    self.uploadedNumbers = uploadedNumbers
  }

  mutating func next() async throws -> UploadPart? {
    while let range = ranges.popFirst() {
      lastNumber += 1
      if !uploadedNumbers.contains(lastNumber) { return (lastNumber, SlicePayload(base: base, range: range)) }
    }
    return nil
  }
}

/// A source that splits a stream into parts and collects each part in memory before it is sent.
struct CollectedParts: PartSource {
  private let chunks: ByteStream.AsyncIterator
  private let sizes: PartSizes
  private var readPartCount = 0
  private var lastReturnedNumber = 0
  /// The bytes of the last chunk that belong to no part yet.
  private var buffered: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The first part if `onlyPart()` has read it and `next()` has not returned it yet, or `nil`.
  private var pendingFirstPart: [UInt8]?

  init(_ stream: ByteStream, sizes: PartSizes) {
    chunks = stream.makeAsyncIterator()
    self.sizes = sizes
  }

  /// Returns all bytes of the stream if they fit in one part, or `nil` otherwise.
  ///
  /// Call it at most once, before `next()`. If the result is `nil`, `next()` starts with the first part.
  mutating func onlyPart() async throws -> [UInt8]? {
    let bytes = try await collectPart()
    if buffered.isEmpty { try await readChunk() }
    if buffered.isEmpty { return bytes }
    pendingFirstPart = bytes
    return nil
  }

  mutating func next() async throws -> UploadPart? {
    let bytes = if let first = pendingFirstPart.take() { first } else { try await collectPart() }
    guard !bytes.isEmpty else { return nil }
    lastReturnedNumber += 1
    return (lastReturnedNumber, BytesPayload(bytes: bytes))
  }

  /// Reads the bytes of the next part, which is shorter than its size only at the end of the stream.
  private mutating func collectPart() async throws -> [UInt8] {
    readPartCount += 1
    let size = Int(clamping: sizes.size(ofPart: readPartCount))
    var bytes: [UInt8] = []
    while bytes.count < size {
      if buffered.isEmpty { try await readChunk() }
      if buffered.isEmpty { break }
      if bytes.isEmpty { bytes.reserveCapacity(size) }
      let taken = buffered.prefix(size - bytes.count)
      bytes += taken
      buffered = buffered.dropFirst(taken.count)
    }
    return bytes
  }

  /// Reads the next non-empty chunk of the stream into the buffer, which stays empty at the end of the stream.
  private mutating func readChunk() async throws {
    while buffered.isEmpty, !isAtEnd {
      guard let chunk = try await chunks.next() else {
        isAtEnd = true
        return
      }
      buffered = chunk[...]
    }
  }
}
