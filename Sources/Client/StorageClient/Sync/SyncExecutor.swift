// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The part of a synchronization that changes the target: the transfers and the deletions of a plan.
final class SyncExecutor: Sendable {
  /// The default size in bytes from which the state of a transfer is kept; equal to the default `multipartThreshold`.
  private static let defaultLargeSize: Int64 = 16 << 20

  /// The size in bytes up to which every service copies an object with one request; OSS has the lowest limit.
  ///
  /// Source: Alibaba Cloud, "CopyObject", <https://www.alibabacloud.com/help/en/oss/developer-reference/copyobject>.
  private static let singleCopyByteLimit: Int64 = 1 << 30

  /// The maximum number of transfers of a file or an object that changes during its transfer.
  private static let attemptLimit = 3

  /// The way of the bytes from the source to the target.
  enum Route: Sendable {
    case upload(from: RootFolder, to: StoreObjects)
    case download(from: StoreObjects, to: StagingFolder)
    case copy(from: StoreObjects, to: StoreObjects)
  }

  enum TransferOutcome: Sendable {
    /// The file or object is at its path.
    case placed
    /// The complete file is in the staging folder until its path is free.
    case obstructed
  }

  private struct StagedFile: Sendable {
    let transfer: SyncPlan.Transfer
    let location: FileLocation
    let modifiedSeconds: Int64?
  }

  private let route: Route
  private let stateFolder: StateFolder?
  private let largeSize: Int64
  private let deletes: Bool
  private let unpairedFiles: Set<FileIdentity>
  private let obstructedFiles = Lock<[StagedFile]>([])

  init(_ route: Route, _ stateFolder: StateFolder?, _ options: SyncOptions, unpairedFiles: Set<FileIdentity>) {
    self.route = route
    self.stateFolder = stateFolder
    largeSize = options.largeSize ?? Self.defaultLargeSize
    deletes = options.deletes
    self.unpairedFiles = unpairedFiles
  }

  /// Carries out a transfer of the plan, until its file or object is at its path or waits for deletions.
  func carryOut(
    _ transfer: SyncPlan.Transfer, progress: @escaping TransferProgress.Handler
  ) async throws -> TransferOutcome {
    let entry = transfer.entry
    switch route {
    case .upload(let root, let target):
      try await upload(entry, from: root, to: target.object(at: entry.path), progress)
    case .download(let source, let staging):
      let file = try await stage(transfer, from: source.object(at: entry.path), in: staging, progress)
      if transfer.isObstructed {
        obstructedFiles.withLock { $0.append(file) }
        return .obstructed
      }
      do { try await place(file, in: staging.root) } catch {
        // The file is removed at once, because many files that cannot be placed could fill the disk.
        try? await file.location.remove()
        throw error
      }
    case .copy(let source, let target):
      try await copy(
        entry, from: source.object(at: entry.path), in: source.bucket, to: target.object(at: entry.path), progress)
    }
    return .placed
  }

  private func place(_ file: StagedFile, in root: RootFolder) async throws {
    let transfer = file.transfer
    // A file system can find a file that it lists under a name in another letter case or Unicode normalization form.
    try await root.moveFile(
      file.location, to: transfer.entry.path, replacing: transfer.replaced?.identity.map { [$0] } ?? unpairedFiles,
      modifiedSeconds: file.modifiedSeconds, replacesFolder: deletes)
  }

  /// Moves the obstructed files to their paths after the deletions, and returns the failures.
  func placeObstructedFiles(didFinish: (SyncAction) -> Void) async -> [PipelineReport.Failure] {
    guard case .download(_, let staging) = route else { return [] }
    var failures: [PipelineReport.Failure] = []
    for file in obstructedFiles.withLock({ $0 }) {
      do {
        try await place(file, in: staging.root)
        didFinish(file.transfer.action)
      } catch { failures.append(.init(name: file.transfer.entry.path, error: error)) }
    }
    return failures
  }

  /// Returns the identity and the store with which a later process can continue the transfer of a large object.
  private func resumable(
    _ object: ObjectInStore, size: Int64
  ) -> (identity: ObjectIdentity, store: any ResumingFileStore)? {
    guard size >= largeSize, let identity = object.store.identity(of: object.key),
      let store = object.store.underlyingStore as? any ResumingFileStore
    else { return nil }
    return (identity, store)
  }

