// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A cache of the IDs that an Aspera node gave to folders, by their paths.
///
/// An ID stays with a folder that another client renames. A cached ID is therefore used for at most a minute.
final class FolderIDs: Sendable {
  /// The duration for which a cached ID is used.
  static let lifetime = Duration.seconds(60)

  /// The maximum number of cached IDs.
  static let limit = 10_000

  private struct Folder {
    let id: String
    let end: Duration
  }

  private struct State {
    /// The access key that the cached IDs belong to.
    var accessKey = ""
    var root: String?
    /// The folders by their paths, which are compared as bytes: a file system may have both spellings of a name.
    var folders: [ByteExactString: Folder] = [:]

    /// Discards the IDs of other access keys.
    mutating func use(_ accessKey: String) {
      guard !self.accessKey.isIdentical(to: accessKey) else { return }
      self = State(accessKey: accessKey)
    }
  }

  private let state = Lock(State())

  /// Returns the ID of the access key's root folder, or `nil` if it is unknown.
  func root(for accessKey: String) -> String? {
    state.withLock { state in
      state.use(accessKey)
      return state.root
    }
  }

  /// Caches the ID of the access key's root folder.
  func note(root: String, for accessKey: String) {
    state.withLock { state in
      state.use(accessKey)
      state.root = root
    }
  }

  /// Caches the ID of the folder at a path.
  func note(_ id: String, of path: String, for accessKey: String, at uptime: Duration) {
    state.withLock { state in
      state.use(accessKey)
      if state.folders.count >= Self.limit { state.folders = state.folders.filter { $0.value.end > uptime } }
      if state.folders.count >= Self.limit { state.folders = [:] }
      state.folders[ByteExactString(path)] = Folder(id: id, end: uptime + Self.lifetime)
    }
  }

  /// Returns the path and the ID of the deepest cached folder that contains a path or is at the path.
  ///
  /// If no such folder is cached, the path is empty and the ID is `nil`.
  func nearest(to path: String, for accessKey: String, at uptime: Duration) -> (path: String, id: String?) {
    state.withLock { state in
      state.use(accessKey)
      var path = path[...]
      while !path.isEmpty {
        if let folder = state.folders[ByteExactString(path)], folder.end > uptime { return (String(path), folder.id) }
        path = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
      }
      return ("", nil)
    }
  }

  /// Discards the IDs of the folder at a path and of all folders in it.
  func forget(_ path: String, for accessKey: String) {
    state.withLock { state in
      state.use(accessKey)
      state.folders = state.folders.filter { other, _ in
        !other.utf8.starts(with: path.utf8)
          || ![nil, UInt8(ascii: "/")].contains(other.utf8.dropFirst(path.utf8.count).first)
      }
    }
  }

  /// Discards the IDs of all folders.
  func forgetAll(for accessKey: String) {
    state.withLock { state in
      state.use(accessKey)
      state.folders = [:]
    }
  }
}
