// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A function that parses untrusted bytes, with an input that is designed to be as expensive as possible.
struct Reader {
  /// The name of the function in `Tests/readers.txt`.
  let name: String

  /// The distinctive feature of the input.
  let shape: String

  /// The size of the smallest input in bytes; the others are two and four times as long.
  let size: Int

  /// Returns an operation that parses an input of about the given size.
  let prepare: (Int) -> () async -> Void

  init(_ name: String, _ shape: String, size: Int = 4096, _ prepare: @escaping (Int) -> () async -> Void) {
    self.name = name
    self.shape = shape
    self.size = size
    self.prepare = prepare
  }

  /// Returns a reader of bytes for each shape.
  static func bytes(
    _ name: String, size: Int = 4096, _ shapes: KeyValuePairs<String, (Int) -> String>,
    read: @escaping ([UInt8]) async -> Void
  ) -> [Reader] {
    shapes.map { shape, make in
      Reader(name, shape, size: size) { size in
        let input = Array(make(size).utf8)
        return { await read(input) }
      }
    }
  }
}

/// Returns a text that is repeated up to about the given size.
func repeated(_ text: String, to size: Int) -> String {
  String(repeating: text, count: max(1, size / max(1, text.utf8.count)))
}

/// Returns numbered texts, joined up to about the given size.
func numbered(to size: Int, separator: String = "", _ make: (Int) -> String) -> String {
  var texts: [String] = []
  var count = 0
  while count < size {
    let text = make(texts.count)
    count += text.utf8.count + separator.utf8.count
    texts.append(text)
  }
  return texts.joined(separator: separator)
}
