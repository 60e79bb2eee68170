// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A classification of query parameter names for a storage service.
///
/// A parameter that any service knows changes the result there. Therefore, a request with such a parameter is rejected
/// unless its operation supports the parameter.
struct ParameterNames: Sendable {
  /// The class of a query parameter name.
  enum Meaning {
    /// The parameter is known to at least one of the services, and has that service's spelling.
    case known
    /// The parameter differs from a known parameter only in letter case, and the service compares names
    /// case-sensitively.
    case misspelled
    /// The parameter belongs to the signature; the verifier handles it.
    case signature
    /// The parameter is not known to any service.
    case unknown
  }

  /// Whether the service compares query parameter names case-insensitively.
  let ignoresCase: Bool

  private let signature: Set<String>

  /// Creates the classification of query parameter names for a service.
  ///
  /// - Parameters:
  ///   - signature: The names of the parameters that belong to the signature, in lowercase if the service ignores case.
  ///   - ignoresCase: Whether the service compares parameter names case-insensitively.
  init(signature: Set<String>, ignoresCase: Bool = false) {
    self.signature = signature
    self.ignoresCase = ignoresCase
  }

  /// Returns the class of a query parameter name.
  func meaning(of name: String) -> Meaning {
    if !ignoresCase, signature.contains(name) { return .signature }
    let lowercased = name.asciiLowercased
    if ignoresCase, signature.contains(lowercased) { return .signature }
    // Image processing parameters contain their arguments in the parameter name: `imageMogr2/thumbnail/!50p`.
    let stem = String(lowercased.bytes(before: "/"))
    guard
      Self.lowercasedNames.contains(lowercased) || Self.lowercasedNames.contains(stem) || Self.isOwned(lowercased)
    else { return .unknown }
    let isSpelledRight =
      ignoresCase || Self.names.contains(name) || Self.names.contains(String(name.bytes(before: "/")))
      || Self.isOwned(name)
    // If the service compares names case-sensitively, a listing parameter in a different case is an unknown name, which
    // is ignored.
    if !isSpelledRight, Self.plainNames.contains(lowercased) { return .unknown }
    // Letters that only look like ASCII are rejected: the Kelvin sign, for example, has the lowercase form `k`.
    return isSpelledRight && name.utf8.allSatisfy { $0 < 0x80 } ? .known : .misspelled
  }

  /// Returns whether a query parameter only filters or pages a listing, and does not select another operation.
  static func isPlain(_ name: String) -> Bool { plainNames.contains(name.asciiLowercased) }

  private static let plainNames: Set<String> = [
    "prefix", "delimiter", "marker", "max-keys", "encoding-type", "key-marker", "upload-id-marker", "max-uploads",
    "part-number-marker", "max-parts", "start-after", "fetch-owner",
  ]

  /// Returns whether a query parameter name starts with a prefix that the services reserve.
  private static func isOwned(_ name: String) -> Bool {
    ownedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
  }

  private static let lowercasedNames = Set(names.map { $0.asciiLowercased })
}
