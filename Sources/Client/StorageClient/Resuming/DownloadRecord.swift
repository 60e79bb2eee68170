// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The record of the ranges that concurrent requests write to an incomplete file, which saves the checkpoint.
///
/// A request waits while the checkpoint is being saved. The number of written bytes that no checkpoint contains is
/// therefore bounded.
actor DownloadRecord {
  /// The number of ranges of equal size that an object is divided into, at least.
  private static let divisions: Int64 = 128

  private let base: DownloadCheckpoint
  private let storage: any CheckpointStorage<DownloadCheckpoint>
  private let interval: Int64
  /// The complete ranges in order, in which adjacent ranges are joined.
  private var complete: [WrittenRange]
  /// The ranges that requests are writing, by their offsets.
  private var growing: [Int64: WrittenRange] = [:]
  private var unsaved: Int64 = 0
  private var saving: Task<Void, any Error>?

  typealias WrittenRange = DownloadCheckpoint.WrittenRange

  /// Creates the record of a download.
  ///
  /// - Parameters:
  ///   - checkpoint: The state of the download.
  ///   - storage: The place where the checkpoint is saved.
  ///   - interval: The number of written bytes after which the checkpoint is saved.
  init(
    _ checkpoint: DownloadCheckpoint, _ storage: any CheckpointStorage<DownloadCheckpoint>,
    savesAfter interval: Int64
  ) {
    base = checkpoint
    self.storage = storage
    self.interval = interval
    complete = checkpoint.ranges
  }

  /// The state of the download.
  var checkpoint: DownloadCheckpoint {
    var checkpoint = base
    checkpoint.ranges = (complete + growing.values).sorted { $0.offset < $1.offset }
    return checkpoint
  }

  /// Enters the range that a request has written so far, and saves the checkpoint if it is due.
  ///
  /// - Parameters:
  ///   - range: The range from the start of the request's range.
  ///   - count: The number of bytes that were written since the previous call.
  func enter(_ range: WrittenRange, adding count: Int64) async throws {
    growing[range.offset] = range
    unsaved = unsaved.saturatingAdding(count)
    while let saving { try await saving.value }
    guard unsaved >= interval else { return }
    try await save()
  }

  /// Enters the whole range of a request.
  ///
  /// It is joined with an adjacent range unless both exceed a fraction of the object's size, so that damage to the
  /// incomplete file, such as by a loss of power, costs no more than that fraction.
  func complete(_ range: WrittenRange) {
    growing[range.offset] = nil
    let index = complete.firstIndex { $0.offset > range.offset } ?? complete.endIndex
    complete.insert(range, at: index)
    join(at: index)
    join(at: index - 1)
  }

  /// Joins the complete range at an index with the next one if they are adjacent and small.
  private func join(at index: Int) {
    guard index >= 0, index + 1 < complete.count, complete[index].end == complete[index + 1].offset else { return }
    let joined = complete[index].followed(by: complete[index + 1])
    guard joined.length <= base.size / Self.divisions else { return }
    complete[index] = joined
    complete.remove(at: index + 1)
  }

  /// Saves the checkpoint, after a checkpoint that is being saved.
  func save() async throws {
    while let saving { try await saving.value }
    unsaved = 0
    let task = Task { [storage, checkpoint] in
      defer { saving = nil }
      try await storage.save(checkpoint)
    }
    saving = task
    try await task.value
  }
}
