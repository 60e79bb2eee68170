// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A file, folder or symbolic link to transfer, with its paths on this machine and on the transfer server.
struct TransferItem: Sendable {
  enum Kind: Sendable {
    case folder
    case fileToSend
    /// A file on the transfer server with the number that identifies the file in requests.
    case fileToReceive(Int)
    /// A symbolic link that is transferred as a link, with the path that it contains.
    case link(String)
  }

  let kind: Kind
  let localPath: String
  let remotePath: String
  let attributes: FileAttributes
  /// The path from the root of the transfer set, which filters match and which an archive folder preserves.
  let name: String
  /// Whether the command line or a command specifies the item itself, and not only a folder that contains the item.
  let isSource: Bool

  var byteCount: Int64 { attributes.byteCount }

  var isFolder: Bool {
    if case .folder = kind { true } else { false }
  }
}
