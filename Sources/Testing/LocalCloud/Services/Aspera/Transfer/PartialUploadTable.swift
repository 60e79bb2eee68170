// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization

/// The received parts of uploads that were interrupted and that a later session may resume.
///
/// Their number is limited; the oldest part is discarded first.
final class PartialUploadTable: Sendable {
  private static let capacity = 256

  private struct Key: Hashable {
    let path: [UInt8]
    let byteCount: Int64
    let modified: Timestamp

    init?(_ upload: TransferConnection.Upload) {
      guard upload.isResumable, let modified = upload.modified else { return nil }
      path = Array(upload.path.text.utf8)
      byteCount = upload.byteCount
      self.modified = modified
    }
  }

  private struct State {
    var parts: [Key: [Extent]] = [:]
    var order: [Key] = []
  }

  private let state = Mutex(State())

  /// Keeps the bytes of a resumable upload that have arrived so far.
  func keep(_ extents: [Extent], of upload: TransferConnection.Upload) {
    guard let key = Key(upload) else { return }
    state.withLock { state in
      if state.parts.updateValue(extents, forKey: key) == nil { state.order.append(key) }
      if state.order.count > Self.capacity { state.parts[state.order.removeFirst()] = nil }
    }
  }

  /// Removes and returns the bytes that arrived of an upload; empty if the upload is not resumable.
  func take(_ upload: TransferConnection.Upload) -> [Extent] {
    guard let key = Key(upload) else { return [] }
    return state.withLock { state in
      state.order.removeAll { $0 == key }
      return state.parts.removeValue(forKey: key) ?? []
    }
  }
}
