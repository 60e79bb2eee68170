// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// One side of a synchronization: a folder on this machine, or the objects of a store below a prefix.
public struct SyncSide: Sendable {
  enum Storage: Sendable {
    case folder(FilePath)
    case objects(any ObjectStore, prefix: String, bucket: String?)
  }

  let storage: Storage

  /// Returns a side that consists of the regular files in a folder and its subfolders.
  ///
  /// - Parameter path: The path of the folder. As the target, it is created if it does not exist.
  public static func folder(_ path: FilePath) -> SyncSide {
    SyncSide(storage: .folder(path))
  }

  /// Returns a side that consists of the objects of a store whose keys start with a prefix.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - prefix: The prefix of the keys, which is usually empty or ends with a slash. The rest of a key is the path of
  ///     the object.
  ///   - bucket: The name of the bucket if the other side is in the same service with the same credentials. Objects of
  ///     up to 1 GiB are then copied inside the service. If `nil`, objects are downloaded and uploaded.
  public static func objects(
    in store: any ObjectStore, below prefix: String = "", bucket: String? = nil
  ) -> SyncSide {
    SyncSide(storage: .objects(store, prefix: prefix, bucket: bucket))
  }

  /// The entries of the side in the byte order of their paths.
  func entries() -> SyncEntries {
    switch storage {
    case .folder(let path): SyncEntries(FolderListing(path))
    case .objects(let store, let prefix, _):
      SyncEntries(store.list(prefix: prefix).makeAsyncIterator(), prefix: prefix)
    }
  }
}

/// A file or an object of one side of a synchronization.
struct SyncEntry: Sendable, Hashable {
  /// The path below the folder or the prefix, with slashes.
  let path: String
  let size: Int64
  /// The time of the last change, in whole seconds since 1970, or `nil` if it is unknown.
  ///
  /// Services report whole seconds.
  let modifiedSeconds: Int64?
}

/// The entries of one side of a synchronization, in the byte order of their paths.
struct SyncEntries {
  private enum Source {
    case folder(FolderListing)
    case objects(ObjectListing.AsyncIterator, prefix: String)
  }

  private var source: Source

  init(_ folder: FolderListing) {
    source = .folder(folder)
  }

  init(_ listing: ObjectListing.AsyncIterator, prefix: String) {
    source = .objects(listing, prefix: prefix)
  }

  /// The files of a folder that cannot be synchronized, with the reasons.
  var skipped: [SyncReport.Skipped] {
    if case .folder(let listing) = source { listing.skipped } else { [] }
  }

  /// Returns the next entry, or `nil` at the end.
  mutating func next() async throws -> SyncEntry? {
    switch source {
    case .folder(var listing):
      defer { source = .folder(listing) }
      return try await listing.next()
    case .objects(var listing, let prefix):
      defer { source = .objects(listing, prefix: prefix) }
      while let entry = try await listing.next() {
        guard case .object(let object) = entry else { continue }
        let path = String(object.key.utf8.dropFirst(prefix.utf8.count)) ?? ""
        // Consoles of services create empty objects that stand for folders.
        if path.isEmpty || path.hasSuffix("/") && object.size == 0 { continue }
        return SyncEntry(path: path, size: object.size, modifiedSeconds: object.lastModified?.unixSeconds)
      }
      return nil
    }
  }
}
