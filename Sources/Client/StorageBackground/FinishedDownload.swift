// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient
internal import StorageCrypto
internal import SystemPackage

/// A downloaded file, which the system removes as soon as the session's delegate has been called.
///
/// All calls block, as the delegate must not return before the file has been moved.
struct FinishedDownload {
  private static let chunkByteCount = 512 * 1_024

  let transfer: BackgroundTransfer
  let response: HTTPResponse
  let location: FilePath
  var system: any FileSystem = .system

  /// Moves the file to its destination, after a check of the response, its length and its checksum.
  ///
  /// As with `FileReplacement`, a file gets the permissions of the file that it replaces, and is on the disk before that.
  func moveToDestination() throws -> ObjectInfo {
    let info: ObjectInfo
    do { info = try verifiedInfo() } catch let error as Errno {
      throw StorageError(
        .unusableFile, "The download for \(transfer.file) could not be read: \(error).", remedy: "Download it again.")
    }
    do {
      try replaceDestination()
    } catch let error as CocoaError {
      throw unwritableFile("CocoaError \(error.code.rawValue)")
    } catch let error as Errno {
      throw unwritableFile("\(error)")
    }
    return info
  }

  private func unwritableFile(_ reason: String) -> StorageError {
    StorageError(
      .unusableFile, "\(transfer.file) could not be written (\(reason)).",
      remedy: "Check the folder, its permissions and the free space.")
  }

  /// Returns the description of the object, after a check of the response, and of the file against it.
  private func verifiedInfo() throws -> ObjectInfo {
    if !response.isSuccess {
      throw transfer.target.error(in: response, body: try firstBytes(upTo: ServiceError.bodyLimit))
    }
    let info = transfer.target.objectInfo(from: response)
    // Without an expected checksum, none is compared, so that the file need not be read.
    let algorithm = transfer.target.checksum(of: info, in: response)?.algorithm
    let checksum = try algorithm.map { try computeChecksum($0) } ?? ObjectChecksum(.crc64, of: [])
    let size = try inFolder(of: location) { try system.status(of: $0, in: $1, followsLink: true).size }
    try transfer.target.verify(info, in: response, byteCount: size, checksum: checksum)
    return info
  }

  private func firstBytes(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try readChunks { chunk in
      bytes += chunk.prefix(limit - bytes.count)
      return bytes.count < limit
    }
    return bytes
  }

  private func computeChecksum(_ algorithm: ObjectChecksum.Algorithm) throws -> ObjectChecksum {
    var crc = CRC(algorithm.crc)
    try readChunks { chunk in
      crc.update(chunk)
      return true
    }
    return ObjectChecksum(algorithm, crc.checksum)
  }

  /// Reads the file in chunks until a function returns `false`.
  private func readChunks(_ wantsMore: ([UInt8]) -> Bool) throws {
    let file = try open(location)
    defer { try? system.close(file) }
    var offset: Int64 = 0
    while true {
      let chunk = try system.read(file, from: offset, upTo: Self.chunkByteCount)
      guard !chunk.isEmpty, wantsMore(chunk) else { return }
      offset += Int64(chunk.count)
    }
  }

  /// Moves the file into the folder of its destination, and then renames it to the destination.
  private func replaceDestination() throws {
    let replacedPermissions = try permissionsOfReplacedFile()
    // In the destination's folder, the file can replace another file in one step.
    let temporaryFile = transfer.file.removingLastComponent().appending(".\(UUID().uuidString).part")
    do {
      // Between two volumes the move is a copy, which can leave a part of the file.
      try FileManager.default.moveItem(atPath: location.string, toPath: temporaryFile.string)
      if let replacedPermissions { try makeReplacement(temporaryFile, with: replacedPermissions) }
      try FileReplacement.rename(temporaryFile, to: transfer.file)
    } catch {
      try? FileManager.default.removeItem(atPath: temporaryFile.string)
      throw error
    }
  }

  /// Returns the permissions for a replacement of the file at the destination, or `nil` if there is none.
  private func permissionsOfReplacedFile() throws -> FilePermissions? {
    let status: FileStatus? = try inFolder(of: transfer.file) { name, folder in
      do throws(Errno) {
        return try system.status(of: name, in: folder, followsLink: true)
      } catch .noSuchFileOrDirectory {
        return nil
      }
    }
    guard let status else { return nil }
    guard status.kind == .regular else {
      throw StorageError(
        .unusableFile, "\(transfer.file) is not a regular file.",
        remedy: "Name an existing file, or one that can be created.")
    }
    return status.permissionsOfReplacement
  }

  /// Gives a file the permissions of the file that it replaces, and waits until its content is on the disk.
  private func makeReplacement(_ file: FilePath, with permissions: FilePermissions) throws {
    let descriptor = try open(file)
    try descriptor.closeAfter {
      try system.setPermissions(permissions, of: descriptor)
      try system.synchronize(descriptor)
    }
  }

  private func open(_ file: FilePath) throws -> FileDescriptor {
    try inFolder(of: file) { try system.openFile($0, in: $1, .reading(followsLink: true)) }
  }

  /// Calls a function with the name of a file and its open folder.
  private func inFolder<Value>(
    of file: FilePath, _ body: (FilePath.Component, FileDescriptor) throws -> Value
  ) throws -> Value {
    guard let name = file.lastComponent else {
      throw StorageError(.unusableFile, "\(file) is the root of the file system.", remedy: "Name a file.")
    }
    let folder = try system.openFolder(file.removingLastComponent())
    defer { try? system.close(folder) }
    return try body(name, folder)
  }
}
