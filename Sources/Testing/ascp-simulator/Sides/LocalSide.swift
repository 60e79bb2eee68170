// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageClient
internal import SystemPackage
internal import _NIOFileSystem

/// The files of this machine.
struct LocalSide: FileSide {
  func standing(at path: String) -> FileRules.Standing? {
    LocalFile(path).flatMap { $0.isFolder ? nil : $0.standing }
  }

  func contents(of folder: String) -> [(path: String, isFolder: Bool)] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { name in
      let path = SourceNaming.joined(folder, name)
      return (path, LocalFile(path)?.isFolder == true && !LocalFile.isLink(path))
    }
  }

  func makeFolder(_ path: String) throws(Failure) { try ReceivedFile.makeFolder(path) }

  func makeLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool {
    if LocalFile.isLink(path) || LocalFile(path) != nil {
      guard replacesFile, LocalFile(path)?.isFolder != true else { return false }
      try await remove(path)
    }
    try ReceivedFile.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    do {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    } catch {
      throw Failure(36, "The symbolic link cannot be created: \(path)")
    }
    return true
  }

  func remove(_ path: String) async throws(Failure) {
    do {
      _ = try await FileSystem.shared.removeItem(at: FilePath(path), recursively: false)
    } catch {
      throw Failure(36, "The file cannot be removed: \(path)")
    }
  }

  func removeEmptyFolder(_ path: String) async throws(Failure) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.isEmpty else { return }
    try await remove(path)
  }

  func move(_ path: String, to target: String) throws(Failure) {
    try ReceivedFile.makeFolder(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    do {
      try FileReplacement.rename(FilePath(path), to: FilePath(target))
    } catch {
      throw Failure(36, "The file \(path) cannot be moved to \(target)")
    }
  }

  func setModified(_ seconds: Int64, ofFolder path: String) throws(Failure) {
    try ReceivedFile.setModified(seconds, of: path)
  }
}
