// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth
internal import StorageClient
internal import SystemPackage
internal import _NIOFileSystem

/// The files of one side of a transfer: of this machine, or of the transfer server.
protocol FileSide: Sendable {
  func attributes(at path: String) async throws(Failure) -> FileAttributes?
  /// Returns everything below a folder, each folder before its contents, or no paths if there is no folder.
  func contents(of folder: String) async throws(Failure) -> [(path: String, isFolder: Bool)]
  func createFolder(_ path: String) async throws(Failure)
  /// Creates a symbolic link, and returns `false` if a folder, or a file that must stay, has its name.
  func createLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool
  func remove(_ path: String) async throws(Failure)
  func removeEmptyFolder(_ path: String) async throws(Failure)
  /// Moves a file, creating the folders for it and replacing an existing file.
  func move(_ path: String, to newPath: String) async throws(Failure)
  /// Sets the modification time of a folder, in seconds since 1970 (UTC).
  func setModificationTime(_ seconds: Int64, ofFolder path: String) async throws(Failure)
}

struct ServerSide: FileSide {
  let server: TransferServerClient

  func attributes(at path: String) async throws(Failure) -> FileAttributes? {
    let response = try await server.call("kinds", ["path": .string(path)])
    return response["type"]?.string == "file" ? FileAttributes(response) : nil
  }

  func contents(of folder: String) async throws(Failure) -> [(path: String, isFolder: Bool)] {
    let entries = try await server.call("listings", ["path": .string(folder)])["entries"]?.array ?? []
    return entries.compactMap { entry in
      entry["below"]?.string.map { (SourceNaming.joined(folder, $0), entry["type"]?.string == "directory") }
    }
  }

  func createFolder(_ path: String) async throws(Failure) { try await server.call("folders", ["path": .string(path)]) }

  func createLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool {
    let response = try await server.call(
      "links", ["path": .string(path), "target": .string(target), "replace": .bool(replacesFile)])
    return response["made"]?.bool == true
  }

  func remove(_ path: String) async throws(Failure) {
    try await server.call("removals", ["path": .string(path), "type": "file"])
  }

  func removeEmptyFolder(_ path: String) async throws(Failure) {
    try await server.call("removals", ["path": .string(path), "type": "directory"])
  }

  func move(_ path: String, to newPath: String) async throws(Failure) {
    try await server.call("moves", ["path": .string(path), "target": .string(newPath)])
  }

  func setModificationTime(_ seconds: Int64, ofFolder path: String) async throws(Failure) {
    try await server.call("folders", ["path": .string(path), "modified": .number(JSONNumber(seconds))])
  }
}

struct LocalSide: FileSide {
  func attributes(at path: String) -> FileAttributes? { LocalEntry(path).flatMap { $0.isFolder ? nil : $0.attributes } }

  func contents(of folder: String) -> [(path: String, isFolder: Bool)] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { name in
      let path = SourceNaming.joined(folder, name)
      return (path, LocalEntry(path)?.isFolder == true && !LocalEntry.isLink(path))
    }
  }

  func createFolder(_ path: String) throws(Failure) { try ReceivedFile.createFolder(path) }

  func createLink(_ path: String, to target: String, replacesFile: Bool) async throws(Failure) -> Bool {
    if LocalEntry.isLink(path) || LocalEntry(path) != nil {
      guard replacesFile, LocalEntry(path)?.isFolder != true else { return false }
      try await remove(path)
    }
    try ReceivedFile.createParentFolder(of: path)
    try Failure.replacingErrors(by: .diskWrite, "The symbolic link cannot be created: \(path)") {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
    return true
  }

  func remove(_ path: String) async throws(Failure) {
    do {
      _ = try await FileSystem.shared.removeItem(at: FilePath(path), recursively: false)
    } catch { throw Failure(.diskWrite, "The file cannot be removed: \(path)") }
  }

  func removeEmptyFolder(_ path: String) async throws(Failure) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.isEmpty else { return }
    try await remove(path)
  }

  func move(_ path: String, to newPath: String) throws(Failure) {
    try ReceivedFile.createParentFolder(of: newPath)
    try Failure.replacingErrors(by: .diskWrite, "The file \(path) cannot be moved to \(newPath)") {
      try FileReplacement.rename(FilePath(path), to: FilePath(newPath))
    }
  }

  func setModificationTime(_ seconds: Int64, ofFolder path: String) throws(Failure) {
    try ReceivedFile.setModificationTime(seconds, of: path)
  }
}
