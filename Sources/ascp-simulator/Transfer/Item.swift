// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A file or a folder to transfer.
struct Item: Sendable {
  /// The type and the direction of an item.
  enum Kind: Sendable {
    case folderToSend
    case fileToSend
    case folderToReceive
    /// A file of the transfer desk, with the number that identifies it in requests.
    case fileToReceive(Int)
  }

  let kind: Kind
  let localPath: String
  let remotePath: String
  let standing: FileRules.Standing
  /// Whether the item is a source that the command line or a command names, and not an item below one.
  let isSource: Bool

  var byteCount: Int64 { standing.byteCount }
}
