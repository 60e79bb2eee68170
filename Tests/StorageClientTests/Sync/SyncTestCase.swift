// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageClientTesting
import XCTest

@testable import StorageClient

/// A test case whose tests synchronize with stores in memory.
class SyncTestCase: XCTestCase {
  /// Returns a store in which the content of each object is its key.
  func store(_ keys: String...) -> InMemoryStore {
    let store = InMemoryStore()
    for key in keys { store[key] = Array(key.utf8) }
    return store
  }

  /// Synchronizes with deletions, unless the options are changed.
  func sync(
    _ source: SyncLocation, _ target: SyncLocation, _ change: (inout SyncOptions) -> Void = { _ in }
  ) async throws -> SyncReport {
    var options = SyncOptions(deletes: true)
    change(&options)
    return try await FolderSync(from: source, to: target, options: options).run()
  }

  /// Asserts that a synchronization throws an error with a code.
  func assertRefused(
    _ code: StorageError.Code, _ source: SyncLocation, _ target: SyncLocation,
    _ change: (inout SyncOptions) -> Void = { _ in }, line: UInt = #line
  ) async {
    await assertThrows(StorageError.self, { _ = try await sync(source, target, change) }, line: line) {
      XCTAssertEqual($0.code, code, "\($0)", line: line)
    }
  }
}
