// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The sizes of the parts that an upload is split into.
struct PartSizes: Sendable {
  /// The maximum number of parts per object that services accept.
  static let mostParts: Int64 = 10_000

  /// The maximum part size in bytes that services accept.
  private static let largestPart: Int64 = 5 << 30

  /// The number of parts after which the part size of a stream of unknown length doubles.
  ///
  /// With this growth, ten thousand parts hold six times as many bytes as parts of the first size.
  private static let partsPerSize = 2_000

  private let first: Int64
  private let grows: Bool

  /// Creates the part sizes of an upload.
  ///
  /// - Parameters:
  ///   - length: The total number of bytes, or `nil` if it is unknown.
  ///   - preferred: The part size in bytes, unless it results in too many parts.
  /// - Throws: ``StorageError/Code/tooLarge`` if an object cannot have so many bytes.
  init(length: Int64?, preferred: Int64) throws(StorageError) {
    guard let length else {
      first = preferred
      grows = true
      return
    }
    let (whole, rest) = length.quotientAndRemainder(dividingBy: Self.mostParts)
    first = max(preferred, rest > 0 ? whole + 1 : whole)
    grows = false
    guard first <= Self.largestPart else {
      throw StorageError(
        .tooLarge, "\(length) bytes do not fit into \(Self.mostParts) parts of \(Self.largestPart) bytes.",
        remedy: "Store them as several objects.")
    }
  }

  /// Returns the size in bytes of the part with the given number.
  ///
  /// Numbers start at 1.
  func size(ofPart number: Int) -> Int64 {
    grows ? min(first, Self.largestPart) << Int64((number - 1) / Self.partsPerSize) : first
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
