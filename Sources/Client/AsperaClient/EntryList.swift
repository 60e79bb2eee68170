// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageClient

/// The entries of one folder, collected from several responses, up to a limit, each name once.
struct EntryList {
  /// The maximum number of files that are listed from one folder, because they are sorted in memory.
  private static let mostEntries = 1_000_000

  private(set) var entries: [NodeEntry] = []
  private var names: Set<ByteExactString> = []
  private let location: String

  init(_ location: String) {
    self.location = location
  }

  /// Appends the entries of a response.
  ///
  /// - Throws: `StorageError` if the folder has too many entries, or if the node returned an entry before: it sends
  ///   the same positions again, or the folder was changed meanwhile.
  mutating func append(_ more: [NodeEntry]) throws(StorageError) {
    for entry in more where !names.insert(ByteExactString(entry.name)).inserted {
      throw .malformedResponse(
        "the entry \"\(entry.name)\" of \(location) occurs twice, because the node repeats positions or the folder was "
          + "changed meanwhile")
    }
    entries += more
    guard entries.count <= Self.mostEntries else {
      throw StorageError(
        .tooLarge, "\(location) has more than \(Self.mostEntries) files.",
        remedy: "List folders with fewer files in them.")
    }
  }
}
