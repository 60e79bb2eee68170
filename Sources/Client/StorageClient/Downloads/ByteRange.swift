// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A range of the bytes of an object, for partial downloads.
public struct ByteRange: Sendable, Hashable {
  private enum Bounds: Sendable, Hashable {
    /// The bytes between two offsets, both included; without a last offset, to the end of the object.
    case between(first: Int64, last: Int64?)
    /// A number of bytes at the end of the object.
    case last(count: Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from a half-open range of offsets.
  ///
  /// The first byte has the offset 0, which replaces negative offsets. An empty range is replaced by its first byte.
  public init(_ range: Range<Int64>) {
    let first = max(0, range.lowerBound)
    let end = max(1, range.upperBound)
    bounds = .between(first: first, last: max(first, end - 1))
  }

  /// Creates a byte range from a closed range of offsets; 0 replaces negative offsets.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(first: max(0, range.lowerBound), last: max(0, range.upperBound))
  }

  /// Creates a byte range from an offset to the end of the object; 0 replaces a negative offset.
  public init(_ range: PartialRangeFrom<Int64>) { bounds = .between(first: max(0, range.lowerBound), last: nil) }

  /// Returns the range of the last bytes of an object, at least one.
  public static func last(_ count: Int64) -> ByteRange { ByteRange(bounds: .last(count: max(1, count))) }

  private init(bounds: Bounds) { self.bounds = bounds }

  /// The value of the HTTP `Range` header, such as `bytes=0-99`.
  var headerValue: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the offsets that the range selects from an object of `length` bytes, or `nil` if it selects no byte.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      guard first < length else { return nil }
      let lastInObject = min(last ?? .max, length - 1)
      return first..<lastInObject + 1
    case .last(let count): return length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
