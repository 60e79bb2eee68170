/// A range of an object.
public struct ByteRange: Sendable, Hashable {
  /// The range as HTTP writes it, such as `bytes=0-99`.
  let text: String

  /// From one byte up to another one, which is not included.
  ///
  /// - Parameter range: The positions, from 0; one that is empty stands for its first byte.
  public init(_ range: Range<Int64>) {
    text = "bytes=\(max(0, range.lowerBound))-\(max(0, range.lowerBound, range.upperBound - 1))"
  }

  /// From one byte to another one, which is included.
  public init(_ range: ClosedRange<Int64>) {
    text = "bytes=\(max(0, range.lowerBound))-\(max(0, range.upperBound))"
  }

  /// From one byte to the end.
  public init(_ range: PartialRangeFrom<Int64>) {
    text = "bytes=\(max(0, range.lowerBound))-"
  }

  /// The last bytes.
  ///
  /// - Parameter count: How many.
  public static func last(_ count: Int64) -> ByteRange {
    ByteRange(text: "bytes=-\(max(1, count))")
  }

  private init(text: String) {
    self.text = text
  }
}
