internal import StorageAuth

/// The path of a file on a node, made of a key.
///
/// Two keys never name one file, and no key leads out of the root: what a file system would normalise is refused.
enum NodePath {
  /// The path of a file.
  ///
  /// - Throws: ``StorageError/Code/invalidKey`` for a key that no file has.
  static func file(_ key: String, below root: String) throws(StorageError) -> String {
    guard isKey(key) else {
      throw StorageError(
        .invalidKey, "\"\(key)\" is not the key of a file on a node.",
        remedy: "Use names joined by single slashes, without one at either end, without \".\" and \"..\" as names, and "
          + "without control characters.")
    }
    return join(key, below: root)
  }

  /// Whether a file or a folder can have the key.
  static func isKey(_ key: String) -> Bool {
    key.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isName($0) }
  }

  /// Whether a file or a folder can have the name.
  static func isName(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
  }

  /// The path of a key that is known to be one; the root itself for an empty one.
  static func join(_ key: String, below root: String) -> String {
    key.isEmpty ? root : "\(root == "/" ? "" : root)/\(key)"
  }
}
