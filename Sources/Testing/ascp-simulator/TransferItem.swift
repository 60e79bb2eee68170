// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

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
  var isFolder: Bool { if case .folder = kind { true } else { false } }
}

/// The attributes by which files are selected and compared.
struct FileAttributes: Sendable, Equatable {
  let byteCount: Int64
  /// The modification time in seconds since 1970 (UTC).
  let modified: Int64
}

extension FileAttributes {
  init(_ document: JSONValue) {
    self.init(
      byteCount: Int64(max(document["bytes"]?.integer ?? 0, 0)), modified: Int64(document["modified"]?.integer ?? 0))
  }
}

/// A checksum of a file that is computed during its transfer (`--file-checksum`).
struct FileChecksum {
  enum Kind: String, Sendable {
    case sha512 = "sha-512"
    case sha384 = "sha-384"
    case sha256 = "sha-256"
    case sha1
    case md5
  }

  let kind: Kind
  private var hash: any HashFunction

  init(_ kind: Kind) {
    self.kind = kind
    hash =
      switch kind {
      case .sha512: SHA512()
      case .sha384: SHA384()
      case .sha256: SHA256()
      case .sha1: SHA1()
      case .md5: MD5()
      }
  }

  mutating func update(_ bytes: [UInt8]) { hash.update(bytes) }
  var hex: String { hash.finalize().hex }
}
