// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageClient
internal import SystemPackage

/// A file that is being received, which has a temporary name in the same folder until it is complete.
struct ReceivedFile {
  private let path: String
  private let file: FileReplacement

  /// Runs a function that receives a file, and moves the file to its path if the function succeeds.
  ///
  /// Missing parent folders are created. An existing file is replaced atomically, and its permissions are preserved.
  static func receive(
    _ path: String, _ body: (ReceivedFile) async throws(Failure) -> Void
  ) async throws(Failure) {
    if LocalFile(path)?.isFolder == true { throw Failure(7, "Is a directory: \(path)") }
    try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    do {
      try await FileReplacement.write(FilePath(path)) { try await body(ReceivedFile(path: path, file: $0)) }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(36, "The file cannot be written: \(path)")
    }
  }

  /// Writes bytes to the file at an offset.
  func write(_ bytes: [UInt8], at offset: Int64) async throws(Failure) {
    do {
      try await file.write(bytes, at: offset)
    } catch {
      throw Failure(36, "The file cannot be written: \(path)")
    }
  }

  /// Sets the modification time of the file at a path, in seconds since 1970 (UTC).
  static func setModified(_ seconds: Int64, of path: String) throws(Failure) {
    do {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: path)
    } catch {
      throw Failure(36, "The time of the file cannot be set: \(path)")
    }
  }

  /// Creates a folder on this machine, including missing parent folders.
  static func makeFolder(_ path: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(6, "The folder cannot be created: \(path)")
    }
  }
}
