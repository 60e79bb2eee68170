/// The end of what a program printed, of bounded size.
struct PrintedTail: Sendable {
  private let limit: Int
  private var bytes: [UInt8] = []

  /// - Parameter limit: How many of the last bytes are kept.
  init(limit: Int) {
    self.limit = limit
  }

  /// Takes more in, and lets go of what is too old.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.append(contentsOf: more.suffix(limit))
    // What is cut off is moved only once for each `limit` bytes.
    if bytes.count > 2 * limit { bytes.removeFirst(bytes.count - limit) }
  }

  /// The text, with what is no UTF-8 replaced and without control characters.
  var text: String {
    let text = String(decoding: bytes.suffix(limit), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }))
    }
    return lines.filter { line in line.contains { !$0.isWhitespace } }.joined(separator: "\n")
  }
}
