// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// A text file that lists what a session transferred (`--file-manifest=text`).
///
/// Its name is that of ascp, `aspera-transfer-ID-manifest.txt`. Its lines are the simulator's own: the path at the
/// destination as a JSON string, the size in bytes, and the checksum if one was requested.
struct TransferManifest {
  struct Entry: Sendable {
    let path: String
    let byteCount: Int64
    let checksum: String?
  }

  static func write(_ entries: [Entry], of session: String, in folder: String) throws(Failure) {
    let lines = entries.map { entry in
      let path = String(decoding: JSONValue.string(entry.path).serialized, as: UTF8.self)
      return "\(path) \(entry.byteCount)\(entry.checksum.map { " \($0)" } ?? "")\n"
    }
    try ReceivedFile.createFolder(folder)
    let path = SourceNaming.joined(folder, "aspera-transfer-\(session)-manifest.txt")
    try Failure.replacingErrors(by: .diskWrite, "The manifest cannot be written: \(path)") {
      try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
  }
}
