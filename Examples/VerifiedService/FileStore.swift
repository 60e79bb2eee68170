// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// A store of files in memory, with limits on the files and bytes of each account.
actor FileStore {
  /// The maximum size of a file in bytes.
  static let fileByteLimit = 1 << 20
  private static let accountByteLimit = 16 << 20
  private static let accountFileLimit = 10_000

  /// The name of an account's file.
  ///
  /// The name consists of bytes, so that names with different Unicode encodings refer to different files.
  struct Name: Hashable {
    let account: [UInt8]
    let key: [UInt8]
  }

  private struct Account {
    var files: [[UInt8]: [UInt8]] = [:]
    var byteCount = 0
  }

  private var accounts: [[UInt8]: Account] = [:]

  /// Stores a file, and replaces an existing file with the same name.
  ///
  /// - Throws: An `HTTPError` with status 413 if the account has no space for the file.
  func write(_ bytes: [UInt8], to name: Name) throws {
    var account = accounts.removeValue(forKey: name.account) ?? Account()
    defer { accounts[name.account] = account }
    let byteCount = account.byteCount - (account.files[name.key]?.count ?? 0) + bytes.count
    let fileCount = account.files.count + (account.files[name.key] == nil ? 1 : 0)
    guard byteCount <= Self.accountByteLimit, fileCount <= Self.accountFileLimit else {
      throw HTTPError(.contentTooLarge, message: "The account is full. Delete a file first.")
    }
    account.files[name.key] = bytes
    account.byteCount = byteCount
  }

  /// Returns the size of a file in bytes, or `nil` if the file does not exist.
  func byteCount(of name: Name) -> Int? {
    accounts[name.account]?.files[name.key]?.count
  }

  /// Removes a file if the file exists.
  func delete(_ name: Name) {
    guard let removed = accounts[name.account]?.files.removeValue(forKey: name.key) else { return }
    accounts[name.account]?.byteCount -= removed.count
  }
}
