// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A file or folder to transfer, with its paths on this machine and on the transfer desk.
struct Item: Sendable {
  /// The type of an item, and the direction in which it is transferred.
  enum Kind: Sendable {
    case folderToSend
    case fileToSend
    case folderToReceive
    /// A file on the transfer desk with the number that identifies the file in requests.
    case fileToReceive(Int)
  }

  let kind: Kind
  let localPath: String
  let remotePath: String
  let standing: FileRules.Standing
  /// The path from the root of the transfer set, which filters match and which an archive folder preserves.
  let name: String
  /// Whether the command line or a command specifies the item itself, and not only a folder that contains the item.
  let isSource: Bool

  var byteCount: Int64 { standing.byteCount }

  var isFolder: Bool {
    switch kind {
    case .folderToSend, .folderToReceive: true
    case .fileToSend, .fileToReceive: false
    }
  }

  private var isSent: Bool {
    switch kind {
    case .folderToSend, .fileToSend: true
    case .folderToReceive, .fileToReceive: false
    }
  }

  /// The path of the item on the side that sends it.
  var sourcePath: String { isSent ? localPath : remotePath }

  /// The path of the item on the side that receives it.
  var destinationPath: String { isSent ? remotePath : localPath }
}
