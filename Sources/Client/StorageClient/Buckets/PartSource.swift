// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A part of a multipart upload that can be sent, with its number, which starts at 1.
typealias SourcePart = (number: Int, payload: any UploadPayload)

/// A source of the parts of a multipart upload, in order.
protocol PartSource {
  mutating func next() async throws -> SourcePart?
}

/// A source that slices a payload with random access into parts, each of which is read only when it is sent.
struct SlicedParts: PartSource {
  private let base: any UploadPayload
  private var ranges: ArraySlice<Range<Int64>>
  private let uploaded: Set<Int>
  private var number = 0

  /// Creates a source of the parts of a payload, without those with the given numbers.
  init(_ base: any UploadPayload, ranges: [Range<Int64>], except uploaded: Set<Int> = []) {
    self.base = base
    self.ranges = ranges[...]
    self.uploaded = uploaded
  }

  mutating func next() async throws -> SourcePart? {
    while let range = ranges.popFirst() {
      number += 1
      if !uploaded.contains(number) {
        return (number, SlicePayload(base: base, range: range))
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
    let bytes = if let first = first.take() { first } else { try await collect() }
    guard !bytes.isEmpty else { return nil }
    number += 1
    return (number, BytesPayload(bytes: bytes))
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

/// The sizes of the parts that an upload is split into.
struct PartSizes: Sendable {
  /// The maximum number of parts per object that services accept.
  static let partLimit: Int64 = 10_000

  /// The maximum part size in bytes that services accept.
  private static let partByteLimit: Int64 = 5 << 30

  /// The number of parts after which the part size of a stream of unknown length doubles.
  ///
  /// With this growth, ten thousand parts hold six times as many bytes as parts of the first size.
  private static let partsPerSize = 2_000

  private let first: Int64
  private let grows: Bool

  /// Creates the part sizes of an upload, with larger parts than preferred if there were too many.
  init(length: Int64?, preferred: Int64) throws(StorageError) {
    guard let length else {
      first = preferred
      grows = true
      return
    }
    let (whole, rest) = length.quotientAndRemainder(dividingBy: Self.partLimit)
    first = max(preferred, rest > 0 ? whole + 1 : whole)
    grows = false
    guard first <= Self.partByteLimit else {
      throw StorageError(
        .tooLarge, "\(length) bytes do not fit into \(Self.partLimit) parts of \(Self.partByteLimit) bytes.",
        remedy: "Store them as several objects.")
    }
  }

  /// Returns the size in bytes of the part with the given number, which starts at 1.
  func size(ofPart number: Int) -> Int64 {
    grows ? min(first, Self.partByteLimit) << Int64((number - 1) / Self.partsPerSize) : first
  }

  /// Returns the byte ranges of consecutive parts from `start` to `length`, or an empty array if no bytes remain.
  func ranges(of length: Int64, from start: Int64 = 0) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    var next = start
    while next < length {
      let end = min(next.saturatingAdding(first), length)
      ranges.append(next..<end)
      next = end
    }
    return ranges
  }
}
