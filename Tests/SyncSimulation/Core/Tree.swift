// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageClient
import SystemPackage

/// A text of bytes, which two spellings of one name do not share.
typealias Bytes = [UInt8]

/// The content of one side at one moment.
struct Snapshot: Equatable {
  struct File: Equatable {
    var bytes: Bytes
    var modified: Int64
    /// The permissions, or `nil` for an object.
    var permissions: FilePermissions?
  }

  /// The regular files or the objects by their paths.
  var files: [Bytes: File] = [:]
  /// The paths of links, special files and names that are not UTF-8.
  var others: Set<Bytes> = []
  /// The paths of folders.
  var folders: Set<Bytes> = []
  /// Whether there is no such side.
  var isMissing = false
}

extension Disk {
  /// Returns what is below a folder.
  func snapshot(_ folder: Inode, below path: Bytes = []) -> Snapshot {
    var snapshot = Snapshot()
    for (name, inode) in folder.children ?? [:] {
      let path = path + name.bytes
      switch inode.content {
      case .file(let bytes):
        if String(validating: name) == nil {
          snapshot.others.insert(path)
        } else {
          snapshot.files[path] = .init(
            bytes: bytes, modified: inode.modified.seconds, permissions: inode.permissions)
        }
      case .folder:
        let inner = self.snapshot(inode, below: path + [UInt8(ascii: "/")])
        if String(validating: name) == nil {
          snapshot.others.insert(path)
        } else {
          snapshot.files.merge(inner.files) { first, _ in first }
          snapshot.others.formUnion(inner.others)
          snapshot.folders.formUnion(inner.folders.union([path]))
        }
      case .link, .special: snapshot.others.insert(path)
      }
    }
    return snapshot
  }
}

extension Service {
  /// Returns the objects below a prefix.
  func snapshot(below prefix: Bytes) -> Snapshot {
    var snapshot = Snapshot()
    for (key, object) in objects where key.starts(with: prefix) && key.count > prefix.count {
      if key.last == UInt8(ascii: "/"), object.bytes.isEmpty { continue }
      snapshot.files[Array(key.dropFirst(prefix.count))] = .init(bytes: object.bytes, modified: object.modified)
    }
    return snapshot
  }
}

extension Bytes {
  /// The parts of a path.
  var parts: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) }

  /// Whether the path can be that of a file below a folder.
  var isPath: Bool {
    parts.allSatisfy { part in
      !part.isEmpty && part.count <= 255 && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        && !part.contains(0)
    } && parts.first.map { !$0.elementsEqual(".storage-auth-sync".utf8) } == true
  }

  /// The last part of the path that is not empty.
  var lastName: ArraySlice<UInt8> { parts.last { !$0.isEmpty } ?? [] }

  /// The paths of the folders above the path.
  var ancestors: [Bytes] {
    indices.filter { self[$0] == UInt8(ascii: "/") }.map { Array(self[..<$0]) }
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
