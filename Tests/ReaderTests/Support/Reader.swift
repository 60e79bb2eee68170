// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting

/// A parser of untrusted bytes, with the rules that hold for every input, and the measurements as its input grows.
///
/// A new reader is one `Reader(…)` in a file of `Readers`, in the list at the top of that file, and a folder in
/// `Corpus` with at least one input that it accepts. It is then replayed, fuzzed and measured.
struct Reader: Sendable {
  /// The name, which is also that of the corpus folder.
  let name: String

  /// The measurements as the input grows, or the reason for which there are none.
  let growths: Growths

  /// Parses an input and checks the rules.
  ///
  /// `random` is derived from the input, so that the same input always has the same effect.
  ///
  /// - Returns: Whether the reader accepted the input.
  /// - Throws: A ``BrokenRule`` if the result violates a rule.
  let run: @Sendable (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool

  init(
    name: String, growths: Growths = .corpus(),
    run: @escaping @Sendable (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool
  ) {
    (self.name, self.growths, self.run) = (name, growths, run)
  }

  /// Parses an input and checks the rules.
  func read(_ input: [UInt8]) async throws -> Bool {
    // FNV-1a.
    let seed = input.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    var random = SeededGenerator(seed: seed)
    return try await run(input, &random)
  }

  /// All readers.
  static let all: [Reader] = [
    ascp, transfers, tokens, keys, requests, signingOrders, forms, documents, texts, credentials, answers, cloud,
  ].flatMap { $0 }
}

/// The error for a violated rule.
struct BrokenRule: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws ``BrokenRule`` unless a condition holds.
func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(BrokenRule) {
  if !holds { throw BrokenRule(rule()) }
}

extension SeededGenerator {
  /// Returns a random integer from 0 to below `bound`, or 0 if `bound` is 0.
  mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }
}

/// The text of an input; invalid UTF-8 is replaced.
func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }

/// Throws ``BrokenRule`` if a text contains a secret that the input does not contain.
func requireNoSecret(in shown: String, of input: [UInt8] = []) throws(BrokenRule) {
  for secret in Samples.secrets where shown.contains(secret) && !text(input).contains(secret) {
    throw BrokenRule("a secret is shown: \(secret)")
  }
}
