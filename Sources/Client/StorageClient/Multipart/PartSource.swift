// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A part of a multipart upload that can be sent.
struct SourcePart: Sendable {
  /// The number of the part, starting at 1.
  let number: Int
  let payload: any UploadPayload
}

/// A source of the parts of a multipart upload.
protocol PartSource {
  /// Returns the next part of the upload, or `nil` at the end.
  mutating func next() async throws -> SourcePart?
}

/// A source that slices a payload with random access into parts.
///
/// A part is read only when it is sent.
struct SlicedParts: PartSource {
  private let base: any UploadPayload
  private var ranges: ArraySlice<Range<Int64>>
  private let uploaded: Set<Int>
  private var number = 0

  /// Creates a source of the parts of a payload.
  ///
  /// - Parameters:
  ///   - base: The payload.
  ///   - ranges: The byte ranges of all parts, in order.
  ///   - uploaded: The numbers of the parts that need not be sent.
  init(_ base: any UploadPayload, ranges: [Range<Int64>], except uploaded: Set<Int> = []) {
    self.base = base
    self.ranges = ranges[...]
    self.uploaded = uploaded
  }

  mutating func next() async throws -> SourcePart? {
    while let range = ranges.popFirst() {
      number += 1
      if !uploaded.contains(number) {
        return SourcePart(number: number, payload: SlicePayload(base: base, range: range))
      }
    }
    return nil
  }
}

/// A source that splits a stream into parts and collects each part in memory before it is sent.
struct CollectedParts: PartSource {
  private let chunks: ByteStream.AsyncIterator
  private let sizes: PartSizes
  private var collected = 0
  private var number = 0
  private var rest: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The first part if it was read before the number of parts was known, or `nil`.
  private var first: [UInt8]?

  init(_ stream: ByteStream, sizes: PartSizes) {
    chunks = stream.makeAsyncIterator()
    self.sizes = sizes
  }

  /// Returns all bytes of the stream if they fit in one part, or `nil` otherwise.
  ///
  /// If the result is `nil`, `next()` returns the first part again.
  mutating func onlyPart() async throws -> [UInt8]? {
    let bytes = try await collect()
    if rest.isEmpty, !isAtEnd { try await fill() }
    if rest.isEmpty { return bytes }
    first = bytes
    return nil
  }

  mutating func next() async throws -> SourcePart? {
    let bytes: [UInt8]
    if let first {
      self.first = nil
      bytes = first
    } else {
      bytes = try await collect()
    }
    guard !bytes.isEmpty else { return nil }
    number += 1
    return SourcePart(number: number, payload: BytesPayload(bytes: bytes))
  }

  private mutating func collect() async throws -> [UInt8] {
    collected += 1
    let size = Int(clamping: sizes.size(ofPart: collected))
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

  /// Reads the next non-empty chunk of the stream.
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
