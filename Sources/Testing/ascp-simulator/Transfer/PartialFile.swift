// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageClient
internal import SystemPackage

/// A file that is being received and that a later session can resume (`-k 1`).
///
/// Until it is complete, its name ends in `.partial`, and a file whose name ends in `.aspx` states the size and the time
/// of the source. If either differs, the file is received from its beginning.
struct PartialFile {
  private let path: String
  private let handle: FileHandle

  /// The number of bytes that an earlier session received.
  let byteCount: Int64

  private var partialPath: String { "\(path).partial" }
  private var notePath: String { "\(path).aspx" }

  /// Opens the partial file for a path, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the complete file.
  ///   - source: The size and the time of the source.
  init(_ path: String, _ source: FileRules.Standing) throws(Failure) {
    self.path = path
    if LocalFile(path)?.isFolder == true { throw Failure(7, "Is a directory: \(path)") }
    try ReceivedFile.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    let partial = "\(path).partial"
    let note = Data("\(source.byteCount) \(source.modified)\n".utf8)
    let received = LocalFile(partial)?.standing.byteCount ?? 0
    let isResumed =
      FileManager.default.contents(atPath: "\(path).aspx") == note && (1...max(source.byteCount, 1)).contains(received)
    do {
      if !isResumed {
        try Data().write(to: URL(fileURLWithPath: partial), options: .atomic)
        try note.write(to: URL(fileURLWithPath: "\(path).aspx"), options: .atomic)
      }
    } catch {
      throw Failure(36, "The file cannot be written: \(partial)")
    }
    guard let handle = FileHandle(forUpdatingAtPath: partial) else {
      throw Failure(36, "The file cannot be written: \(partial)")
    }
    self.handle = handle
    byteCount = isResumed ? received : 0
  }

  /// Passes the bytes that an earlier session received to a closure, in pieces.
  func forEachPiece(of size: Int64, _ body: ([UInt8]) -> Void) throws(Failure) {
    var rest = byteCount
    while rest > 0 {
      guard let piece = try? handle.read(upToCount: Int(min(size, rest))), !piece.isEmpty else {
        throw Failure(35, "The partial file cannot be read: \(partialPath)")
      }
      body(Array(piece))
      rest -= Int64(piece.count)
    }
  }

  /// Writes bytes to the end of the file.
  func append(_ bytes: [UInt8]) throws(Failure) {
    do {
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw Failure(36, "The file cannot be written: \(partialPath)")
    }
  }

  /// Gives the complete file its name.
  func complete() throws(Failure) {
    do {
      try handle.close()
      try FileReplacement.rename(FilePath(partialPath), to: FilePath(path))
      try FileManager.default.removeItem(atPath: notePath)
    } catch {
      throw Failure(64, "The partial file cannot be renamed: \(partialPath)")
    }
  }
}