  /// Uploads a file, and uploads it again if it was changed or replaced meanwhile.
  ///
  /// Otherwise an outdated object could be newer than the file and of the same size, and would count as equal later. A
  /// file that changes while it is read is not stored at all, because the next attempt can fail.
  private func upload(
    _ entry: SyncEntry, from root: RootFolder, to target: ObjectInStore, _ progress: @escaping TransferProgress.Handler
  ) async throws {
    for _ in 0..<Self.attemptLimit {
      let file = FilePayload(try await root.open(entry.path), refusesChanges: true)
      do {
        if let stateFolder, let resumable = resumable(target, size: file.length) {
          try await stateFolder.withLockedState(of: file.path.absolute.string, resumable.identity) { savedState in
            try await resumable.store.upload(
              file, to: target.key, checkpoint: savedState.upload, options: UploadOptions(), progress: progress)
          }
        } else {
          try await target.store.upload(.opened(file), to: target.key, options: UploadOptions(), progress: progress)
        }
      } catch let error as StorageError where error.code == .sourceChanged { continue }
      if try await root.hasNoOther(file.status, at: entry.path) { return }
    }
    throw StorageError.sourceChanged(entry.path, during: "upload")
  }

  /// Downloads an object into the staging folder, and continues an earlier download if that is possible.
  private func stage(
    _ transfer: SyncPlan.Transfer, from source: ObjectInStore, in staging: StagingFolder,
    _ progress: @escaping TransferProgress.Handler
  ) async throws -> StagedFile {
    let entry = transfer.entry
    // A key that cannot be a path must cause an error before the object is downloaded.
    _ = try RootFolder.components(of: entry.path)
    func staged(_ location: FileLocation, _ info: ObjectInfo) -> StagedFile {
      let modifiedSeconds = info.lastModified?.unixSeconds ?? entry.modifiedSeconds
      return StagedFile(transfer: transfer, location: location, modifiedSeconds: modifiedSeconds)
    }
    if let resumable = resumable(source, size: entry.size) {
      let locations = try staging.locations(of: resumable.identity)
      do {
        let info = try await resumable.store.download(
          source.key, to: locations.file, checkpoint: StoredCheckpoint(locations.checkpoint),
          options: DownloadOptions(), progress: progress)
        return staged(locations.file, info)
      } catch let error as StorageError where error.code == .unsupported {
        // The service reports no strong entity tag, so the download cannot be continued.
      }
    }
    let location = try staging.newLocation()
    return staged(location, try await source.store.download(source.key, into: location, progress: progress))
  }

  /// Copies an object inside the service if `bucket` is that of the source, or else through this machine.
  ///
  /// Through this machine, an object that was replaced meanwhile is copied again, as with an upload; the service itself
  /// copies an object in one step.
  private func copy(
    _ entry: SyncEntry, from source: ObjectInStore, in bucket: String?, to target: ObjectInStore,
    _ progress: @escaping TransferProgress.Handler
  ) async throws {
    if let bucket, entry.size <= Self.singleCopyByteLimit, let bucketStore = target.store as? any BucketStore {
      try await bucketStore.copy(CopySource(bucket: bucket, key: source.key), to: target.key, options: CopyOptions())
      progress(TransferProgress(completed: entry.size, total: entry.size))
      return
    }
    for _ in 0..<Self.attemptLimit {
      let info = try await copyOnce(entry, from: source, to: target, progress)
      do {
        if try await source.store.head(source.key).mayDescribeSameObject(as: info) { return }
      } catch {
        // The copy is complete; some permissions do not include HEAD, and the next synchronization finds a deletion.
        try Task.checkCancellation()
        return
      }
    }
    throw StorageError.sourceChanged(entry.path, during: "copy")
  }

  /// Copies an object through a file or through memory, and returns the description of what was read.
  private func copyOnce(
    _ entry: SyncEntry, from source: ObjectInStore, to target: ObjectInStore,
    _ progress: @escaping TransferProgress.Handler
  ) async throws -> ObjectInfo {
    if let info = try await copyThroughFile(entry, from: source, to: target, progress) { return info }
    // Both stores can belong to one client, whose uploads must not wait for the ends of the downloads that they read.
    let object = try await RequestGate.$endsAtHead.withValue(true) { try await source.store.open(source.key) }
    try await target.store.upload(
      .stream(object.body, length: object.contentLength), to: target.key, options: UploadOptions(of: object.info),
      progress: progress)
    return object.info
  }

