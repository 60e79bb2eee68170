// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The open connections to the simulated transfer server, of which the oldest is discarded if there are too many.
final class ConnectionTable: Sendable {
  private let connections = Lock(LimitedTable<String, TransferConnection>(capacity: 4096))

  /// Adds a connection, and returns its ID, which is hard to guess.
  func add(_ connection: TransferConnection) -> String {
    let id = BlobID.random().description
    connections.withLock { $0[id] = connection }
    return id
  }

  subscript(id: String) -> TransferConnection? { connections.withLock { $0[id] } }

  func remove(_ id: String) { connections.withLock { $0[id] = nil } }
}

/// The received parts of interrupted uploads that a later session may resume, of which the oldest goes first.
final class PartialUploadTable: Sendable {
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

  private let parts = Lock(LimitedTable<Key, [Extent]>(capacity: 256))

  /// Keeps the bytes of a resumable upload that have arrived so far.
  func keep(_ extents: [Extent], of upload: TransferConnection.Upload) {
    guard let key = Key(upload) else { return }
    parts.withLock { $0[key] = extents }
  }

  /// Removes and returns the bytes that arrived of an upload; empty if the upload is not resumable.
  func take(_ upload: TransferConnection.Upload) -> [Extent] {
    guard let key = Key(upload) else { return [] }
    return parts.withLock { parts in
      defer { parts[key] = nil }
      return parts[key] ?? []
    }
  }
}

/// A dictionary of limited size, which loses its oldest entry if there are too many.
private struct LimitedTable<Key: Hashable, Value> {
  let capacity: Int
  private var values: [Key: Value] = [:]
  private var order: [Key] = []

  init(capacity: Int) { self.capacity = capacity }

  subscript(key: Key) -> Value? {
    get { values[key] }
    set {
      if newValue == nil {
        order.removeAll { $0 == key }
      } else if values[key] == nil {
        order.append(key)
      }
      values[key] = newValue
      if order.count > capacity { values[order.removeFirst()] = nil }
    }
  }
}
