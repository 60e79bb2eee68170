// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The entries of one folder, collected from several responses, up to a limit.
struct EntryList {
  /// The maximum number of files that are listed from one folder, because they are sorted in memory.
  private static let mostEntries = 1_000_000

  private(set) var entries: [NodeEntry] = []
  private let location: String

  init(_ location: String) {
    self.location = location
  }

  /// Appends the entries of a response, or throws an error if the folder has too many entries.
  mutating func append(_ more: [NodeEntry]) throws(StorageError) {
    entries += more
    guard entries.count <= Self.mostEntries else {
      throw StorageError(
        .tooLarge, "\(location) has more than \(Self.mostEntries) files.",
        remedy: "List folders with fewer files in them.")
    }
  }
}
