// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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

  private let transfer: BackgroundTransfer
  private let response: HTTPResponse
  private let location: FilePath

  init(_ transfer: BackgroundTransfer, _ response: HTTPResponse, at location: FilePath) {
    self.transfer = transfer
    self.response = response
    self.location = location
  }

  /// Moves the file to its destination, after a check of the response, its length and its checksum.
  func moveToDestination() throws -> ObjectInfo {
    do {
      if !response.isSuccess,
        let error = transfer.target.error(in: response, body: try firstBytes(upTo: ServiceError.bodyLimit))
      {
        throw error
      }
      let info = transfer.target.objectInfo(from: response)
      let expectedChecksum = transfer.target.checksum(of: info, in: response)
      let (size, checksum) = try measure(expectedChecksum?.algorithm ?? .crc64)
      try transfer.target.verify(info, in: response, byteCount: size, checksum)
      // The file is first moved into the destination's folder, where it can replace another file in one step.
      let temporaryFile = transfer.file.removingLastComponent().appending(".\(UUID().uuidString).part")
      try FileManager.default.moveItem(atPath: location.string, toPath: temporaryFile.string)
      do {
        try FileReplacement.rename(temporaryFile, to: transfer.file)
      } catch {
        try? FileManager.default.removeItem(atPath: temporaryFile.string)
        throw error
      }
      return info
    } catch let error as CocoaError {
      throw StorageError(
        .unusableFile, "\(transfer.file) could not be written (CocoaError \(error.code.rawValue)).",
        remedy: "Check the folder, its permissions and the free space.")
    } catch let error as Errno {
      throw StorageError(
        .unusableFile, "The download for \(transfer.file) could not be read: \(error).", remedy: "Download it again.")
    }
  }

  private func firstBytes(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try readChunks { chunk in
      bytes += chunk.prefix(limit - bytes.count)
      return bytes.count < limit
    }
    return bytes
  }

  /// Returns the size and the checksum of the file.
  private func measure(_ algorithm: ObjectChecksum.Algorithm) throws -> (Int64, ObjectChecksum) {
    var size: Int64 = 0
    var crc = CRC(algorithm.crc)
    try readChunks { chunk in
      size = size.saturatingAdding(Int64(chunk.count))
      crc.update(chunk)
      return true
    }
    return (size, ObjectChecksum(algorithm, crc.checksum))
  }

  /// Passes the chunks of the file to a closure until it returns `false`.
  private func readChunks(_ body: ([UInt8]) -> Bool) throws {
    let file = try FileDescriptor.open(location, .readOnly, options: .closeOnExec)
    try file.closeAfter {
      while true {
        // Safe: the system writes at most as many bytes as the memory holds, and returns the number that it wrote.
        let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { memory, count in
          count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(memory))
        }
        guard !chunk.isEmpty, body(chunk) else { return }
      }
    }
  }
}
