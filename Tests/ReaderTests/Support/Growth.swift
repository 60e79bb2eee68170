// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting

/// A kind of input that is intended to be as expensive as possible for a reader, at any size.
struct Growth: Sendable {
  static let usualSize = 4096

  /// The distinctive feature of the input.
  let shape: String

  /// The size of the smallest input in bytes; the others are two and four times as long.
  let size: Int

  /// Returns an operation that parses an input of about the given size.
  let prepare: @Sendable (Int) -> () async -> Void

  init(_ shape: String, size: Int = usualSize, _ prepare: @escaping @Sendable (Int) -> () async -> Void) {
    self.shape = shape
    self.size = size
    self.prepare = prepare
  }

  /// Returns a growth for each shape of bytes, all parsed by `read`.
  static func bytes(
    _ shapes: Growths.Shapes, size: Int = usualSize, read: @escaping @Sendable ([UInt8]) async -> Void
  ) -> [Growth] {
    shapes.map { shape, make in
      Growth(shape, size: size) { size in
        let input = Array(make(size).utf8)
        return { await read(input) }
      }
    }
  }
}

/// The measurements of a reader as its input grows, or the reason for which there are none.
enum Growths: Sendable {
  typealias Shapes = KeyValuePairs<String, @Sendable (Int) -> String>

  /// Operations besides the reader, for example the same parser without its limits on the size of an input.
  case rows([Growth])

  /// The reader, with inputs of the given shapes.
  case inputs(Shapes)

  /// The reader, with an accepted input of its corpus that is repeated.
  case corpus(joinedBy: String = "")

  /// No measurement, with the reason, for example the reader that is measured with the same parser.
  case none(because: String)

  /// Operations that parse bytes of the given shapes with `read`.
  static func bytes(
    _ shapes: Shapes, size: Int = Growth.usualSize, read: @escaping @Sendable ([UInt8]) async -> Void
  ) -> Growths {
    .rows(Growth.bytes(shapes, size: size, read: read))
  }
}

extension Reader {
  /// Returns the measurements of the reader.
  ///
  /// - Parameter corpus: The inputs of its corpus.
  /// - Throws: A ``BrokenRule`` if the reader is to be measured with its corpus, and does not accept repeated inputs.
  func rows(of corpus: [[UInt8]]) async throws -> [Growth] {
    switch growths {
    case .rows(let rows): return rows
    case .inputs(let shapes): return shapes.map { shape, make in row(shape) { Array(make($0).utf8) } }
    case .none: return []
    case .corpus(let separator):
      let separator = Array(separator.utf8)
      for input in corpus where try await read(input) {
        guard try await read(repeated(input, joinedBy: separator, to: 4 * Growth.usualSize)) else { continue }
        return [row("an input of the corpus again and again") { repeated(input, joinedBy: separator, to: $0) }]
      }
      throw BrokenRule("\(name) accepts no repeated input of its corpus: it needs growths of its own, or a reason")
    }
  }

  private func row(_ shape: String, _ make: @escaping @Sendable (Int) -> [UInt8]) -> Growth {
    Growth(shape) { size in
      let input = make(size)
      return {
        // Not derived from the input: the choices of the reader have to be the same at every size.
        var random = SeededGenerator(seed: 1)
        _ = try? await run(input, &random)
      }
    }
  }
}

/// Returns an input that is repeated up to about the given size.
private func repeated(_ input: [UInt8], joinedBy separator: [UInt8], to size: Int) -> [UInt8] {
  let count = max(1, size / max(1, input.count + separator.count))
  return Array(repeatElement(input, count: count).joined(separator: separator))
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
