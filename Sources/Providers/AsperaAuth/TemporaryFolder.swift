// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder of its owner for files that a program reads by path, until ``remove()`` or the last reference is released.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init(in parent: String? = nil) throws(AsperaError) {
    let parent = parent.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? FileManager.default.temporaryDirectory
    let url = parent.appending(path: "storage-auth-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch { throw Self.problem("A temporary folder cannot be created in \(parent.path).") }
    path = url.path
  }

  deinit { remove() }

  /// Writes a file that only its owner can read, and returns its absolute path.
  package func write(_ bytes: [UInt8], to name: String, isExecutable: Bool = false) throws(AsperaError) -> String {
    let file = path + "/" + name
    let isWritten = FileManager.default.createFile(
      atPath: file, contents: Data(bytes), attributes: [.posixPermissions: isExecutable ? 0o700 : 0o600])
    guard isWritten else { throw Self.problem("A temporary file cannot be written to \(path).") }
    return file
  }

  package func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  private static func problem(_ message: String) -> AsperaError {
    AsperaError(.failed, message, remedy: "Check whether the disk is full, and whether TMPDIR names a writable folder.")
  }
}
