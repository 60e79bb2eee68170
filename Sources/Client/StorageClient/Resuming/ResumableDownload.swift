// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A download into a file whose state is saved, so that another process can continue it.
struct ResumableDownload<Provider: BucketProvider>: Sendable {
  let bucket: BucketClient<Provider>
  let key: String
  let destination: FileLocation
  let options: DownloadOptions
  let storage: any CheckpointStorage<DownloadCheckpoint>
  let ledger: TransferLedger

  private typealias WrittenRange = DownloadCheckpoint.WrittenRange

  /// Downloads the missing ranges of the object, and moves the file to its destination.
  ///
  /// After an error the incomplete file remains, unless its checksum differs from the object's checksum.
  func complete() async throws -> ObjectInfo {
    guard options.range == nil, options.parameters.isEmpty else {
      throw StorageError(
        .invalidOption, "A range, or an object that the service processes, cannot be downloaded with a checkpoint.",
        remedy: "Leave the option out, or download without a checkpoint.")
    }
    let info = try await requestInfo()
    guard let size = info.size, info.versionID != nil || info.hasStrongTag else {
      throw StorageError(
        .unsupported, "\(location) has no size and no strong entity tag, so that a change would not be noticed.",
        remedy: "Download it without a checkpoint.")
    }
    let algorithm = info.checksum?.algorithm ?? bucket.provider.conventions.algorithm
    guard let (file, checkpoint) = try await fileToContinue(info, algorithm) else {
      // An earlier process moved the complete file to its destination.
      try await storage.remove()
      return info
    }
    let writtenCount = checkpoint.ranges.reduce(Int64(0)) { $0.saturatingAdding($1.length) }
    let meter = ledger.meter(total: size, from: writtenCount)
    // A killed process loses at most a quarter of a part, and saving more often would cost too much.
    let record = DownloadRecord(checkpoint, storage, savesAfter: max(1, bucket.configuration.partSize / 4))
    do {
      try await download(checkpoint.missingRanges, of: info, algorithm, to: file, record, meter)
      try await finish(file, info, await record.checkpoint, algorithm)
    } catch let error as StorageError where error.code == .checksumMismatch {
      try await file.discard()
      try await storage.remove()
      throw error
    } catch {
      try? await record.save()
      throw error
    }
    return info
  }

  private var location: String { bucket.sender.location(ofKey: key) }

  /// Requests the description of the object, if necessary with a `GET` for one byte, whose error response has a body.
  private func requestInfo() async throws -> ObjectInfo {
    if let info = try await bucket.infoIfPermitted(key, options: options) { return info }
    var options = options
    options.range = ByteRange(0..<1)
    return try await bucket.fetch(key, options: options).info
  }

  /// Returns the incomplete file to continue and its state, or `nil` if the destination has the complete file.
  ///
  /// If the object has changed, the incomplete file is removed. Damaged ranges of the file are discarded.
  private func fileToContinue(
    _ info: ObjectInfo, _ algorithm: ObjectChecksum.Algorithm
  ) async throws -> (FileReplacement, DownloadCheckpoint)? {
    guard var checkpoint = try await storage.load() else { return try await newFile(info) }
    try bucket.sender.requireIdentity(checkpoint.identity, of: key, savedAs: checkpoint.location)
    // A checkpoint that was tampered with must not lead to another file of the folder.
    guard let name = destination.temporaryName(parsing: checkpoint.partialFile) else { return try await newFile(info) }
    let file = try await FileReplacement(resuming: name, of: destination)
    guard checkpoint.matches(info, algorithm) else {
      try await file?.discard()
      return try await newFile(info)
    }
    if let file {
      checkpoint.ranges = try await intactRanges(of: checkpoint.ranges, in: file.incompleteFile)
      return (file, checkpoint)
    }
    if checkpoint.missingRanges.isEmpty, try await destination.permissions() != nil {
      let completeFile = try await LocalFile.reading(destination.name, in: destination.folder, followsLink: true)
      let ranges = try await intactRanges(of: checkpoint.ranges, in: completeFile)
      if completeFile.status.size == checkpoint.size, ranges.count == checkpoint.ranges.count { return nil }
    }
    return try await newFile(info)
  }

  /// Creates an incomplete file, after its checkpoint, so that no process can leave a file without a checkpoint.
  private func newFile(_ info: ObjectInfo) async throws -> (FileReplacement, DownloadCheckpoint) {
    let name = destination.temporaryName()
    let checkpoint = DownloadCheckpoint(
      location: location, identity: bucket.sender.objectIdentity(of: key), size: info.size ?? 0, etag: info.etag,
      versionID: info.versionID, partialFile: name.string)
    try await storage.save(checkpoint)
    let file = try await FileReplacement(name, of: destination)
    // Without the lock, another process could also continue the download and write to the file.
    try await file.incompleteFile.lock()
    return (file, checkpoint)
  }

