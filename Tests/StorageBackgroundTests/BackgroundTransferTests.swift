// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationTransport
import HTTPTypes
import LocalCloud
import NIOCore
import NIOPosix
import StorageAuthTesting
import StorageClient
import SystemPackage
import XCTest

@testable import StorageBackground

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests transfers of a session that the app owns, against a server that verifies every signature.
final class BackgroundTransferTests: XCTestCase {
  private let key = AccessKey(id: "LTAItest", secret: "secret")
  private let transfers = BackgroundTransfers()

  private func session() -> URLSession {
    let session = URLSession(configuration: .ephemeral, delegate: transfers, delegateQueue: nil)
    addTeardownBlock { session.invalidateAndCancel() }
    return session
  }

  private func cloud() async throws -> (LocalCloud, StorageClient<OSSProvider>) {
    let server = try await LocalCloud.start(.init(accounts: [.init(key)], buckets: ["photos"]))
    addTeardownBlock { await server.stop() }
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: server.ossEndpoint), credentials: key)
    return (server, client)
  }

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

  /// Waits for the last event of a transfer.
  private func end(of id: String) async throws -> BackgroundTransferEvent {
    for await event in transfers.events where event.transfer.id == id {
      if case .progress = event.stage { continue }
      return event
    }
    throw CancellationError()
  }

  func testFileIsUploadedAndDownloaded() async throws {
    let (_, client) = try await cloud()
    let (folder, session) = (try folder(), session())
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try write(bytes, to: folder.appending("cat.jpg"))
    try await transfers.upload(folder.appending("cat.jpg"), to: "2026/cat.jpg", of: client, id: "up", in: session)
    guard case .uploaded(let object) = try await end(of: "up").stage else { return XCTFail("not uploaded") }
    XCTAssertEqual(object.size, 300_000)
    let info = try await client.head("2026/cat.jpg")
    XCTAssertEqual(info.contentType, "image/jpeg")
    XCTAssertEqual(info.checksum, ObjectChecksum(.crc64, of: bytes))

    let copy = folder.appending("copy.jpg")
    try write([1], to: copy)
    try await transfers.download("2026/cat.jpg", of: client, to: copy, id: "down", in: session)
    guard case .downloaded(let found) = try await end(of: "down").stage else { return XCTFail("not downloaded") }
    XCTAssertEqual(found.size, 300_000)
    XCTAssertEqual(try read(copy), bytes)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted(), ["cat.jpg", "copy.jpg"])
  }

  func testRefusalIsAServiceErrorAndLeavesTheFileAlone() async throws {
    let (_, client) = try await cloud()
    let (folder, session) = (try folder(), session())
    let file = folder.appending("cat.jpg")
    try write([1, 2, 3], to: file)
    try await transfers.download("missing", of: client, to: file, id: "down", in: session)
    guard case .failed(let error) = try await end(of: "down").stage else { return XCTFail("not failed") }
    XCTAssertEqual((error as? ServiceError)?.kind, .noSuchKey)
    XCTAssertEqual(try read(file), [1, 2, 3])

    let good = try await client.presign(.put, "k", validFor: .seconds(60))
    let forged = PresignedRequest(
      method: .put, url: good.url.replacing("x-oss-signature=", with: "x-oss-signature=0"), headers: good.headers,
      expiration: good.expiration)
    try await transfers.upload(file, with: forged, id: "up", in: session)
    guard case .failed(let refusal) = try await end(of: "up").stage else { return XCTFail("not failed") }
    XCTAssertEqual((refusal as? ServiceError)?.status, .forbidden)
    XCTAssertFalse("\(refusal)".contains("x-oss-signature"))
  }

  /// Each session numbers its tasks from 1, so that the first tasks of two sessions have the same number.
  func testResponsesOfTwoSessionsAreKeptApart() async throws {
    let (_, client) = try await cloud()
    let (folder, otherSession) = (try folder(), session())
    let file = folder.appending("cat.jpg")
    try write([1, 2, 3], to: file)
    let good = try await client.presign(.put, "k", validFor: .seconds(60))
    let forged = PresignedRequest(
      method: .put, url: good.url.replacing("x-oss-signature=", with: "x-oss-signature=0"), headers: good.headers,
      expiration: good.expiration)
    let otherTask = otherSession.uploadTask(
      with: try URLRequest(forged, bodyByteCount: 3), fromFile: URL(filePath: file.string))
    try otherTask.describe(try BackgroundTransfer(id: "other", .upload, file, forged))
    transfers.urlSession(otherSession, dataTask: otherTask, didReceive: Data("not XML".utf8))
    try await transfers.upload(file, with: forged, id: "up", in: session())
    guard case .failed(let refusal) = try await end(of: "up").stage else { return XCTFail("not failed") }
    // A body that begins with another response would not explain the refusal.
    XCTAssertEqual((refusal as? ServiceError)?.isExplained, true)
    otherTask.cancel()
  }

  func testDescriptionOfATaskHasNoSecret() async throws {
    let (folder, session) = (try folder(), session())
    let request = PresignedRequest(
      method: .get, url: "http://127.0.0.1:9/photos/k?Signature=SECRET", headers: [.authorization: "SECRET"],
      expiration: Timestamp(unixSeconds: 1_795_161_600))
    let transfer = try BackgroundTransfer(id: "a", .download, folder.appending("k"), request)
    let task = session.downloadTask(with: try URLRequest(request))
    try task.describe(transfer)
    XCTAssertEqual(task.transfer, transfer)
    XCTAssertEqual(transfer.subject, "GET http://127.0.0.1:9/photos/k")
    XCTAssertFalse(try XCTUnwrap(task.taskDescription).contains("SECRET"))
    task.taskDescription = "another task of the app"
    XCTAssertNil(task.transfer)
    task.cancel()
  }

  func testCancelledTransferFails() async throws {
    let silent = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    addTeardownBlock { try await silent.close() }
    let (folder, session) = (try folder(), session())
    let port = try XCTUnwrap(silent.localAddress?.port)
    let presigned = PresignedRequest(
      method: .get, url: "http://127.0.0.1:\(port)/photos/k?Signature=a", headers: [:],
      expiration: Timestamp(unixSeconds: 1_795_161_600))
    try transfers.download(with: presigned, to: folder.appending("k"), id: "c", in: session)
    let listed = await transfers.transfers(in: session)
    XCTAssertEqual(listed, [try BackgroundTransfer(id: "c", .download, folder.appending("k"), presigned)])
    await transfers.cancel("another", in: session)
    await transfers.cancel("c", in: session)
    guard case .failed(let error) = try await end(of: "c").stage else { return XCTFail("not failed") }
    XCTAssertEqual((error as? TransportError)?.code, .cancelled)
    let left = await transfers.transfers(in: session)
    XCTAssertEqual(left, [])
  }

  func testURLMustBeForTheDirection() async throws {
    let (folder, session) = (try folder(), session())
    try write([1], to: folder.appending("k"))
    let get = PresignedRequest(
      method: .get, url: "https://photos.example.com/k?Signature=a", headers: [:],
      expiration: Timestamp(unixSeconds: 1_795_161_600))
    do {
      try await transfers.upload(folder.appending("k"), with: get, id: "x", in: session)
      XCTFail("uploaded with a URL for GET")
    } catch let error as StorageError {
      XCTAssertEqual(error.code, .invalidOption)
    }
  }

  func testCredentialMustOutliveTheTransfer() async throws {
    let (server, _) = try await cloud()
    let now = Timestamp.now
    let short = AccessKey(
      id: "STS.a", secret: "s", sessionToken: "t", expiration: now.advanced(by: .seconds(3_600)))
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: server.ossEndpoint), credentials: short)
    let folder = try folder()
    try write([1], to: folder.appending("k"))
    do {
      try await transfers.upload(folder.appending("k"), to: "k", of: client, in: session())
      XCTFail("a key of one hour signed for six")
    } catch is CredentialError {}
  }

  @MainActor
  func testSystemIsToldWhenEventsAreDelivered() async {
    await withCheckedContinuation { continuation in
      transfers.whenEventsAreDelivered {
        MainActor.assertIsolated()
        continuation.resume()
      }
      transfers.callSystemCompletion()
    }
    transfers.callSystemCompletion()
  }
}
