/// Reads fields in the encoding of SSH (RFC 4251, part 5); nothing where a field is not whole.
struct SSHReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) {
    rest = ArraySlice(bytes)
  }

  /// Whether everything is read.
  var isAtEnd: Bool { rest.isEmpty }

  /// What is not read yet.
  var remainder: [UInt8] { Array(rest) }

  /// Takes bytes as they are.
  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Takes a 32-bit number.
  mutating func number() -> UInt32? {
    bytes(4)?.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes a string of bytes.
  mutating func string() -> [UInt8]? {
    number().flatMap { bytes(Int($0)) }
  }

  /// Takes a string of text in ASCII.
  mutating func text() -> String? {
    string().flatMap { bytes in
      bytes.allSatisfy { (0x20..<0x7f).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }
  }

  /// Takes a number of any length that is not negative, without zeros before it.
  mutating func magnitude() -> [UInt8]? {
    string().flatMap { bytes in
      (bytes.first ?? 0) < 0x80 ? Array(bytes.drop { $0 == 0 }) : nil
    }
  }
}
