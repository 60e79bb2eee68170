// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import Synchronization

/// The access tokens that one simulated application issued.
final class AccessTokenTable: Sendable {
  /// The user and the rights that an access token stands for.
  struct Entry: Sendable {
    let user: LocalCloud.OAuthUser
    let scope: String?
    let end: Timestamp
  }

  private static let capacity = 20_000

  private let entries = Mutex<[[UInt8]: Entry]>([:])

  /// Adds an access token to the table; the tokens that expire first are removed if the table is full.
  func add(_ token: String, _ entry: Entry, at date: Timestamp) {
    entries.withLock { entries in
      if entries.count >= Self.capacity {
        entries = entries.filter { $0.value.end > date }
        if entries.count >= Self.capacity {
          let rest = entries.sorted { $0.value.end > $1.value.end }.prefix(Self.capacity / 2)
          entries = Dictionary(rest.map { ($0.key, $0.value) }) { first, _ in first }
        }
      }
      entries[Array(token.utf8)] = entry
    }
    TransferTokenTable.watcher.withLock { $0 }?(token)
  }

  /// Returns what an access token stands for, or `nil` if the token is unknown.
  func entry(of token: String) -> Entry? { entries.withLock { $0[Array(token.utf8)] } }

  /// Returns the entry of the bearer token in a request, or `nil` if the request has none or an unknown one.
  func entry(of call: InboundCall) -> Entry? {
    let words = call.authorization?.words(between: " ", atMost: 1).map(String.init) ?? []
    guard words.count == 2, words[0].asciiLowercased == "bearer" else { return nil }
    return entry(of: words[1])
  }
}
