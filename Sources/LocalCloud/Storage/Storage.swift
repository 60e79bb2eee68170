internal import StorageAuth
internal import SystemPackage
internal import _NIOFileSystem

/// The directory of a server, with a store for each service.
struct Storage: Sendable {
  let root: FilePath
  private let isTemporary: Bool
  private let oss: ObjectStore
  private let cos: ObjectStore

  /// The files of the Aspera node.
  let node: ObjectStore

  /// Opens a directory, or makes a temporary one.
  static func open(_ path: String?) async throws -> Storage {
    let root: FilePath
    if let path {
      root = FilePath(path)
    } else {
      let place = try await FileSystem.shared.temporaryDirectory
      root = try await FileSystem.shared.createTemporaryDirectory(template: place.appending("localcloud-XXXXXXXX"))
    }
    return Storage(
      root: root, isTemporary: path == nil,
      oss: try await ObjectStore.open(root.appending(LocalCloud.Provider.oss.rawValue)),
      cos: try await ObjectStore.open(root.appending(LocalCloud.Provider.cos.rawValue)),
      node: try await ObjectStore.open(root.appending("aspera")))
  }

  func store(of provider: LocalCloud.Provider) -> ObjectStore {
    switch provider {
    case .oss: oss
    case .cos: cos
    }
  }

  func createBuckets(_ names: [String], at date: Timestamp) async throws {
    for store in [oss, cos] {
      for name in names { try await store.createBucket(name, access: nil, at: date) }
    }
    try await node.createBucket(FileTree.bucket, access: nil, at: date)
  }

  /// Waits until what was deleted is gone, and removes a temporary directory.
  func close() async {
    await oss.close()
    await cos.close()
    await node.close()
    if isTemporary { _ = try? await FileSystem.shared.removeItem(at: root) }
  }
}