  /// Copies a large object through a file, so that another process can continue, or returns `nil` if none could.
  ///
  /// The checkpoint of the download remains until the copy is complete, so that another process can verify the file.
  private func copyThroughFile(
    _ entry: SyncEntry, from source: ObjectInStore, to target: ObjectInStore,
    _ progress: @escaping TransferProgress.Handler
  ) async throws -> ObjectInfo? {
    guard let stateFolder, let resumableSource = resumable(source, size: entry.size),
      let resumableTarget = resumable(target, size: entry.size)
    else { return nil }
    var copiedInfo: ObjectInfo?
    do {
      try await stateFolder.withLockedState(of: resumableSource.identity.text, resumableTarget.identity) { savedState in
        let content = try savedState.content
        var lastingCheckpoint = try savedState.download
        lastingCheckpoint.isLasting = true
        let info = try await resumableSource.store.download(
          source.key, to: content, checkpoint: lastingCheckpoint, options: DownloadOptions(), progress: nil)
        let file = try await LocalFile.reading(content.name, in: content.folder)
        try await resumableTarget.store.upload(
          FilePayload(file), to: target.key, checkpoint: savedState.upload, options: UploadOptions(of: info),
          progress: progress)
        try await content.remove()
        try await savedState.download.remove()
        copiedInfo = info
      }
    } catch let error as StorageError where error.code == .unsupported {
      // One of the services cannot continue its transfer.
    }
    return copiedInfo
  }

  /// Deletes entries of the target, and returns the failures.
  func delete(_ entries: [SyncEntry], didFinish: (SyncAction) -> Void) async throws -> [PipelineReport.Failure] {
    var failures: [PipelineReport.Failure] = []
    switch route {
    case .download(_, let staging):
      for entry in entries {
        try Task.checkCancellation()
        do {
          try await staging.root.delete(entry)
          didFinish(SyncAction(deleting: entry))
        } catch { failures.append(.init(name: entry.path, error: error)) }
      }
    case .upload(_, let target), .copy(_, let target):
      for start in stride(from: 0, to: entries.count, by: DeletionReport.batchSize) {
        failures += try await deleteBatch(entries[start...].prefix(DeletionReport.batchSize), of: target, didFinish)
      }
    }
    return failures
  }

  private func deleteBatch(
    _ batch: ArraySlice<SyncEntry>, of target: StoreObjects, _ didFinish: (SyncAction) -> Void
  ) async throws -> [PipelineReport.Failure] {
    let report: DeletionReport
    do { report = try await target.store.delete(batch.map { target.prefix + $0.path }) } catch {
      try Task.checkCancellation()
      return batch.map { .init(name: $0.path, error: error) }
    }
    let failuresByKey = Dictionary(report.failures.map { (ByteExactString($0.key), $0) }) { first, _ in first }
    var failures: [PipelineReport.Failure] = []
    for entry in batch {
      guard let failure = failuresByKey[ByteExactString(target.prefix + entry.path)] else {
        didFinish(SyncAction(deleting: entry))
        continue
      }
      let error = StorageError(
        .unsupported, "The service did not delete \(failure.key): \(failure.code): \(failure.message)",
        remedy: "Check the permissions of the key.")
      failures.append(.init(name: entry.path, error: error))
    }
    return failures
  }
}

extension ObjectInfo {
  /// Returns whether no property that both descriptions have differs.
  fileprivate func mayDescribeSameObject(as other: ObjectInfo) -> Bool {
    func agree<Value: Equatable>(_ property: KeyPath<ObjectInfo, Value?>) -> Bool {
      guard let value = self[keyPath: property], let other = other[keyPath: property] else { return true }
      return value == other
    }
    return agree(\.etag) && agree(\.versionID) && agree(\.size) && agree(\.lastModified)
  }
}

extension ObjectStore {
  /// Downloads an object into an open folder, even if the store itself only writes to paths.
  fileprivate func download(
    _ key: String, into location: FileLocation, progress: TransferProgress.Handler?
  ) async throws -> ObjectInfo {
    if let store = underlyingStore as? any OpenFileStore {
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
