// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The transfers and deletions of a synchronization, in the direction of its route.
final class SyncMover: Sendable {
  /// The size in bytes from which the state of a transfer is kept, so that another process can continue it.
  private static let largeSize: Int64 = 16 << 20

  /// The size in bytes up to which services copy an object with one request.
  private static let singleCopyByteLimit: Int64 = 1 << 30

  /// The maximum number of uploads of a file that changes while it is uploaded.
  private static let uploadAttempts = 3

  /// The direction of a synchronization, with its two sides.
  enum Route: Sendable {
    case upload(RootFolder, any ObjectStore, prefix: String)
    case download(any ObjectStore, prefix: String, StagingFolder)
    case copy(from: any ObjectStore, prefix: String, bucket: String?, to: any ObjectStore, targetPrefix: String)
  }

  /// A complete file at whose path is something that will be deleted.
  private struct WaitingFile: Sendable {
    let transfer: SyncPlan.Transfer
    let file: FileLocation
    let modifiedSeconds: Int64?
  }

  private let route: Route
  private let state: StateFolder?
  private let largeSize: Int64
  private let deletes: Bool
  private let waiting = Lock<[WaitingFile]>([])

  init(_ route: Route, _ state: StateFolder?, _ options: SyncOptions) {
    self.route = route
    self.state = state
    largeSize = options.largeSize ?? Self.largeSize
    deletes = options.deletes
  }

  // MARK: Transfers

  /// Transfers a file or an object, or returns `false` if the complete file waits until its path is free.
  func move(_ transfer: SyncPlan.Transfer, progress: @escaping TransferProgress.Handler) async throws -> Bool {
    let entry = transfer.entry
    switch route {
    case .upload(let root, let store, let prefix):
      try await upload(entry, from: root, to: store, key: prefix + entry.path, progress)
    case .download(let store, let prefix, let staging):
      let (file, info) = try await download(prefix + entry.path, entry, from: store, to: staging, progress)
      let complete = WaitingFile(
        transfer: transfer, file: file, modifiedSeconds: info.lastModified?.unixSeconds ?? entry.modifiedSeconds)
      if transfer.isObstructed {
        waiting.withLock { $0.append(complete) }
        return false
      }
      do {
        try await putInPlace(complete, in: staging.root)
      } catch {
        try? await file.remove()
        throw error
      }
    case .copy(let from, let prefix, let bucket, let to, let targetPrefix):
      let (key, targetKey) = (prefix + entry.path, targetPrefix + entry.path)
      if let bucket, entry.size <= Self.singleCopyByteLimit, let to = to as? any BucketStore {
        try await to.copy(CopySource(bucket: bucket, key: key), to: targetKey, options: CopyOptions())
        progress(TransferProgress(completed: entry.size, total: entry.size))
      } else if try await !copyThroughFile(entry, from: (from, key), to: (to, targetKey), progress) {
        let object = try await from.open(key)
        try await to.upload(
          .stream(object.body, length: object.contentLength), to: targetKey, options: UploadOptions(of: object.info),
          progress: progress)
      }
    }
    return true
  }

  private func putInPlace(_ complete: WaitingFile, in root: RootFolder) async throws {
    try await root.put(
      complete.file, at: complete.transfer.entry.path, modifiedSeconds: complete.modifiedSeconds,
      replacesFolder: deletes)
  }

  /// Moves the files whose paths have become free to them, and returns those that could not be moved.
  func moveWaiting(didFinish: (SyncAction) -> Void) async -> [PipelineReport.Failure] {
    guard case .download(_, _, let staging) = route else { return [] }
    var failures: [PipelineReport.Failure] = []
    for complete in waiting.withLock({ $0 }) {
      do {
        try await putInPlace(complete, in: staging.root)
        didFinish(complete.transfer.action)
      } catch {
        failures.append(.init(name: complete.transfer.entry.path, error: error))
      }
    }
    return failures
  }

  /// Uploads a file in the state in which it was opened, and again if it was changed meanwhile.
  ///
  /// The object of a file that changes during its upload would be newer than the file, and of the same size possibly: no
  /// later synchronization would find the difference.
  private func upload(
    _ entry: SyncEntry, from root: RootFolder, to store: any ObjectStore, key: String,
    _ progress: @escaping TransferProgress.Handler
  ) async throws {
    for _ in 0..<Self.uploadAttempts {
      let file = FilePayload(try await root.open(entry.path))
      if file.length >= largeSize, let state, let identity = store.identity(of: key),
        let performer = store.performer as? any ResumingFileStore
      {
        try await state.run(file.path.absolute.string, identity) { item in
          try await performer.upload(
            file, to: key, checkpoint: item.upload, options: UploadOptions(), progress: progress)
        }
      } else {
        try await store.upload(.opened(file), to: key, options: UploadOptions(), progress: progress)
      }
      if try file.isUnchanged() { return }
    }
    throw StorageError(
      .sourceChanged, "\(entry.path) changes while it is uploaded.",
      remedy: "Upload it again when it no longer changes.")
  }

