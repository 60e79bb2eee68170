internal import StorageAuth

/// How large the parts of an upload are.
struct PartSizes: Sendable {
  /// The most parts that a service takes for one object.
  static let mostParts: Int64 = 10_000

  /// The largest part that a service takes.
  private static let largestPart: Int64 = 5 << 30

  /// After how many parts of a stream of unknown length the parts grow twice as large; so ten thousand parts hold six
  /// times what they would hold at their first size.
  private static let partsPerSize = 2_000

  private let first: Int64
  private let grows: Bool

  /// Chooses sizes.
  ///
  /// - Parameters:
  ///   - length: The number of bytes in all; nothing if nobody knows.
  ///   - preferred: The size of a part, if that does not make too many of them.
  /// - Throws: ``StorageError/Code/tooLarge`` for more bytes than any object may have.
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

  /// The size of a part, by its number from 1.
  func size(ofPart number: Int) -> Int64 {
    grows ? min(first, Self.largestPart) << Int64((number - 1) / Self.partsPerSize) : first
  }

  /// Returns the ranges that a number of bytes is cut into; none if no bytes follow `start`.
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
