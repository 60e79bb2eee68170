internal import StorageAuth

/// The names of query parameters, and what they mean to a service.
///
/// A name that any service knows has an effect there, so that a request with it is refused unless its operation takes it.
struct ParameterNames: Sendable {
  /// What a name means to this server.
  enum Meaning {
    /// A parameter that a service knows, in the spelling of the service.
    case known
    /// A known parameter in other letters than the service's, which compares names by case.
    case misspelled
    /// A parameter that belongs to the signature, which the verifier has read.
    case signature
    /// A parameter that no service knows.
    case unknown
  }

  /// Whether the service takes no notice of the case of names.
  let ignoresCase: Bool

  private let signature: Set<String>

  /// Makes the names of a service.
  ///
  /// - Parameters:
  ///   - signature: The parameters that belong to the signature; in lower case if the service ignores that.
  ///   - ignoresCase: Whether the service takes no notice of the case of names.
  init(signature: Set<String>, ignoresCase: Bool = false) {
    self.signature = signature
    self.ignoresCase = ignoresCase
  }

  /// Returns what a name means.
  func meaning(of name: String) -> Meaning {
    if !ignoresCase, signature.contains(name) { return .signature }
    let lowercased = name.asciiLowercased
    if ignoresCase, signature.contains(lowercased) { return .signature }
    // Parameters of image processing hold their arguments in the name: `imageMogr2/thumbnail/!50p`.
    let stem = String(lowercased.bytes(before: "/"))
    guard
      Self.lowercasedNames.contains(lowercased) || Self.lowercasedNames.contains(stem) || Self.isOwned(lowercased)
    else { return .unknown }
    let isSpelledRight =
      ignoresCase || Self.names.contains(name) || Self.names.contains(String(name.bytes(before: "/")))
      || Self.isOwned(name)
    // In other letters, what only narrows a list is no parameter where case counts, and is read over like any other word.
    if !isSpelledRight, Self.plainNames.contains(lowercased) { return .unknown }
    // Letters that only look like those of a name are others: `K` is also the lower-case form of the Kelvin sign.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Whether a parameter narrows or pages a list, and makes no other operation of a request.
  static func isPlain(_ name: String) -> Bool { plainNames.contains(name.asciiLowercased) }

  private static let plainNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Whether a name starts with what the services keep for themselves.
  private static func isOwned(_ name: String) -> Bool {
    ownedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let lowercasedNames = Set(names.map { $0.asciiLowercased })
}
