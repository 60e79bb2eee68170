// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A range of the bytes of an object, for partial downloads.
public struct ByteRange: Sendable, Hashable {
  /// The offsets of the first and the last byte, or the number of bytes at the end of the object.
  private enum Bounds: Sendable, Hashable {
    case between(Int64, Int64?)
    case last(Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from a half-open range of offsets.
  ///
  /// - Parameter range: The byte offsets, from 0. An empty range is replaced by its first byte: HTTP has none.
  public init(_ range: Range<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.lowerBound, max(1, range.upperBound) - 1))
  }

  /// Creates a byte range from a closed range of offsets.
  ///
  /// - Parameter range: The byte offsets, from 0.
  public init(_ range: ClosedRange<Int64>) {
    bounds = .between(max(0, range.lowerBound), max(0, range.upperBound))
  }

  /// Creates a byte range from an offset to the end of the object.
  ///
  /// - Parameter range: The byte offsets, from 0.
  public init(_ range: PartialRangeFrom<Int64>) {
    bounds = .between(max(0, range.lowerBound), nil)
  }

  /// Returns the byte range at the end of an object that has the given number of bytes.
  ///
  /// - Parameter count: The number of bytes, at least 1.
  public static func last(_ count: Int64) -> ByteRange { ByteRange(bounds: .last(max(1, count))) }

  private init(bounds: Bounds) {
    self.bounds = bounds
  }

  /// The value of the HTTP `Range` header, such as `bytes=0-99`.
  var text: String {
    switch bounds {
    case .between(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .last(let count): "bytes=-\(count)"
    }
  }

  /// Returns the offsets that the range selects from an object, or `nil` if the range lies outside the object.
  ///
  /// Implementations of ``ObjectStore`` use this method.
  ///
  /// - Parameter length: The size of the object in bytes.
  public func bytes(of length: Int64) -> Range<Int64>? {
    switch bounds {
    case .between(let first, let last):
      first < length ? first..<(last.map { max(first, min($0, length - 1)) } ?? length - 1) + 1 : nil
    case .last(let count): length > 0 ? max(0, length - count)..<length : nil
    }
  }
}
