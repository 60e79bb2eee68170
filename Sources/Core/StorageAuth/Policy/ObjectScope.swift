// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A set of object keys in a bucket.
public enum ObjectScope: Sendable, Hashable {
  /// The scope contains every key.
  case all
  /// The scope contains each key that starts with a prefix, byte for byte; the prefix of a folder ends with a slash.
  case prefix(String)
  /// The scope contains a single key.
  case key(String)

  /// Returns whether a key, or the prefix of a list request, belongs to the scope.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .all: true
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    case .key(let onlyKey): key.isIdentical(to: onlyKey)
    }
  }

  /// Returns whether every key in another scope belongs to this scope.
  public func contains(_ other: ObjectScope) -> Bool {
    switch (self, other) {
    case (.all, _): true
    case (_, .all): self == .prefix("")
    case (_, .key(let key)): contains(key)
    case (.prefix(let prefix), .prefix(let otherPrefix)): otherPrefix.utf8.starts(with: prefix.utf8)
    case (.key, .prefix): false
    }
  }

  /// Returns whether two scopes contain the same prefix or key, byte for byte.
  public static func == (first: ObjectScope, second: ObjectScope) -> Bool {
    switch (first, second) {
    case (.all, .all): true
    case (.prefix(let first), .prefix(let second)), (.key(let first), .key(let second)): first.isIdentical(to: second)
    default: false
    }
  }
}

extension ObjectScope {
  /// The key, or the prefix of the keys, which is empty if the scope contains every key.
  package var keyOrPrefix: String {
    switch self {
    case .all: ""
    case .prefix(let text), .key(let text): text
    }
  }

  package var isKey: Bool { if case .key = self { true } else { false } }

  /// Returns a pattern for the keys in the scope, in which an asterisk matches any string.
  ///
  /// - Throws: A ``PolicyError`` if a key contains `*`, `?`, or the start of a variable, as these have a meaning.
  package func pattern(in language: String) throws(PolicyError) -> String {
    for special in ["*", "?", "${"] where keyOrPrefix.containsBytes(of: special) {
      throw PolicyError(
        .unsupportedKey,
        "The key or prefix \"\(keyOrPrefix)\" contains \"\(special)\", which \(language) cannot express.",
        remedy: "Choose other names for the objects, or allow the folder that they are in.")
    }
    return isKey ? keyOrPrefix : "\(keyOrPrefix)*"
  }
}
