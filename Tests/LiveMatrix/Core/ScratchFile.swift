// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file in a folder of its own, for a transfer.
struct ScratchFile: Sendable {
  let folder: String
  let path: String

  init(_ bytes: [UInt8]) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("storage-auth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    let file = url.appendingPathComponent("file")
    try Data(bytes).write(to: file)
    (folder, path) = (url.path, file.path)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
