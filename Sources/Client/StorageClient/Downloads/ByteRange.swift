// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A range of the bytes of an object, for partial downloads.
public struct ByteRange: Sendable, Hashable {
  private enum Bounds: Sendable, Hashable {
    /// The offsets of the first and the last byte, or `nil` for the end of the object.
    case between(Int64, Int64?)
    /// The number of bytes at the end of the object.
    case last(Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from a half-open range of offsets, from 0; an empty range is replaced by its first byte.
  public init(_ range: Range<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.lowerBound, max(1, range.upperBound) - 1))
  }

  /// Creates a byte range from a closed range of offsets, from 0.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.upperBound))
  }

  /// Creates a byte range from an offset, from 0, to the end of the object.
  public init(_ range: PartialRangeFrom<Int64>) { bounds = .between(max(0, range.lowerBound), nil) }

  /// Returns the range of the last bytes of an object, at least one.
  public static func last(_ count: Int64) -> ByteRange { ByteRange(bounds: .last(max(1, count))) }

  private init(bounds: Bounds) { self.bounds = bounds }

  /// The value of the HTTP `Range` header, such as `bytes=0-99`.
  var headerValue: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the offsets that the range selects from `length` bytes, or `nil` if the range lies outside the object.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      first < length ? first..<(last.map { max(first, min($0, length - 1)) } ?? length - 1) + 1 : nil
    case .last(let count): length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
