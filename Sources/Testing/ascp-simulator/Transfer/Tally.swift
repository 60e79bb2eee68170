// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The files and bytes that a session has transferred so far.
struct Tally: Sendable {
  var byteCount: Int64 = 0
  /// The number of bytes that were not transferred again, because files were resumed.
  var resumedByteCount: Int64 = 0
  var files = 0
  /// The number of files so far, including files that belong to other sessions and files that were not replaced.
  var items = 0
  var manifest: [Manifest.Entry] = []

  /// The second of the last saved file, and the number of files saved in it.
  private var saved = (second: Int64(0), count: 0)

  /// Returns the path to which an existing file is moved before it is overwritten (`--save-before-overwrite`).
  ///
  /// The name is `name.yyyy.mm.dd.hh.mm.ss.index.extension` with the time in UTC and an index that counts the files
  /// saved in one second.
  mutating func nameForSaving(_ path: String, at date: Timestamp = .now) -> String {
    saved = saved.second == date.unixSeconds ? (saved.second, saved.count + 1) : (date.unixSeconds, 1)
    let time = date.wholeSeconds.iso8601.split { !$0.isNumber }.map { String($0) }
    let stamp = (time + ["\(saved.count)"]).joined(separator: ".")
    let name = path.words(between: "/").last ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "\(path).\(stamp)" }
    return "\(path[..<dot]).\(stamp)\(path[dot...])"
  }
}
