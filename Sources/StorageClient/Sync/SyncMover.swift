// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization
internal import SystemPackage

/// The transfers and deletions of a synchronization.
final class SyncMover: Sendable {
  /// The size in bytes from which the state of a transfer is kept, so that another process can continue it.
  private static let largeSize: Int64 = 16 << 20

  /// The size in bytes up to which services copy an object with one request.
  private static let largestCopy: Int64 = 1 << 30

  /// The maximum number of keys that are deleted with one call.
  private static let batchSize = 1000

  private enum Route: Sendable {
    case upload(FilePath, any ObjectStore, prefix: String)
    case download(any ObjectStore, prefix: String, FolderTree)
    case copy(any ObjectStore, prefix: String, bucket: String?, any ObjectStore, targetPrefix: String)
  }

  private let route: Route
  private let stateFolder: FilePath?
  private let started = Mutex(0)

  /// Creates the transfers between two sides.
  ///
  /// - Throws: ``StorageError/Code/unsupported`` if both sides are folders.
  init(_ source: SyncSide, _ target: SyncSide, _ options: SyncOptions) throws(StorageError) {
    stateFolder = options.stateFolder
    switch (source.storage, target.storage) {
    case (.folder(let root), .objects(let store, let prefix, _)): route = .upload(root, store, prefix: prefix)
    case (.objects(let store, let prefix, _), .folder(let root)):
      route = .download(store, prefix: prefix, FolderTree(root))
    case (.objects(let from, let prefix, let bucket), .objects(let to, let targetPrefix, _)):
      route = .copy(from, prefix: prefix, bucket: bucket, to, targetPrefix: targetPrefix)
    case (.folder, .folder):
      throw StorageError(
        .unsupported, "Both sides of the synchronization are folders.", remedy: "Name a store on one side.")
    }
  }

  /// Prepares the target for transfers.
  func prepare() async throws {
    if case .download(_, _, let tree) = route { try await tree.prepare() }
  }

  /// Removes what no later synchronization continues, which is everything if this one is complete.
  func finish(isComplete: Bool) async throws {
    if case .download(_, _, let tree) = route { try await tree.finish(isComplete: isComplete) }
  }

  // MARK: Transfers

  /// Transfers a file or an object.
  func move(_ entry: SyncEntry, progress: @escaping TransferProgress.Handler) async throws {
    switch route {
    case .upload(let root, let store, let prefix):
      try await upload(root.appending(entry.path), entry, to: store, prefix + entry.path, UploadOptions(), progress)
    case .download(let store, let prefix, let tree):
      let number = started.withLock { started in
        started += 1
        return started
      }
      try await tree.receive(entry, isLarge: entry.size >= Self.largeSize, number: number) { file, checkpoint in
        try await download(prefix + entry.path, from: store, to: file, checkpoint, progress)
      }
    case .copy(let from, let prefix, let bucket, let to, let targetPrefix):
      let (key, targetKey) = (prefix + entry.path, targetPrefix + entry.path)
      if let bucket, entry.size <= Self.largestCopy, let to = to as? any BucketStore {
        try await to.copy(CopySource(bucket: bucket, key: key), to: targetKey, options: CopyOptions())
        progress(TransferProgress(completed: entry.size, total: entry.size))
      } else if entry.size >= Self.largeSize, let stateFolder {
        try await relay(entry, key, from, targetKey, to, in: stateFolder, progress)
      } else {
        let object = try await from.open(key)
        try await to.upload(
          .stream(object.body, length: object.contentLength), to: targetKey, options: UploadOptions(of: object.info),
          progress: progress)
      }
    }
  }

  private func upload(
    _ file: FilePath, _ entry: SyncEntry, to store: any ObjectStore, _ key: String, _ options: UploadOptions,
    _ progress: @escaping TransferProgress.Handler
  ) async throws {
    guard entry.size >= Self.largeSize, let stateFolder, let bucket = store as? any BucketStore else {
      try await store.upload(.file(file), to: key, options: options, progress: progress)
      return
    }
    let name = Self.name("\(file)\n\(key)")
    try await bucket.upload(
      file, to: key, checkpoint: CheckpointFile(stateFolder.appending("\(name).upload")), options: options,
      progress: progress)
  }

