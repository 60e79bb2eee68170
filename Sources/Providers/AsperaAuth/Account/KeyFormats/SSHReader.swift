// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A reader of values in SSH's data types (RFC 4251, section 5).
///
/// Every function returns `nil` if the next value is truncated.
struct SSHReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) {
    rest = ArraySlice(bytes)
  }

  /// Whether all bytes of the input have been read.
  var isAtEnd: Bool { rest.isEmpty }

  /// The bytes of the input that have not been read.
  var remainder: [UInt8] { Array(rest) }

  /// Reads the given number of bytes.
  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads the next value as a `uint32`.
  mutating func number() -> UInt32? {
    bytes(4)?.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads the next value as a `string` of any bytes.
  mutating func string() -> [UInt8]? {
    number().flatMap { bytes(Int($0)) }
  }

  /// Reads the next value as a `string` of printable ASCII characters.
  mutating func text() -> String? {
    string().flatMap { bytes in
      bytes.allSatisfy { (0x20..<0x7f).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }
  }

  /// Reads the next value as a non-negative `mpint`, and returns its bytes without leading zeros.
  mutating func magnitude() -> [UInt8]? {
    string().flatMap { bytes in
      (bytes.first ?? 0) < 0x80 ? Array(bytes.drop { $0 == 0 }) : nil
    }
  }
}