  /// Downloads an object into the staging folder, and returns its location and description.
  private func download(
    _ key: String, _ entry: SyncEntry, from store: any ObjectStore, to staging: StagingFolder,
    _ progress: @escaping TransferProgress.Handler
  ) async throws -> (FileLocation, ObjectInfo) {
    _ = try RootFolder.components(of: entry.path)
    if entry.size >= largeSize, let identity = store.identity(of: key),
      let performer = store.performer as? any ResumingFileStore
    {
      let locations = try staging.locations(of: identity)
      do {
        let info = try await performer.download(
          key, to: locations.file, checkpoint: StoredCheckpoint(locations.checkpoint), options: DownloadOptions(),
          progress: progress)
        return (locations.file, info)
      } catch let error as StorageError where error.code == .unsupported {
        // The service reports no strong entity tag, so that the download cannot be continued.
      }
    }
    let location = try staging.location()
    return (location, try await store.download(key, into: location, progress: progress))
  }

  /// Copies a large object through a file, so that another process can continue both halves of the copy, or returns
  /// `false` if that is impossible.
  ///
  /// The state of the download remains until the copy is complete, so that a file that is found is verified before it
  /// is uploaded.
  private func copyThroughFile(
    _ entry: SyncEntry, from source: (store: any ObjectStore, key: String),
    to target: (store: any ObjectStore, key: String), _ progress: @escaping TransferProgress.Handler
  ) async throws -> Bool {
    guard entry.size >= largeSize, let state, let sourceIdentity = source.store.identity(of: source.key),
      let targetIdentity = target.store.identity(of: target.key),
      let from = source.store.performer as? any ResumingFileStore,
      let to = target.store.performer as? any ResumingFileStore
    else { return false }
    do {
      try await state.run(sourceIdentity.text, targetIdentity) { item in
        let content = try item.content
        var lasting = try item.download
        lasting.isLasting = true
        let info = try await from.download(
          source.key, to: content, checkpoint: lasting, options: DownloadOptions(), progress: nil)
        let file = try await LocalFile.reading(content.name, in: content.folder)
        try await to.upload(
          FilePayload(file), to: target.key, checkpoint: item.upload, options: UploadOptions(of: info),
          progress: progress)
        try await content.remove()
        try await item.download.remove()
      }
    } catch let error as StorageError where error.code == .unsupported {
      return false
    }
    return true
  }

  // MARK: Deletions

  /// Deletes files or objects of the target, and returns the failed deletions.
  func delete(_ entries: [SyncEntry], didFinish: (SyncAction) -> Void) async throws -> [PipelineReport.Failure] {
    switch route {
    case .download(_, _, let staging):
      var failures: [PipelineReport.Failure] = []
      for entry in entries {
        try Task.checkCancellation()
        do {
          try await staging.root.delete(entry)
          didFinish(SyncAction(deleting: entry))
        } catch {
          failures.append(.init(name: entry.path, error: error))
        }
      }
      return failures
    case .upload(_, let store, let prefix), .copy(_, _, _, let store, let prefix):
      return try await deleteObjects(entries, from: store, prefix: prefix, didFinish)
    }
  }

  private func deleteObjects(
    _ entries: [SyncEntry], from store: any ObjectStore, prefix: String, _ didFinish: (SyncAction) -> Void
  ) async throws -> [PipelineReport.Failure] {
    var failures: [PipelineReport.Failure] = []
    var remaining = entries[...]
    while !remaining.isEmpty {
      let batch = remaining.prefix(DeletionReport.batchSize)
      remaining = remaining.dropFirst(batch.count)
      let report: DeletionReport
      do {
        report = try await store.delete(batch.map { prefix + $0.path })
      } catch {
        try Task.checkCancellation()
        failures += batch.map { .init(name: $0.path, error: error) }
        continue
      }
      let failuresByKey = Dictionary(report.failures.map { (ByteExactString($0.key), $0) }) { first, _ in first }
      for entry in batch {
        if let failure = failuresByKey[ByteExactString(prefix + entry.path)] {
          failures.append(
            .init(
              name: entry.path,
              error: StorageError(
                .unsupported, "The service did not delete \(failure.key): \(failure.code): \(failure.message)",
                remedy: "Check the permissions of the key.")))
        } else {
          didFinish(SyncAction(deleting: entry))
        }
      }
    }
    return failures
  }
}

extension ObjectStore {
  /// Downloads an object into an open folder, with any store.
  fileprivate func download(
    _ key: String, into location: FileLocation, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    if let store = performer as? any OpenFileStore {
      return try await store.download(key, to: location, options: DownloadOptions(), progress: progress)
    }
    return try await FileReplacement.write(location) { file in
      let object = try await open(key)
      let meter = ProgressMeter(total: object.contentLength, handler: progress)
      let written = try await file.write(object.body, at: 0, .crc64) { meter.advance(by: $1) }
      try checkByteCount(of: "the object \(key)", written.length, length: object.info.size)
      return object.info
    }
  }
}