  /// Returns the ranges whose bytes in the file are as they were written.
  private func intactRanges(of ranges: [WrittenRange], in file: LocalFile) async throws -> [WrittenRange] {
    var intact: [WrittenRange] = []
    for range in ranges where try await file.isIntact(range) { intact.append(range) }
    return intact
  }

  /// Downloads the missing ranges, in parts within the concurrency limit.
  private func download(
    _ missingRanges: [Range<Int64>], of info: ObjectInfo, _ algorithm: ObjectChecksum.Algorithm,
    to file: FileReplacement, _ record: DownloadRecord, _ meter: ProgressMeter
  ) async throws {
    let sizes = try PartSizes(length: info.size, preferred: bucket.configuration.partSize)
    let ranges = missingRanges.flatMap { sizes.ranges(of: $0.upperBound, from: $0.lowerBound) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, range) in ranges.enumerated() {
        if index >= bucket.configuration.partsInFlight { try await group.next() }
        group.addTask {
          let object = try await bucket.fetch(range, of: info, options)
          let written = try await file.write(object.body, at: range.lowerBound, algorithm) { written, count in
            meter.advance(by: count)
            try await record.update(written, adding: count)
          }
          await record.complete(written)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Compares the checksum of the file with the object's checksum, and moves the file to its destination.
  private func finish(
    _ file: FileReplacement, _ info: ObjectInfo, _ checkpoint: DownloadCheckpoint, _ algorithm: ObjectChecksum.Algorithm
  ) async throws {
    guard checkpoint.missingRanges.isEmpty else {
      throw StorageError(.truncated, "\(location) is incomplete.", remedy: "Download it again.")
    }
    try checkpoint.ranges.requireChecksum(of: info, algorithm)
    try await storage.save(checkpoint)
    try await file.finish(synchronizes: true)
    try await storage.remove()
  }
}

/// The record of the ranges that concurrent requests write to an incomplete file, which saves the checkpoint.
///
/// Requests wait while the checkpoint is being saved, so the number of unsaved bytes is limited.
actor DownloadRecord {
  /// The minimum number of ranges that a checkpoint of a complete file contains, unless the object has fewer parts.
  private static let rangesPerObject: Int64 = 128

  private let base: DownloadCheckpoint
  private let storage: any CheckpointStorage<DownloadCheckpoint>
  /// The number of written bytes after which the checkpoint is saved.
  private let interval: Int64
  /// The complete ranges in order, in which small adjacent ranges are joined.
  private var completeRanges: [WrittenRange]
  private var unfinishedRanges: [Int64: WrittenRange] = [:]
  private var unsavedByteCount: Int64 = 0
  private var savingTask: Task<Void, any Error>?

  typealias WrittenRange = DownloadCheckpoint.WrittenRange

  init(
    _ checkpoint: DownloadCheckpoint, _ storage: any CheckpointStorage<DownloadCheckpoint>, savesAfter interval: Int64
  ) {
    base = checkpoint
    self.storage = storage
    self.interval = interval
    completeRanges = checkpoint.ranges
  }

  var checkpoint: DownloadCheckpoint {
    var checkpoint = base
    checkpoint.ranges = (completeRanges + unfinishedRanges.values).sorted { $0.offset < $1.offset }
    return checkpoint
  }

  /// Records the range that a request has written so far, `count` more than before, and saves the checkpoint if due.
  func update(_ range: WrittenRange, adding count: Int64) async throws {
    unfinishedRanges[range.offset] = range
    unsavedByteCount = unsavedByteCount.saturatingAdding(count)
    while let savingTask { try await savingTask.value }
    guard unsavedByteCount >= interval else { return }
    try await save()
  }

  /// Records the whole range of a request, and joins it with adjacent ranges.
  ///
  /// Joined ranges are limited, because damage to the incomplete file, such as by a loss of power, costs whole ranges.
  func complete(_ range: WrittenRange) {
    unfinishedRanges[range.offset] = nil
    let index = completeRanges.firstIndex { $0.offset > range.offset } ?? completeRanges.endIndex
    completeRanges.insert(range, at: index)
    joinWithNextRange(at: index)
    joinWithNextRange(at: index - 1)
  }

  private func joinWithNextRange(at index: Int) {
    guard index >= 0, index + 1 < completeRanges.count,
      completeRanges[index].end == completeRanges[index + 1].offset
    else { return }
    let joined = completeRanges[index].followed(by: completeRanges[index + 1])
    guard joined.length <= base.size / Self.rangesPerObject else { return }
    completeRanges[index] = joined
    completeRanges.remove(at: index + 1)
  }

  /// Saves the checkpoint after a save that has begun, because only one call at a time may save.
  func save() async throws {
    while let savingTask { try await savingTask.value }
    unsavedByteCount = 0
    let task = Task { [storage, checkpoint] in
      defer { savingTask = nil }
      try await storage.save(checkpoint)
    }
    savingTask = task
    try await task.value
  }
}
