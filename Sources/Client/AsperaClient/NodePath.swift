// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// A namespace for functions that derive a file's path on an Aspera node from an object key.
///
/// Two different keys never refer to the same file, and no key leads out of the root folder. Keys that a file system
/// would normalize are rejected.
enum NodePath {
  /// Checks that a file can have the given key.
  ///
  /// - Throws: `StorageError.Code.invalidKey` if no file can have the key.
  static func check(_ key: String) throws(StorageError) {
    guard isKey(key) else {
      throw StorageError(
        .invalidKey, "\"\(key)\" is not the key of a file on a node.",
        remedy: "Use names joined by single slashes, without one at either end, without \".\" and \"..\" as names, and "
          + "without control characters.")
    }
  }

  /// Returns whether a file or a folder can have the given key.
  static func isKey(_ key: String) -> Bool {
    key.parts(between: "/").allSatisfy { isName($0) }
  }

  /// Returns whether a file or a folder can have the given name.
  static func isName(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
  }

  /// Returns the path of the parent folder and the last name of a path.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  /// Returns whether two paths on the node are the same, except for a slash at their ends.
  static func isSame(_ first: String, _ second: String) -> Bool {
    (first.removingByteSuffix("/") ?? first[...]).isIdentical(to: second.removingByteSuffix("/") ?? second[...])
  }

  /// Returns the path on the node for a valid key, or the path of the root folder for an empty key.
  static func join(_ key: String, below root: String) -> String {
    key.isEmpty ? root : "\(root == "/" ? "" : root)/\(key)"
  }
}
