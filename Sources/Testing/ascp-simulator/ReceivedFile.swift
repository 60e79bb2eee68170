// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageClient
internal import SystemPackage

/// A file that is being received, which has a temporary name in the same folder until it is complete.
struct ReceivedFile {
  private let path: String
  private let file: FileReplacement

  /// Runs a function that receives a file, and then replaces the file at the path atomically, with its permissions.
  static func receive(_ path: String, _ body: (ReceivedFile) async throws(Failure) -> Void) async throws(Failure) {
    if LocalEntry(path)?.isFolder == true { throw Failure(.isAFolder, "Is a directory: \(path)") }
    try createParentFolder(of: path)
    do {
      try await FileReplacement.write(FilePath(path)) { try await body(ReceivedFile(path: path, file: $0)) }
    } catch let failure as Failure {
      throw failure
    } catch { throw Failure(.diskWrite, "The file cannot be written: \(path)") }
  }

  func write(_ bytes: [UInt8], at offset: Int64) async throws(Failure) {
    do {
      try await file.write(bytes, at: offset)
    } catch { throw Failure(.diskWrite, "The file cannot be written: \(path)") }
  }

  static func setModificationTime(_ seconds: Int64, of path: String) throws(Failure) {
    try Failure.replacingErrors(by: .diskWrite, "The time of the file cannot be set: \(path)") {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
    }
  }

  static func createParentFolder(of path: String) throws(Failure) {
    try createFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  static func createFolder(_ path: String) throws(Failure) {
    try Failure.replacingErrors(by: .notAFolder, "The folder cannot be created: \(path)") {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }
}

/// A file that is being received and that a later session can resume (`-k 1`).
///
/// Until it is complete, its name ends in `.partial`, and a file whose name ends in `.aspx` states the size and the
/// time of the source. If either differs, the file is received from its beginning.
struct PartialFile {
  private let path: String
  private let partialPath: String
  private let notePath: String
  private let handle: FileHandle

  /// The number of bytes that earlier sessions received.
  let byteCount: Int64

  init(_ path: String, _ source: FileAttributes) throws(Failure) {
    self.path = path
    let partialPath = "\(path).partial"
    let notePath = "\(path).aspx"
    self.partialPath = partialPath
    self.notePath = notePath
    if LocalEntry(path)?.isFolder == true { throw Failure(.isAFolder, "Is a directory: \(path)") }
    try ReceivedFile.createParentFolder(of: path)
    let sourceNote = Data("\(source.byteCount) \(source.modified)\n".utf8)
    let receivedByteCount = LocalEntry(partialPath)?.attributes.byteCount ?? 0
    let isResumed =
      FileManager.default.contents(atPath: notePath) == sourceNote && receivedByteCount > 0
      && receivedByteCount <= source.byteCount
    if !isResumed {
      try Failure.replacingErrors(by: .diskWrite, "The file cannot be written: \(partialPath)") {
        try Data().write(to: URL(fileURLWithPath: partialPath), options: .atomic)
        try sourceNote.write(to: URL(fileURLWithPath: notePath), options: .atomic)
      }
    }
    guard let handle = FileHandle(forUpdatingAtPath: partialPath) else {
      throw Failure(.diskWrite, "The file cannot be written: \(partialPath)")
    }
    self.handle = handle
    byteCount = isResumed ? receivedByteCount : 0
  }

  /// Passes the bytes that earlier sessions received to a function.
  func forEachReceivedChunk(ofAtMost size: Int64, _ body: ([UInt8]) -> Void) throws(Failure) {
    var remainingByteCount = byteCount
    while remainingByteCount > 0 {
      guard let chunk = try? handle.read(upToCount: Int(min(size, remainingByteCount))), !chunk.isEmpty else {
        throw Failure(.diskRead, "The partial file cannot be read: \(partialPath)")
      }
      body(Array(chunk))
      remainingByteCount -= Int64(chunk.count)
    }
  }

  func append(_ bytes: [UInt8]) throws(Failure) {
    try Failure.replacingErrors(by: .diskWrite, "The file cannot be written: \(partialPath)") {
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(bytes))
    }
  }

  /// Gives the file its final name, and removes the note.
  func complete() throws(Failure) {
    try Failure.replacingErrors(by: .cannotRename, "The partial file cannot be renamed: \(partialPath)") {
      try handle.close()
      try FileReplacement.rename(FilePath(partialPath), to: FilePath(path))
      try FileManager.default.removeItem(atPath: notePath)
    }
  }
}
