// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The sizes of the parts of a transfer, within the limits of the services.
struct PartSizes: Sendable {
  /// The maximum number of parts per object that services accept.
  static let partLimit: Int64 = 10_000
  /// The maximum part size in bytes that services accept.
  static let partByteLimit: Int64 = 5 << 30
  /// The number of parts after which the part size of a stream of unknown length doubles.
  private static let partsPerSize = 2_000

  /// The size in bytes of the first part, at most the limit.
  private let baseSize: Int64
  private let grows: Bool

  /// Creates the part sizes of a transfer, as near to a preferred size in bytes, at least 1, as the limits permit.
  ///
  /// If the length in bytes is unknown, later parts are larger, because there can be many.
  init(length: Int64?, preferred: Int64) throws(StorageError) {
    let preferred = min(preferred, Self.partByteLimit)
    guard let length else {
      baseSize = preferred
      grows = true
      return
    }
    let (quotient, remainder) = length.quotientAndRemainder(dividingBy: Self.partLimit)
    let minimumSize = remainder > 0 ? quotient + 1 : quotient
    guard minimumSize <= Self.partByteLimit else {
      throw StorageError(
        .tooLarge, "\(length) bytes do not fit into \(Self.partLimit) parts of \(Self.partByteLimit) bytes.",
        remedy: "Store them as several objects.")
    }
    baseSize = max(preferred, minimumSize)
    grows = false
  }

  /// Returns the size in bytes of the part with a number; numbers start at 1.
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
  func range(ofPart number: Int) -> Range<Int64>? { number > 0 && number <= count ? self[number - 1] : nil }
}

extension Range<Int64> { var byteCount: Int64 { upperBound - lowerBound } }
