internal import StorageAuth
internal import StorageCrypto

extension OSSV1String {
  /// Returns why the V1 string of a path is that of another request first, or `nil` if it is not.
  ///
  /// V1 signs the decoded key, then a question mark, then the decoded parameters with `&` between them. The plain reading
  /// of such a text ends the key at the only question mark, a parameter at each `&`, and a name at its first `=`. A path
  /// that holds one of these characters inside a key, a name or a value has the string of another path, whose plain
  /// reading it is.
  ///
  /// - Parameter path: The path with its query, as it travels. One that cannot be read is the canonicaliser's to refuse.
  func ambiguity(of path: String) -> SigningError? {
    withBytes(of: path) { wire in
      guard Self.mayBeAmbiguous(wire) else { return nil }
      return ScratchList<WireParameter>.with { parameters in
        guard let pathEnd = WireQuery.cut(wire, into: &parameters) else { return nil }
        if Self.decoded(wire.extracting(0..<pathEnd), plusIsSpace: false).contains(UInt8(ascii: "?")) {
          return .questionMarkInKey
        }
        for index in 0..<parameters.count where subresources.contains(wire.extracting(parameters[index].name)) {
          let name = Self.decoded(wire.extracting(parameters[index].name), plusIsSpace: true)
          let value = Self.decoded(wire.extracting(parameters[index].value), plusIsSpace: true)
          if name.contains(UInt8(ascii: "?")) || value.contains(UInt8(ascii: "?")) { return .questionMarkInParameter }
          if name.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "=") }) || beginsParameter(in: value)
          {
            return .separatorInParameter
          }
        }
        return nil
      }
    }
  }

  /// Whether a value goes on behind an `&` with what V1 takes for another parameter.
  private func beginsParameter(in value: [UInt8]) -> Bool {
    value.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst().contains { piece in
      let name = Array(piece.prefix { $0 != UInt8(ascii: "=") })
      return subresources.contains(decoded: name)
    }
  }

  /// Whether a path holds an escaped `?` or `&`, an escaped `=` in the name of a parameter, or a question mark behind its
  /// first one: without them it is its own plain reading.
  private static func mayBeAmbiguous(_ wire: Span<UInt8>) -> Bool {
    var isQuery = false
    var isName = false
    // Letters, of which most paths are made, are none of these characters.
    for index in wire.indices where wire[index] <= UInt8(ascii: "?") {
      switch wire[index] {
      case UInt8(ascii: "?"):
        if isQuery { return true }
        isQuery = true
        isName = true
      case UInt8(ascii: "&"): isName = true
      case UInt8(ascii: "="): isName = false
      case UInt8(ascii: "%") where wire.count - index > 2:
        switch (wire[index + 1], wire[index + 2] | 0x20) {
        case (UInt8(ascii: "3"), UInt8(ascii: "f")), (UInt8(ascii: "2"), UInt8(ascii: "6")): return true
        case (UInt8(ascii: "3"), UInt8(ascii: "d")) where isName: return true
        default: break
        }
      default: break
      }
    }
    return false
  }

  private static func decoded(_ text: Span<UInt8>, plusIsSpace: Bool) -> [UInt8] {
    [UInt8](writing: { $0.append(decoding: text, plusIsSpace: plusIsSpace) })
  }
}

extension SigningError {
  private static let useV4 = "Sign with V4, which signs the key and the parameters apart."

  /// The error for a key with a question mark.
  static let questionMarkInKey = SigningError(
    .invalidPath,
    "The key holds a question mark (?): a V1 signature for it is also one for the key before the question mark with "
      + "the rest as parameters.",
    remedy: useV4)

  /// The error for a signed parameter with a question mark.
  static let questionMarkInParameter = SigningError(
    .invalidPath,
    "A signed parameter holds a question mark (?): a V1 signature for it is also one for another key and other "
      + "parameters.",
    remedy: useV4)

  /// The error for a signed parameter that holds what separates parameters.
  static let separatorInParameter = SigningError(
    .invalidPath,
    "A signed parameter holds & or = where another parameter would begin: a V1 signature for it is also one for other "
      + "parameters.",
    remedy: useV4)
}
