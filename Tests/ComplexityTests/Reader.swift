/// A function that reads bytes from outside, with an input that is meant to be as expensive for it as can be.
struct Reader {
  /// What is read: a name of `Tests/readers.txt`.
  let name: String

  /// What is special about the input.
  let shape: String

  /// The size of the smallest input, in bytes; the others are twice and four times as long.
  let size: Int

  /// Makes the work of reading an input of about so many bytes.
  let prepare: (Int) -> () async -> Void

  init(_ name: String, _ shape: String, size: Int = 4096, _ prepare: @escaping (Int) -> () async -> Void) {
    self.name = name
    self.shape = shape
    self.size = size
    self.prepare = prepare
  }

  /// A reader of bytes.
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

/// A text repeated until it has about so many bytes.
func repeated(_ text: String, to size: Int) -> String {
  String(repeating: text, count: max(1, size / max(1, text.utf8.count)))
}

/// Texts with a running number in each, joined, until they have about so many bytes.
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
