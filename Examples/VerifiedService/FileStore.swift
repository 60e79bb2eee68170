import Hummingbird
import Synchronization

/// Files in memory; what an account can take up is counted per account.
final class FileStore: Sendable {
  /// The longest file.
  static let fileByteLimit = 1 << 20
  private static let accountByteLimit = 16 << 20
  private static let accountFileLimit = 10_000

  /// A file of an account; names are bytes, so that two spellings are two files.
  struct Name: Hashable {
    let account: [UInt8]
    let key: [UInt8]
  }

  private struct Account {
    var files: [[UInt8]: [UInt8]] = [:]
    var byteCount = 0
  }

  private let accounts = Mutex<[[UInt8]: Account]>([:])

  /// Stores a file in place of the one that was there.
  ///
  /// - Throws: 413 if the account has no room for it.
  func write(_ bytes: [UInt8], to name: Name) throws {
    try accounts.withLock { accounts in
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
  }

  /// Returns the length of a file, or `nil` if there is none.
  func byteCount(of name: Name) -> Int? {
    accounts.withLock { $0[name.account]?.files[name.key]?.count }
  }

  /// Removes a file, if there is one.
  func delete(_ name: Name) {
    accounts.withLock { accounts in
      guard let removed = accounts[name.account]?.files.removeValue(forKey: name.key) else { return }
      accounts[name.account]?.byteCount -= removed.count
    }
  }
}
