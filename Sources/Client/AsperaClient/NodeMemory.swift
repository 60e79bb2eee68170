// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The memory that a client has of an Aspera node: the IDs that it gave to folders, and its transfer server.
///
/// An ID stays with a folder that another client renames. A cached ID is therefore used for at most a minute. What belongs
/// to another access key is discarded.
final class NodeMemory: Sendable {
  private static let lifetime = Duration.seconds(60)

  /// The maximum number of cached IDs, which bounds the memory; beyond it, the expired IDs are discarded, or else all.
  private static let folderLimit = 10_000

  private struct Folder {
    let id: String
    /// The uptime at which the ID expires.
    let expiration: Duration
  }

  private struct State {
    /// The access key, user or token to which everything below belongs.
    var identity = ""
    /// The ID of the root folder of the access key.
    var root: String?
    var server: TransferSpec?
    /// The folders by their paths, which are compared as bytes: a file system may have both spellings of a name.
    var folders: [ByteExactString: Folder] = [:]
  }

  private let state = Lock(State())

  private func withState<Result: Sendable>(of identity: String, _ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      if !state.identity.isIdentical(to: identity) { state = State(identity: identity) }
      return body(&state)
    }
  }

  func root(for identity: String) -> String? { withState(of: identity) { $0.root } }

  func remember(root: String, for identity: String) { withState(of: identity) { $0.root = root } }

  func server(for identity: String) -> TransferSpec? { withState(of: identity) { $0.server } }

  func remember(_ server: TransferSpec, for identity: String) { withState(of: identity) { $0.server = server } }

  func remember(_ id: String, of path: String, for identity: String, at uptime: Duration) {
    withState(of: identity) { state in
      if state.folders.count >= Self.folderLimit {
        state.folders = state.folders.filter { $0.value.expiration > uptime }
      }
      if state.folders.count >= Self.folderLimit { state.folders = [:] }
      state.folders[ByteExactString(path)] = Folder(id: id, expiration: uptime + Self.lifetime)
    }
  }

  /// Returns the path and ID of the deepest cached folder that contains a path or is at it, or an empty path and `nil`.
  func nearest(to path: String, for identity: String, at uptime: Duration) -> (path: String, id: String?) {
    withState(of: identity) { state in
      var path = path[...]
      while !path.isEmpty {
        if let folder = state.folders[ByteExactString(path)], folder.expiration > uptime {
          return (String(path), folder.id)
        }
        path = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
      }
      return ("", nil)
    }
  }

  /// Discards the IDs of the folder at a path and of all folders in it.
  func forget(_ path: String, for identity: String) {
    withState(of: identity) { state in
      state.folders = state.folders.filter { folderPath, _ in
        let isInFolder = [nil, UInt8(ascii: "/")].contains(folderPath.utf8.dropFirst(path.utf8.count).first)
        return !(folderPath.utf8.starts(with: path.utf8) && isInFolder)
      }
    }
  }

  func forgetFolders(of identity: String) { withState(of: identity) { $0.folders = [:] } }
}
