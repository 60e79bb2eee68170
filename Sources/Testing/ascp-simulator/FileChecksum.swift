// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageCrypto

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
