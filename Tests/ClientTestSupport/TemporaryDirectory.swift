// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import Foundation
package import StorageClient
package import XCTest

/// A directory that is removed after the test.
package struct TemporaryDirectory {
  package let url: URL

  package init(_ test: XCTestCase) throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("storage-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let url = url
    test.addTeardownBlock { try FileManager.default.removeItem(at: url) }
  }

  package func path(_ name: String) -> FilePath {
    FilePath(url.appendingPathComponent(name).path)
  }

  package func write(_ bytes: [UInt8], to name: String) throws -> FilePath {
    try Data(bytes).write(to: url.appendingPathComponent(name))
    return path(name)
  }

  package func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url.appendingPathComponent(name)))
  }

  /// The names of all entries, hidden files included.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
