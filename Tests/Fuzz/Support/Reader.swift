import StorageAuthTesting

/// A reader of foreign bytes, and what has to hold whatever the bytes are.
struct Reader: Sendable {
  /// Its name, which is that of the folder with its corpus.
  let name: String

  /// Gives an input to the reader, and checks the rules.
  ///
  /// `random` follows from the input alone, so that the same input always does the same.
  ///
  /// - Returns: Whether the reader took the input.
  /// - Throws: A ``BrokenRule`` if what comes out is not what it has to be.
  let run: @Sendable (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool

  /// Gives an input to the reader.
  func read(_ input: [UInt8]) async throws -> Bool {
    // FNV-1a.
    let seed = input.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    var random = SeededGenerator(seed: seed)
    return try await run(input, &random)
  }

  /// All readers.
  static var all: [Reader] { aspera + tokens + keys + signatures + forms + documents + credentials + answers + cloud }
}

/// Something that must hold for every input does not.
struct BrokenRule: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws unless something holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(BrokenRule) {
  if !holds { throw BrokenRule(rule()) }
}

extension SeededGenerator {
  /// A number from 0 up to, and without, a bound; 0 for a bound of 0.
  mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }
}

/// The text of an input; bytes that are no UTF-8 are replaced.
func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }

/// Throws if a text shows a secret of the tests.
func requireNoSecret(in shown: String, of input: [UInt8] = []) throws(BrokenRule) {
  for secret in Samples.secrets where shown.contains(secret) && !text(input).contains(secret) {
    throw BrokenRule("a secret is shown: \(secret)")
  }
}
