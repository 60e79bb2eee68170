// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageClient
internal import SystemPackage

enum LocalFiles {
  /// Returns whether a path leads to a directory; a symbolic link is not followed.
  static func isDirectory(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType) == .typeDirectory
  }

  static func makeDirectory(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw ValidationError("The directory \(path.onOneLine) cannot be created. Name one that you can write.")
    }
  }

  /// Waits until a file and its name are on the disk.
  static func synchronize(_ path: FilePath) async throws {
    try await LocalFile.reading(path).synchronize()
    let folderPath = path.removingLastComponent()
    do {
      try await LocalFileSystem.system.runBlocking {
        let folder = try FileDescriptor.open(folderPath.isEmpty ? "." : folderPath, .readOnly, options: .closeOnExec)
        defer { try? folder.close() }
        // Some file systems, such as shared folders of virtual machines, cannot synchronize folders.
        do { try LocalFileSystem.system.synchronize(folder) } catch .invalidArgument {} catch .notSupported {}
      }
    } catch let error as Errno {
      throw StorageError(
        .unusableFile, "\(path) was copied, but is not certainly on the disk: \(error).",
        remedy: "Delete the source yourself when the file is safe.")
    }
  }

  /// Removes a file that was copied, or throws an error if its state has changed since before the copy.
  static func remove(_ path: String, unlessChangedFrom state: FileState?) async throws {
    guard let state, await state == FileState(FilePath(path)) else {
      throw StorageError(
        .sourceChanged, "\(path) was changed while it was copied, and is kept.", remedy: "Move it again.")
    }
    // Foundation would also delete a folder that has replaced the file.
    guard unsafe unlink(path) == 0 else {
      throw StorageError(.unusableFile, "\(path) was copied, and cannot be deleted.", remedy: "Delete it yourself.")
    }
  }

  /// Returns the size of a file, also of the one that a symbolic link leads to, or `nil` if it cannot be determined.
  static func byteCount(of path: String) -> Int64? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }
}

/// The state of a file, and of the symbolic link at its path, which differs after a change or a replacement.
struct FileState: Equatable {
  private let identities: [FileIdentity]
  private let devices: [UInt64]

  /// Reads the state of the file at a path, or returns `nil` if it cannot be read.
  init?(_ path: FilePath) async {
    guard let location = try? await FileLocation(path), let file = try? await location.status(),
      let link = try? await location.status(followsLink: false)
    else { return nil }
    (identities, devices) = ([link.identity, file.identity], [link.device, file.device])
  }
}

/// The directory for the checkpoints of unfinished transfers, one file for each.
struct CheckpointDirectory {
  let path: FilePath

  init(_ path: String?) throws {
    let environment = ProcessInfo.processInfo.environment
    let stateFolder =
      environment["XDG_STATE_HOME"].flatMap { $0.hasBytePrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { "\($0)/.local/state" }
    guard let path = path ?? stateFolder.map({ "\($0)/storage-auth/checkpoints" }) else {
      throw ValidationError("There is no home directory; name a directory with --checkpoints.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ValidationError("The directory \(path) for checkpoints cannot be created; name another with --checkpoints.")
    }
    self.path = FilePath(path)
  }

  /// Returns the file for the checkpoint of an `upload` or a `download`, or `nil` if the identity of the object is unknown.
  func checkpoint<Checkpoint>(
    for direction: String, of file: FilePath, and object: ObjectIdentity?
  ) -> CheckpointFile<Checkpoint>? {
    let filePath = URL(filePath: file.string).standardizedFileURL.path
    return object.map { CheckpointFile(path.appending("\($0.fileName(with: filePath)).\(direction)")) }
  }
}
