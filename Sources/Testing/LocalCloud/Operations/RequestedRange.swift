// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The byte range that a `Range` header specifies.
struct RequestedRange {
  /// The bounds of a range: a first byte with an optional last byte, or a number of bytes at the end.
  private enum Bounds {
    case from(Int64, through: Int64?)
    case last(Int64)
  }

  private let bounds: Bounds

  /// Creates a byte range from the value of a `Range` header.
  ///
  /// - Returns: `nil` if the value is not a single byte range; the server ignores such headers.
  init?(_ header: String) {
    guard header.hasBytePrefix("bytes=") else { return nil }
    let parts = header.dropFirst("bytes=".count).parts(between: "-")
    guard parts.count == 2 else { return nil }
    let numbers = parts.map { Self.number($0) }
    switch (parts[0].isEmpty, parts[1].isEmpty) {
    case (true, false):
      guard let count = numbers[1] else { return nil }
      bounds = .last(count)
    case (false, true):
      guard let first = numbers[0] else { return nil }
      bounds = .from(first, through: nil)
    case (false, false):
      guard let first = numbers[0], let last = numbers[1], first <= last else { return nil }
      bounds = .from(first, through: last)
    case (true, true):
      return nil
    }
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
  }

  /// Returns the range clamped to the size of an object, or `nil` if the range contains no byte of the object.
  ///
  /// - Parameter byteCount: The size of the object, in bytes.
  func bytes(of byteCount: Int64) -> Range<Int64>? {
    switch bounds {
    case .from(let first, let last):
      guard first < byteCount else { return nil }
      return first..<(min(last ?? byteCount - 1, byteCount - 1) + 1)
    case .last(let count):
      guard count > 0, byteCount > 0 else { return nil }
      return max(0, byteCount - count)..<byteCount
    }
  }

  /// Returns whether an object contains all bytes of the range.
  ///
  /// - Parameter byteCount: The size of the object, in bytes.
  func lies(within byteCount: Int64) -> Bool {
    switch bounds {
    case .from(let first, let last): first < byteCount && (last ?? first) < byteCount
    case .last(let count): count > 0 && count <= byteCount
    }
  }
}
