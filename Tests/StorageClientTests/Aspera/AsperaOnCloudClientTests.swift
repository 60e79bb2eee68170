// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaTransfer
import LocalCloud
import StorageClient
import XCTest

/// Tests how a client finds a user's home folder in Aspera on Cloud.
final class AsperaOnCloudClientTests: XCTestCase {
  func testHomeFolderHasAllThatAClientOfItsNodeNeeds() async throws {
    let applications = try await LocalApplications(self)
    let folder = try await applications.onCloud().homeFolder()
    XCTAssertEqual(folder.workspace.name, "Default")
    XCTAssertEqual(folder.nodeURL, applications.cloud.nodeURL)
    XCTAssertEqual(folder.accessKey, key.id.string)
    XCTAssertFalse(folder.fileID.isEmpty)
    XCTAssertNil(folder.transferHost)
    XCTAssertEqual(folder.tags["aspera"]?["app"], "files")
    XCTAssertEqual(folder.tags["aspera"]?["files"]?["workspace_id"]?.string, folder.workspace.id)
    let access = try await folder.credentials.credential()
    guard case .bearer(let token, let accessKey) = access.method else { return XCTFail("\(access)") }
    XCTAssertEqual(accessKey, folder.accessKey)
    XCTAssertEqual(try NodeBearerToken(token).claims.scope, NodeScope(accessKey: folder.accessKey))
  }

  func testWorkspaceIsFoundByItsName() async throws {
    let applications = try await LocalApplications(self)
    let cloud = applications.onCloud()
    let all = try await cloud.workspaces()
    XCTAssertEqual(all.map(\.name), ["Default", "Film"])
    let film = try await cloud.homeFolder(inWorkspace: "film")
    XCTAssertEqual(film.workspace, all[1])
    await assertThrows(StorageError.self) { _ = try await cloud.workspace("Fil") }
  }

  func testProviderFindsTheHomeFolderWithTheFirstOperation() async throws {
    let applications = try await LocalApplications(self)
    let log = EventLog()
    let client = StorageClient(
      .aspera(
        onCloud: applications.onCloud(), workspace: "Film",
        transfers: AsperaTransfers(
          login: .account(try applications.account()), ascp: applications.simulator,
          queue: TransferQueueConfiguration(startSpacing: .zero, retryDelay: .zero))), configuration: .test,
      events: log.events)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 { group.addTask { try await client.upload(pattern(100), to: "a/\(number)") } }
      try await group.waitForAll()
    }
    let names = try await client.list().names
    XCTAssertEqual(names, ["a/0", "a/1", "a/2", "a/3"])
    let bytes = try await client.download("a/2", upTo: 200)
    XCTAssertEqual(bytes, pattern(100))
    try await client.node().rename("a/2", to: "b")
    let report = try await client.delete(["a/0", "a/1", "a/2", "a/3", "a/b"])
    XCTAssertEqual(report.deleted.count, 5)
    await assertThrows(ServiceError.self) { _ = try await client.head("a/b") }
    XCTAssertEqual(Set(log.signatures.map(\.identity)), [key.id.string, "xfer"])
  }

  func testTransfersHaveTheTagsOfTheWorkspaceAndTheDirection() async throws {
    let applications = try await LocalApplications(self)
    let folder = try await applications.onCloud().homeFolder()
    let provider = folder.provider(root: "/", transfers: AsperaTransfers())
    for (direction, action) in [(TransferDirection.send, "upload_files"), (.receive, "download_files")] {
      let files = provider.tags[direction]?["aspera"]?["files"]
      XCTAssertEqual(files?["files_transfer_action"]?.string, action)
      XCTAssertEqual(files?["workspace_id"]?.string, folder.workspace.id)
    }
  }

  func testFailedSearchForTheHomeFolderIsRepeated() async throws {
    let applications = try await LocalApplications(self)
    let client = StorageClient(.aspera(onCloud: applications.onCloud(), workspace: "Nowhere"), configuration: .test)
    for _ in 1...2 {
      await assertThrows(StorageError.self, { _ = try await client.head("k") }) {
        XCTAssertEqual($0.code, .invalidOption)
      }
    }
  }

  func testRefusedGrantIsReportedWithItsRemedy() async throws {
    let applications = try await LocalApplications(self)
    await assertThrows(CredentialError.self, { _ = try await applications.onCloud(secret: "wrong").workspaces() }) {
      XCTAssertEqual($0.code, .rejected)
      XCTAssertTrue($0.remedy.contains("secret of the API client"), "\($0)")
    }
    await assertThrows(CredentialError.self, { _ = try await applications.onCloud("eve@example.com").workspaces() }) {
      XCTAssertTrue($0.remedy.contains("public key is registered"), "\($0)")
    }
  }
}
