// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization

/// A set of strings that are remembered until they expire.
///
/// The number of strings is limited; the strings that expire first are removed first.
final class ExpiringSet: Sendable {
  private let capacity: Int
  private let ends = Mutex<[[UInt8]: Timestamp]>([:])

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Inserts a string, or returns `false` if the set already contains it.
  func insert(_ text: String, until end: Timestamp, at date: Timestamp) -> Bool {
    let text = Array(text.utf8)
    return ends.withLock { ends in
      if let known = ends[text], known > date { return false }
      if ends.count >= capacity {
        ends = ends.filter { $0.value > date }
        if ends.count >= capacity {
          let rest = ends.sorted { $0.value > $1.value }.prefix(capacity / 2)
          ends = Dictionary(rest.map { ($0.key, $0.value) }) { first, _ in first }
        }
      }
      ends[text] = end
      return true
    }
  }

  /// Returns whether the set contains a string that hasn't expired.
  func contains(_ text: String, at date: Timestamp) -> Bool {
    ends.withLock { $0[Array(text.utf8)].map { $0 > date } ?? false }
  }
}
