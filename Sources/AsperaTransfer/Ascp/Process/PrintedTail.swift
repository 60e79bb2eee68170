// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The end of a program's output, with a bounded size.
struct PrintedTail: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []

  /// Creates an empty tail that retains the last `limit` bytes.
  init(limit: Int) {
    self.limit = limit
  }

  /// Appends bytes and discards those that exceed the limit.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.append(contentsOf: more.suffix(limit))
    // Discarding moves the remaining bytes, so it happens only once per `limit` bytes.
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// The output as text, with invalid UTF-8 replaced and without control characters and blank lines.
  var text: String {
    let text = String(decoding: bytes.suffix(limit), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }))
    }
    return lines.filter { line in line.contains { !$0.isWhitespace } }.joined(separator: "\n")
  }
}
