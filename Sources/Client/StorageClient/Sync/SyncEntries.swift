// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A file or an object at a location of a synchronization.
struct SyncEntry: Sendable, Hashable {
  /// The path below the folder or the prefix, with slashes.
  let path: String
  let size: Int64
  /// The time of the last change, in whole seconds since 1970 as services report it, or `nil` if it is unknown.
  let modifiedSeconds: Int64?
  /// The identity of a file when it was listed, or `nil` for an object.
  var identity: FileIdentity?

  /// Returns whether the entry was not changed after another entry, or `false` if a time is unknown.
  func isNotNewer(than other: SyncEntry) -> Bool {
    guard let ownTime = modifiedSeconds, let otherTime = other.modifiedSeconds else { return false }
    return ownTime <= otherTime
  }
}

/// The entries of a location of a synchronization, in the byte order of their paths.
enum SyncEntries {
  case folder(FolderListing)
  case objects(ObjectListing.AsyncIterator, prefix: String)
  case noEntries

  var skipped: [SkippedPath] { if case .folder(let listing) = self { listing.skipped } else { [] } }

  /// Returns the next entry, or `nil` at the end.
  ///
  /// An object that is missing in the listing of the source would be deleted in the target, so wrong listings are
  /// errors: the iterator of the listing checks that the keys ascend, and this method that the keys have the prefix.
  mutating func next() async throws -> SyncEntry? {
    switch self {
    case .noEntries: return nil
    case .folder(var listing):
      defer { self = .folder(listing) }
      return try await listing.next()
    case .objects(var listing, let prefix):
      defer { self = .objects(listing, prefix: prefix) }
      while let entry = try await listing.next() {
        guard case .object(let object) = entry else { continue }
        guard let path = object.key.removingBytePrefix(prefix) else {
          throw StorageError.malformedResponse(
            "it lists \(object.key.quotedExcerpt), which is not below \(prefix.quotedExcerpt)")
        }
        // Consoles of services create empty objects that stand for folders.
        if path.isEmpty || (path.hasByteSuffix("/") && object.size == 0) { continue }
        return SyncEntry(path: String(path), size: object.size, modifiedSeconds: object.lastModified?.unixSeconds)
      }
      return nil
    }
  }
}
