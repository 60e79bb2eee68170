import StorageAuthTesting

/// One reader that is given inputs.
struct Target: Sendable {
  /// Its name.
  let name: String

  /// How large its share of the inputs is, compared with the others.
  let weight: Int

  /// Makes its inputs.
  let mutator: Mutator

  /// Gives an input to the reader; says whether it was taken.
  ///
  /// - Throws: A ``BrokenRule`` if what comes out is not what it has to be.
  let run: @Sendable (_ input: [UInt8], _ random: inout SeededGenerator) async throws -> Bool
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
