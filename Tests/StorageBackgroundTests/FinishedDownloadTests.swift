// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StorageAuth
import StorageClient
import SystemPackage
import XCTest

@testable import StorageBackground

/// Tests how a downloaded file is checked and moved to its destination.
final class FinishedDownloadTests: XCTestCase {
  private let bytes: [UInt8] = [1, 2, 3]

  private func folder() throws -> FilePath {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    addTeardownBlock { try FileManager.default.removeItem(at: url) }
    return FilePath(url.path)
  }

  private func write(_ bytes: [UInt8], to file: FilePath) throws {
    try Data(bytes).write(to: URL(filePath: file.string))
  }

  private func read(_ file: FilePath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: file.string)))
  }

  /// Writes a downloaded file, and moves it to a destination.
  private func finish(
    to destination: FilePath, in folder: FilePath, headers: HTTPFields = [:], _ system: any FileSystem = .system
  ) throws {
    let received = folder.appending("received")
    try write(bytes, to: received)
    let request = PresignedRequest(
      method: .get, url: "https://photos.example.com/k?Signature=a", headers: [:],
      expiration: Timestamp(unixSeconds: 1_795_161_600))
    var response = HTTPResponse(status: .ok, headerFields: headers)
    response.headerFields[.eTag] = "\"E\""
    response.headerFields[.contentLength] = "\(bytes.count)"
    let transfer = try BackgroundTransfer(id: "a", .download, destination, request)
    _ = try FinishedDownload(transfer: transfer, response: response, location: received, system: system)
      .moveToDestination()
  }

  func testFileWithoutAChecksumIsNotRead() throws {
    let folder = try folder()
    let destination = folder.appending("k")
    let files = RecordingFiles(destination)
    try finish(to: destination, in: folder, files)
    XCTAssertEqual(files.calls, [])
    XCTAssertEqual(try read(destination), bytes)
  }

  func testReplacedFileGivesItsPermissionsAndIsReplacedAfterTheSynchronization() throws {
    let folder = try folder()
    let destination = folder.appending("k")
    try write([0], to: destination)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: destination.string)
    let files = RecordingFiles(destination)
    try finish(to: destination, in: folder, files)
    XCTAssertEqual(files.calls, ["open", "permissions 600", "synchronize before [0] is replaced"])
    XCTAssertEqual(try read(destination), bytes)
    let attributes = try FileManager.default.attributesOfItem(atPath: destination.string)
    XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.string), ["k"])
  }

  func testReplacedFileGivesNoRightsOfItsOwnerToTheNewContent() throws {
    let folder = try folder()
    let destination = folder.appending("k")
    try write([0], to: destination)
    XCTAssertEqual(chmod(destination.string, 0o4600), 0)
    let files = RecordingFiles(destination)
    try finish(to: destination, in: folder, files)
    XCTAssertEqual(files.calls, ["open", "permissions 600", "synchronize before [0] is replaced"])
  }

  func testChecksumIsComputedFromTheFile() throws {
    let folder = try folder()
    let destination = folder.appending("k")
    try write([0], to: destination)
    let crc = try XCTUnwrap(HTTPField.Name("x-oss-hash-crc64ecma"))
    let id = try XCTUnwrap(HTTPField.Name("x-oss-request-id"))
    let right = "\(ObjectChecksum(.crc64, of: bytes).value)"
    XCTAssertThrowsError(try finish(to: destination, in: folder, headers: [crc: "1", id: "r"])) { error in
      XCTAssertEqual((error as? StorageError)?.code, .checksumMismatch)
    }
    XCTAssertEqual(try read(destination), [0])
    try finish(to: destination, in: folder, headers: [crc: right, id: "r"])
    XCTAssertEqual(try read(destination), bytes)
  }

  func testFileThatCannotReplaceItsDestinationIsRemoved() throws {
    let folder = try folder()
    let destination = folder.appending("k")
    try write([0], to: destination)
    let files = RecordingFiles(destination, isFull: true)
    XCTAssertThrowsError(try finish(to: destination, in: folder, files)) { error in
      XCTAssertEqual((error as? StorageError)?.message.contains("could not be written"), true, "\(error)")
    }
    XCTAssertEqual(try read(destination), [0])
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.string), ["k"])
  }
}

/// The file system of this machine, with a record of the calls for the content and the permissions of files.
private final class RecordingFiles: FileSystem {
  private let system: any FileSystem = .system
  private let destination: FilePath
  /// Whether the disk has no space for the content of a file.
  private let isFull: Bool
  private let recordedCalls = Lock<[String]>([])

  init(_ destination: FilePath, isFull: Bool = false) {
    self.destination = destination
    self.isFull = isFull
  }

  var calls: [String] { recordedCalls.withLock { $0 } }

  private func record(_ call: String) { recordedCalls.withLock { $0.append(call) } }

  func openFile(
    _ name: FilePath.Component, in folder: FileDescriptor, _ access: FileAccess
  ) throws(Errno) -> FileDescriptor {
    record("open")
    return try system.openFile(name, in: folder, access)
  }

  func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
    record("permissions \(String(permissions.rawValue, radix: 8))")
    try system.setPermissions(permissions, of: file)
  }

  func synchronize(_ file: FileDescriptor) throws(Errno) {
    if isFull { throw .noSpace }
    let replacedContent = (try? Data(contentsOf: URL(filePath: destination.string))).map { Array($0) } ?? []
    record("synchronize before \(replacedContent) is replaced")
    try system.synchronize(file)
  }

  func runBlocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await system.runBlocking(body)
  }

  func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor { try system.openFolder(path) }

  func openFolder(_ name: FilePath.Component, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
    try system.openFolder(name, in: folder)
  }

  func openParent(of folder: FileDescriptor) throws(Errno) -> FileDescriptor { try system.openParent(of: folder) }

  func close(_ descriptor: FileDescriptor) throws(Errno) { try system.close(descriptor) }

  func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus { try system.status(of: descriptor) }

  func status(of name: FilePath.Component, in folder: FileDescriptor, followsLink: Bool) throws(Errno) -> FileStatus {
    try system.status(of: name, in: folder, followsLink: followsLink)
  }

  func names(in folder: FileDescriptor) throws(Errno) -> [FilePath.Component] { try system.names(in: folder) }

  func read(_ file: FileDescriptor, from offset: Int64, upTo count: Int) throws(Errno) -> [UInt8] {
    try system.read(file, from: offset, upTo: count)
  }

  func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int64) throws(Errno) {
    try system.write(bytes, to: file, at: offset)
  }

  func createFolder(
    _ name: FilePath.Component, in folder: FileDescriptor, permissions: FilePermissions
  ) throws(Errno) {
    try system.createFolder(name, in: folder, permissions: permissions)
  }

  func remove(_ name: FilePath.Component, in folder: FileDescriptor, isFolder: Bool) throws(Errno) {
    try system.remove(name, in: folder, isFolder: isFolder)
  }

  func rename(
    _ name: FilePath.Component, in folder: FileDescriptor, to newName: FilePath.Component, in newFolder: FileDescriptor
  ) throws(Errno) {
    try system.rename(name, in: folder, to: newName, in: newFolder)
  }

  func setModificationTime(_ seconds: Int64, of file: FileDescriptor) throws(Errno) {
    try system.setModificationTime(seconds, of: file)
  }

  func tryLock(_ descriptor: FileDescriptor) throws(Errno) -> Bool { try system.tryLock(descriptor) }

  var userID: UInt32 { system.userID }
}
