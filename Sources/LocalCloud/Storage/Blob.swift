/// A file with bytes that never change, named by an id of its own.
///
/// The file lives as long as anybody holds this value: the index, a copy of the object, or a reader that is still
/// sending it. When the last one lets go, the file is given to the collector.
final class Blob: Sendable {
  let id: BlobID
  let byteCount: Int64
  private let collector: BlobCollector

  init(id: BlobID, byteCount: Int64, collector: BlobCollector) {
    self.id = id
    self.byteCount = byteCount
    self.collector = collector
  }

  deinit {
    collector.collect(id)
  }
}

/// The name of a file: 32 hexadecimal digits by chance.
struct BlobID: Sendable, Hashable, CustomStringConvertible {
  let description: String

  /// Makes an id that nobody has.
  static func random() -> BlobID {
    BlobID(
      description: String(hexadecimal: UInt64.random(in: 0 ... .max))
        + String(hexadecimal: UInt64.random(in: 0 ... .max)))
  }

  /// Reads an id; nothing if the text is not one.
  init?(_ text: String) {
    guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else { return nil }
    description = text
  }

  private init(description: String) {
    self.description = description
  }
}

extension String {
  /// Writes a number in all its digits, in lower case.
  init(hexadecimal number: some FixedWidthInteger & UnsignedInteger) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
  }
}

/// A run of bytes in a file.
struct Extent: Sendable {
  let blob: Blob
  let offset: Int64
  let byteCount: Int64
}
