// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension FileService {
  /// Returns the document that describes a file.
  ///
  /// - Parameters:
  ///   - entry: The file.
  ///   - id: The ID of the file.
  ///   - levels: The caller's access levels on the file.
  func document(of entry: FileEntry, _ id: Int, _ levels: AccessLevels) -> JSONObject {
    var document = JSONObject()
    document["id"] = .string(String(id))
    document["name"] = .string(entry.path.bytes == root.bytes ? "/" : entry.path.basename)
    // Only administrators see paths, because a path contains the names of folders that are closed to the user.
    if grants == nil { document["path"] = .string(entry.path.relative(to: root).text) }
    if !entry.isFolder { document["size"] = .number(JSONNumber(entry.byteCount)) }
    document["type"] = .string(Self.type(of: entry))
    document["modified_time"] = .string(entry.modified.iso8601)
    if entry.isFolder { document["mount_point"] = false }
    if case .file(let target, let node)? = entry.link {
      document["target_id"] = .string(target)
      document["target_node_id"] = node.map { .string($0) }
    }
    document["access_levels"] = levels.document
    document["access_level"] = .string(levels.olderName)
    return document
  }

  /// Adds the attributes that a request names in `include` to the document of a file.
  ///
  /// - Throws: A 400 (Bad Request) error if an attribute is unknown.
  func include(_ names: [String], in document: inout JSONObject, of entry: FileEntry) throws {
    for name in names {
      switch name {
      case "access_levels", "access_level": break
      case "permission_count":
        let permissions = caller.accessKey.map { aspera.files.register.permissions(of: $0.id) } ?? []
        let count = permissions.count { $0.path.bytes == entry.path.bytes }
        document["permission_count"] = .number(JSONNumber(count))
      case "recursive_counts":
        guard entry.isFolder else { continue }
        let below = try aspera.files.walk(entry.path).dropFirst()
        let files = below.filter(\.isFile)
        document["recursive_file_count"] = .number(JSONNumber(files.count))
        document["recursive_folder_count"] = .number(JSONNumber(below.count(where: \.isFolder)))
        document["recursive_link_count"] = .number(JSONNumber(below.count { $0.link != nil }))
        document["recursive_size"] = .number(JSONNumber(files.reduce(Int64(0)) { $0.saturatingAdding($1.byteCount) }))
      default: throw RefusalAnswer.nodeBadRequest("The attribute \(name.shortened(to: 64)) cannot be included.")
      }
    }
  }

  /// Returns the type of a file in documents of the fourth generation.
  static func type(of entry: FileEntry) -> String {
    if entry.isFolder { "folder" } else if entry.link != nil { "link" } else { "file" }
  }
}
