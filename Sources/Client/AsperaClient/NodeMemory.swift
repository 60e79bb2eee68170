// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A client's cache for an Aspera node: the IDs of folders, and the transfer server.
///
/// Another client can rename a folder, which keeps its ID, so a cached ID is used for at most a minute. A change of the
/// access key, user or token empties the cache.
final class NodeMemory: Sendable {
  private static let lifetime = Duration.seconds(60)
  /// The maximum number of cached IDs, beyond which the expired IDs or else all IDs are discarded.
  private static let folderLimit = 10_000

  private struct Folder {
    let id: String
    /// The uptime at which the ID expires.
    let expiration: Duration
  }

  private struct Contents {
    /// The access key, user or token to which the cached values belong.
    var identity = ""
    var rootID: String?
    var server: TransferSpec?
    /// The folders by their paths, which are compared as bytes: a file system may have both spellings of a name.
    var folders: [ByteExactString: Folder] = [:]
  }

  private let contents = Lock(Contents())

  private func withContents<Value: Sendable>(of identity: String, _ body: (inout Contents) -> Value) -> Value {
    contents.withLock { contents in
      if !contents.identity.isIdentical(to: identity) { contents = Contents(identity: identity) }
      return body(&contents)
    }
  }

  func rootID(for identity: String) -> String? { withContents(of: identity) { $0.rootID } }
  func remember(rootID: String, for identity: String) { withContents(of: identity) { $0.rootID = rootID } }
  func server(for identity: String) -> TransferSpec? { withContents(of: identity) { $0.server } }
  func remember(_ server: TransferSpec, for identity: String) { withContents(of: identity) { $0.server = server } }

  func rememberFolder(_ id: String, at path: String, for identity: String, at uptime: Duration) {
    withContents(of: identity) { contents in
      if contents.folders.count >= Self.folderLimit {
        contents.folders = contents.folders.filter { $0.value.expiration > uptime }
      }
      if contents.folders.count >= Self.folderLimit { contents.folders = [:] }
      contents.folders[ByteExactString(path)] = Folder(id: id, expiration: uptime + Self.lifetime)
    }
  }

  /// Returns the path and ID of the deepest cached folder that contains a path or is at it, or an empty path and `nil`.
  func nearestFolder(to path: String, for identity: String, at uptime: Duration) -> (path: String, id: String?) {
    withContents(of: identity) { contents in
      var folderPath = path[...]
      while !folderPath.isEmpty {
        if let folder = contents.folders[ByteExactString(folderPath)], folder.expiration > uptime {
          return (String(folderPath), folder.id)
        }
        folderPath = folderPath.utf8.lastIndex(of: UInt8(ascii: "/")).map { folderPath[..<$0] } ?? ""
      }
      return ("", nil)
    }
  }

  /// Forgets the IDs of a folder and of all folders in it, which have another path after it was renamed.
  func forgetFolder(_ path: String, for identity: String) {
    withContents(of: identity) { contents in
      contents.folders = contents.folders.filter { folderPath, _ in
        guard folderPath.utf8.starts(with: path.utf8) else { return true }
        let nextByte = folderPath.utf8.dropFirst(path.utf8.count).first
        return nextByte != nil && nextByte != UInt8(ascii: "/")
      }
    }
  }

  func forgetFolders(of identity: String) { withContents(of: identity) { $0.folders = [:] } }
}
