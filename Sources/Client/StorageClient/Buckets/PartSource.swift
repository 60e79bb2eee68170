// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A part of a multipart upload that can be sent, with its number, which starts at 1.
typealias UploadPart = (number: Int, payload: any UploadPayload)

/// A source of the parts of a multipart upload, in order.
protocol PartSource {
  mutating func next() async throws -> UploadPart?
}

/// A source that slices a payload with random access into parts, each of which is read only when it is sent.
struct SlicedParts: PartSource {
  private let base: any UploadPayload
  private var ranges: ArraySlice<Range<Int64>>
  private let uploadedNumbers: Set<Int>
  private var lastNumber = 0

  /// Creates a source of the parts of a payload, without those with the given numbers.
  init(_ base: any UploadPayload, ranges: [Range<Int64>], except uploadedNumbers: Set<Int> = []) {
    self.base = base
    self.ranges = ranges[...]
    self.uploadedNumbers = uploadedNumbers
  }

  mutating func next() async throws -> UploadPart? {
    while let range = ranges.popFirst() {
      lastNumber += 1
      if !uploadedNumbers.contains(lastNumber) {
        return (lastNumber, SlicePayload(base: base, range: range))
      }
    }
    return nil
  }
}

/// A source that splits a stream into parts and collects each part in memory before it is sent.
struct CollectedParts: PartSource {
  private let chunks: ByteStream.AsyncIterator
  private let sizes: PartSizes
  /// The number of parts that were read from the stream, one more than `lastNumber` while there is a pending first part.
  private var readPartCount = 0
  /// The number of the last part that was returned.
  private var lastNumber = 0
  /// The bytes of the last chunk that belong to no part yet.
  private var buffered: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The first part if it was read before it was known that others follow, or `nil`.
  private var pendingFirstPart: [UInt8]?

  init(_ stream: ByteStream, sizes: PartSizes) {
    chunks = stream.makeAsyncIterator()
    self.sizes = sizes
  }

  /// Returns all bytes of the stream if they fit in one part, or `nil` otherwise.
  ///
  /// The function is called once, before `next()`. If the result is `nil`, `next()` starts with the first part.
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
    lastNumber += 1
    return (lastNumber, BytesPayload(bytes: bytes))
  }

  /// Reads the bytes of the next part, which are fewer than its size only at the end of the stream.
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

/// The sizes of the parts that an upload or a download is split into.
struct PartSizes: Sendable {
  /// The maximum number of parts per object that services accept.
  static let partLimit: Int64 = 10_000

  /// The maximum part size in bytes that services accept.
  static let partByteLimit: Int64 = 5 << 30

  /// The number of parts after which the part size of a stream of unknown length doubles.
  ///
  /// With this growth, ten thousand parts hold six times as many bytes as parts of the base size.
  private static let partsPerSize = 2_000

  /// The size in bytes of the first part, at most the limit.
  private let baseSize: Int64
  private let grows: Bool

  /// Creates the part sizes of a transfer: the preferred size, but no more bytes and no more parts than the limits.
  ///
  /// - Parameters:
  ///   - length: The number of bytes to transfer. If `nil`, later parts are larger, because there can be many.
  ///   - preferred: The size of a part in bytes, at least 1.
  init(length: Int64?, preferred: Int64) throws(StorageError) {
    let preferred = min(preferred, Self.partByteLimit)
    guard let length else {
      baseSize = preferred
      grows = true
      return
    }
    let (quotient, remainder) = length.quotientAndRemainder(dividingBy: Self.partLimit)
    let needed = remainder > 0 ? quotient + 1 : quotient
    guard needed <= Self.partByteLimit else {
      throw StorageError(
        .tooLarge, "\(length) bytes do not fit into \(Self.partLimit) parts of \(Self.partByteLimit) bytes.",
        remedy: "Store them as several objects.")
    }
    baseSize = max(preferred, needed)
    grows = false
  }

  /// Returns the size in bytes of the part with the given number, which starts at 1.
  func size(ofPart number: Int) -> Int64 {
    guard grows else { return baseSize }
    let doublings = (number - 1) / Self.partsPerSize
    // The limit is shifted for the comparison, because the size could overflow.
    return baseSize <= Self.partByteLimit >> doublings ? baseSize << doublings : Self.partByteLimit
  }

  /// Returns the byte ranges of consecutive parts from `start` to `length`, or an empty array if no bytes remain.
  func ranges(of length: Int64, from start: Int64 = 0) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    var next = start
    while next < length {
      let end = min(next.saturatingAdding(baseSize), length)
      ranges.append(next..<end)
      next = end
    }
    return ranges
  }
}

extension [Range<Int64>] {
  /// Returns the byte range of the part with a number, or `nil` if there is no such part.
  func range(ofPart number: Int) -> Range<Int64>? { number > 0 && number <= count ? self[number - 1] : nil }
}

extension Range<Int64> {
  var byteCount: Int64 { upperBound - lowerBound }
}
