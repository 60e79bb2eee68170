// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The path of a file on a node, derived from a key.
///
/// Two keys never name the same file, and no key leads out of the root: keys that a file system would normalise are
/// rejected.
enum NodePath {
  /// Returns the path of a file.
  ///
  /// - Throws: ``StorageError/Code/invalidKey`` if no file can have the key.
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

  /// Returns the path of a valid key; the root itself for an empty key.
  static func join(_ key: String, below root: String) -> String {
    key.isEmpty ? root : "\(root == "/" ? "" : root)/\(key)"
  }
}
