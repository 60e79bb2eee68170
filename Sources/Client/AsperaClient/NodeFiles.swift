// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The operations of a Node API on files and folders.
///
/// ``PathFiles`` identifies files by paths, for Basic authorization, and ``IdentifiedFiles`` by IDs, for bearer tokens.
protocol NodeFiles: Sendable {
  /// Requests the description of a file or folder; if there is none, the error is of the kind `noSuchKey`.
  func entry(_ key: String) async throws -> NodeEntry

  /// Returns the unsorted entries of a folder, or `nil` if the folder does not exist or is a file.
  func entries(ofFolder key: String) async throws -> [NodeEntry]?

  /// Creates a folder and its parent folders, and succeeds if the folder exists.
  func createFolder(_ key: String) async throws

  /// Changes the name of a file or folder, which stays in its folder, to a valid name.
  func rename(_ key: String, to name: String) async throws

  /// Deletes files, and folders with their content.
  ///
  /// - Parameter files: The keys, each with its entry if it was just requested from the node.
  /// - Returns: For each key the node's error, or `nil` if the file or folder was deleted.
  func remove(_ files: [(key: String, entry: NodeEntry?)]) async throws -> [ServiceError?]

  /// Makes a session that uploads a local file, and creates the folders above it on the node.
  func uploadSession(of file: String, to key: String, in context: TransferContext) async throws -> TransferSession

  /// Makes a session that downloads a file to the content of a temporary folder.
  func downloadSession(
    of key: String, into folder: TemporaryFolder, in context: TransferContext
  ) async throws -> TransferSession
}

/// Paths on an Aspera node: different keys never refer to the same file, and no key leads out of the root folder.
enum NodeFilePath {
  static func requireKey(_ key: String) throws(StorageError) {
    guard isKey(key) else {
      throw StorageError(
        .invalidKey, "\"\(key)\" is not the key of a file on a node.",
        remedy: "Use names joined by single slashes, without one at either end, without \".\" and \"..\" as names, and "
          + "without control characters.")
    }
  }

  static func isKey(_ key: String) -> Bool { key.parts(between: "/").allSatisfy { isName($0) } }

  /// Returns whether a name can be part of a key: it leads nowhere else, and has no control characters.
  static func isName(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
  }

  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
  }

  /// Returns whether two paths are the same; a slash at the end makes no difference.
  static func isSame(_ first: String, _ second: String) -> Bool {
    (first.removingByteSuffix("/") ?? first[...]).isIdentical(to: second.removingByteSuffix("/") ?? second[...])
  }

  static func join(_ key: String, below root: String) -> String {
    key.isEmpty ? root : "\(root == "/" ? "" : root)/\(key)"
  }
}
