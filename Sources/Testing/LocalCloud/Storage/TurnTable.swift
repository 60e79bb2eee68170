// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A table of names, each of which one operation uses at a time, in the order in which they asked for it.
///
/// Unlike a lock, it can be held while files are written.
final class TurnTable: Sendable {
  /// The operations that wait for each name that is in use.
  private let waiting = Lock<[String: [CheckedContinuation<Void, Never>]]>([:])

  func withTurn<Result>(of name: String, _ body: () async throws -> Result) async rethrows -> Result {
    await begin(name)
    defer { end(name) }
    return try await body()
  }

  private func begin(_ name: String) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        let isFree = waiting[name] == nil
        waiting[name, default: []] += isFree ? [] : [continuation]
        return isFree
      }
      if isFree { continuation.resume() }
    }
  }

  private func end(_ name: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      guard waiting[name]?.isEmpty == false else {
        waiting[name] = nil
        return nil
      }
      return waiting[name]?.removeFirst()
    }
    next?.resume()
  }
}
