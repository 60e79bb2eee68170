// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A buffer for the end of a program's output, with a limited size.
struct PrintedTail: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []

  /// Creates an empty buffer that retains the last `limit` bytes of the output.
  init(limit: Int) {
    self.limit = limit
  }

  /// Appends bytes, and discards the oldest bytes beyond the limit.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.append(contentsOf: more.suffix(limit))
    // Discarding moves the remaining bytes, so bytes are discarded only once per `limit` bytes.
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// The end of the output as text without control characters and blank lines, in which invalid UTF-8 is replaced.
  var text: String {
    let text = String(decoding: bytes.suffix(limit), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }))
    }
    return lines.filter { line in line.contains { !$0.isWhitespace } }.joined(separator: "\n")
  }
}
