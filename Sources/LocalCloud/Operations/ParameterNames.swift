// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A classification of query parameter names for a service.
///
/// A name that any service knows changes the result there, so that a request with it is rejected unless its operation
/// supports it.
struct ParameterNames: Sendable {
  /// The class of a parameter name.
  enum Meaning {
    /// A parameter that a service knows, in the service's spelling.
    case known
    /// A known parameter with different letter case, at a service that compares names case-sensitively.
    case misspelled
    /// A parameter of the signature, which the verifier handles.
    case signature
    /// A parameter that no service knows.
    case unknown
  }

  /// Whether the service compares parameter names case-insensitively.
  let ignoresCase: Bool

  private let signature: Set<String>

  /// Creates the classification of a service.
  ///
  /// - Parameters:
  ///   - signature: The parameters of the signature; in lower case if the service ignores case.
  ///   - ignoresCase: Whether the service compares parameter names case-insensitively.
  init(signature: Set<String>, ignoresCase: Bool = false) {
    self.signature = signature
    self.ignoresCase = ignoresCase
  }

  /// Returns the class of a parameter name.
  func meaning(of name: String) -> Meaning {
    if !ignoresCase, signature.contains(name) { return .signature }
    let lowercased = name.asciiLowercased
    if ignoresCase, signature.contains(lowercased) { return .signature }
    // Image processing parameters contain their arguments in the name: `imageMogr2/thumbnail/!50p`.
    let stem = String(lowercased.bytes(before: "/"))
    guard
      Self.lowercasedNames.contains(lowercased) || Self.lowercasedNames.contains(stem) || Self.isOwned(lowercased)
    else { return .unknown }
    let isSpelledRight =
      ignoresCase || Self.names.contains(name) || Self.names.contains(String(name.bytes(before: "/")))
      || Self.isOwned(name)
    // Where case counts, a listing parameter in a different case is an unknown name, which is ignored.
    if !isSpelledRight, Self.plainNames.contains(lowercased) { return .unknown }
    // Rejects look-alike letters outside of ASCII: `K` is also the lower-case form of the Kelvin sign.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Returns whether a parameter only filters or pages a listing, and does not select another operation.
  static func isPlain(_ name: String) -> Bool { plainNames.contains(name.asciiLowercased) }

  private static let plainNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Returns whether a name starts with a prefix that the services reserve.
  private static func isOwned(_ name: String) -> Bool {
    ownedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let lowercasedNames = Set(names.map { $0.asciiLowercased })
}
