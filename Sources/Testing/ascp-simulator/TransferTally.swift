// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// The files and bytes that a session has transferred so far.
struct TransferTally: Sendable {
  var transferredByteCount: Int64 = 0
  /// The number of bytes that were not transferred again, because files were resumed.
  var resumedByteCount: Int64 = 0
  var transferredFileCount = 0
  /// The number of files so far, including files that belong to other sessions and files that were not replaced.
  var seenItemCount = 0
  var manifestEntries: [TransferManifest.Entry] = []

  /// The second of the last saved file, and the number of files saved in it.
  private var lastSaved = (second: Int64(0), count: 0)

  /// Counts an existing file that is moved before it is overwritten (`--save-before-overwrite`), and returns its new path.
  ///
  /// The name is `name.yyyy.mm.dd.hh.mm.ss.index.extension`, in UTC, where the index counts the files of one second.
  mutating func nextSavedPath(of path: String, at date: Timestamp = .now) -> String {
    lastSaved = lastSaved.second == date.unixSeconds ? (lastSaved.second, lastSaved.count + 1) : (date.unixSeconds, 1)
    let time = date.wholeSeconds.iso8601.split { !$0.isNumber }.map { String($0) }
    let stamp = (time + ["\(lastSaved.count)"]).joined(separator: ".")
    let name = path.words(between: "/").last ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "\(path).\(stamp)" }
    return "\(path[..<dot]).\(stamp)\(path[dot...])"
  }
}

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
