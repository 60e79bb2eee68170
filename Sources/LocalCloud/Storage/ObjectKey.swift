/// The key of an object: equal and ordered by its bytes in UTF-8, as the services list keys.
///
/// `String` compares by canonical equivalence, which would make one object of two that differ in their bytes.
struct ObjectKey: Sendable, Comparable {
  /// The key as text.
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (first: ObjectKey, second: ObjectKey) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  static func < (first: ObjectKey, second: ObjectKey) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  /// Whether the key starts with a text, byte for byte.
  func hasBytePrefix(_ prefix: String) -> Bool {
    text.utf8.starts(with: prefix.utf8)
  }

  /// The key up to and with the first delimiter after a prefix; nothing if there is no delimiter.
  func group(after prefix: String, delimiter: String) -> String? {
    guard !delimiter.isEmpty else { return nil }
    let bytes = Array(text.utf8)
    let mark = Array(delimiter.utf8)
    var start = prefix.utf8.count
    while start + mark.count <= bytes.count {
      if bytes[start..<(start + mark.count)].elementsEqual(mark) {
        return String(decoding: bytes[..<(start + mark.count)], as: UTF8.self)
      }
      start += 1
    }
    return nil
  }
}