  private func download(
    _ key: String, from store: any ObjectStore, to file: FilePath, _ checkpoint: CheckpointFile<DownloadCheckpoint>?,
    _ progress: @escaping TransferProgress.Handler
  ) async throws {
    if let checkpoint, let bucket = store as? any BucketStore {
      do {
        try await bucket.download(key, to: file, checkpoint: checkpoint, progress: progress)
        return
      } catch let error as StorageError where error.code == .unsupported {
        // The service reports no strong entity tag, so that the download cannot be continued.
      }
    }
    try await store.download(key, to: file, progress: progress)
  }

  /// Copies a large object through a file, so that another process can continue both halves of the copy.
  ///
  /// The name of the file depends on the object's size and time, so that it is never the file of another object.
  private func relay(
    _ entry: SyncEntry, _ key: String, _ from: any ObjectStore, _ targetKey: String, _ to: any ObjectStore,
    in stateFolder: FilePath, _ progress: @escaping TransferProgress.Handler
  ) async throws {
    let name = Self.name("\(key)\n\(targetKey)\n\(entry.size)\n\(entry.modifiedSeconds ?? 0)")
    let file = stateFolder.appending("\(name).copy")
    let options = UploadOptions(of: try await from.head(key))
    if try await OpenFile.status(at: file) == nil {
      try await download(key, from: from, to: file, CheckpointFile(stateFolder.appending("\(name).download"))) { _ in }
    }
    try await upload(file, entry, to: to, targetKey, options, progress)
    try await OpenFile.remove(file)
  }

  private static func name(_ identity: String) -> String {
    String(ObjectChecksum(.crc64, of: Array(identity.utf8)).value, radix: 16)
  }

  // MARK: Deletions

  /// Deletes files or objects of the target.
  ///
  /// - Parameters:
  ///   - actions: The deletions.
  ///   - didFinish: A closure that receives each successful deletion.
  /// - Returns: The failed deletions.
  func delete(
    _ actions: [SyncAction], didFinish: (SyncAction) -> Void
  ) async throws -> [PipelineReport.Failure] {
    switch route {
    case .download(_, _, let tree):
      var failures: [PipelineReport.Failure] = []
      for action in actions {
        do {
          try await tree.delete(action.path)
          didFinish(action)
        } catch {
          failures.append(.init(name: action.path, error: error))
        }
      }
      return failures
    case .upload(_, let store, let prefix), .copy(_, _, _, let store, let prefix):
      return try await delete(actions, from: store, prefix, didFinish)
    }
  }

  private func delete(
    _ actions: [SyncAction], from store: any ObjectStore, _ prefix: String, _ didFinish: (SyncAction) -> Void
  ) async throws -> [PipelineReport.Failure] {
    var failures: [PipelineReport.Failure] = []
    var rest = actions[...]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchSize)
      rest = rest.dropFirst(batch.count)
      let report = try await store.delete(batch.map { prefix + $0.path })
      let failed = Dictionary(report.failures.map { (WireText($0.key), $0) }) { first, _ in first }
      for action in batch {
        if let failure = failed[WireText(prefix + action.path)] {
          failures.append(
            .init(
              name: action.path,
              error: StorageError(
                .unsupported, "The service did not delete \(failure.key): \(failure.code): \(failure.message)",
                remedy: "Check the permissions of the key.")))
        } else {
          didFinish(action)
        }
      }
    }
    return failures
  }
}

extension UploadOptions {
  /// Creates the options that give a copy the attributes of an object.
  fileprivate init(of info: ObjectInfo) {
    self.init(
      contentType: info.contentType, metadata: info.metadata, cacheControl: info.headers[.cacheControl],
      contentDisposition: info.headers[.contentDisposition], contentEncoding: info.headers[.contentEncoding])
  }
}
