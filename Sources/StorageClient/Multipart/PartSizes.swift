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
    first = max(preferred, (length + Self.mostParts - 1) / Self.mostParts)
    grows = false
    guard first <= Self.largestPart else {
      throw StorageError(
        .tooLarge, "\(length) bytes do not fit into \(Self.mostParts) parts of \(Self.largestPart) bytes.",
        remedy: "Store them as several objects.")
    }
  }

  /// The size of a part, by its number from 1.
  func size(ofPart number: Int) -> Int64 {
    grows ? first << Int64((number - 1) / Self.partsPerSize) : first
  }

  /// The ranges that a number of bytes is cut into.
  func ranges(of length: Int64, from start: Int64 = 0) -> [Range<Int64>] {
    stride(from: start, to: length, by: Int(clamping: first)).map { $0..<min($0 + first, length) }
  }
}
