/// A range of an object.
public struct ByteRange: Sendable, Hashable {
  /// The first byte and the last one, or how many at the end.
  private enum Bounds: Sendable, Hashable {
    case between(Int64, Int64?)
    case last(Int64)
  }

  private let bounds: Bounds

  /// From one byte up to another one, which is not included.
  ///
  /// - Parameter range: The positions, from 0; one that is empty stands for its first byte.
  public init(_ range: Range<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.lowerBound, max(1, range.upperBound) - 1))
  }

  /// From one byte to another one, which is included.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.upperBound))
  }

  /// From one byte to the end.
  public init(_ range: PartialRangeFrom<Int64>) {
    bounds = .between(max(0, range.lowerBound), nil)
  }

  /// The last bytes.
  ///
  /// - Parameter count: How many.
  public static func last(_ count: Int64) -> ByteRange {
    ByteRange(bounds: .last(max(1, count)))
  }

  private init(bounds: Bounds) {
    self.bounds = bounds
  }

  /// The range as HTTP writes it, such as `bytes=0-99`.
  var text: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the bytes of an object that the range stands for, or `nil` if it lies outside; for stores.
  ///
  /// - Parameter length: The number of bytes of the object.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      first < length ? first..<(last.map { max(first, min($0, length - 1)) } ?? length - 1) + 1 : nil
    case .last(let count): length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
