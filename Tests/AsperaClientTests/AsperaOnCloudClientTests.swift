// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageAuth
import StorageClient
import XCTest

/// Tests how a client finds a user's home folder in Aspera on Cloud.
final class AsperaOnCloudClientTests: XCTestCase {
  func testHomeFolderHasAllThatAClientOfItsNodeNeeds() async throws {
    let applications = try await LocalApplications(self)
    let folder = try await applications.onCloud().homeFolder()
    XCTAssertEqual(folder.workspace.name, "Default")
    XCTAssertEqual(folder.nodeURL, applications.cloud.nodeURL)
    XCTAssertEqual(folder.accessKeyID, key.id.string)
    XCTAssertFalse(folder.fileID.isEmpty)
    XCTAssertNil(folder.transferHost)
    XCTAssertEqual(folder.tags["aspera"]?["app"], "files")
    XCTAssertEqual(folder.tags["aspera"]?["files"]?["workspace_id"]?.string, folder.workspace.id)
    let access = try await folder.credentials.credential()
    guard case .bearer(let token, let accessKey) = access.method else { return XCTFail("\(access)") }
    XCTAssertEqual(accessKey, folder.accessKeyID)
    XCTAssertEqual(try NodeBearerToken(token).claims.scope, NodeScope(accessKey: folder.accessKeyID))
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
        transfers: AsperaTransferOptions(
          login: .account(try applications.account()), ascp: applications.simulator,
          queue: TransferQueueConfiguration(startSpacing: .zero, retryDelay: .zero))), configuration: .test,
      transport: NetworkTransport.shared, events: log.events)
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
    let provider = folder.provider(root: "/", transfers: AsperaTransferOptions())
    for (direction, action) in [(TransferDirection.send, "upload_files"), (.receive, "download_files")] {
      let files = provider.tags[direction]?["aspera"]?["files"]
      XCTAssertEqual(files?["files_transfer_action"]?.string, action)
      XCTAssertEqual(files?["workspace_id"]?.string, folder.workspace.id)
    }
  }

  func testFailedSearchForTheHomeFolderIsRepeated() async throws {
    let applications = try await LocalApplications(self)
    let transport = SwitchedTransport()
    let cloud = applications.onCloud(transport: transport)
    let client = StorageClient(
      .aspera(onCloud: cloud, transfers: AsperaTransferOptions(login: .account(try applications.account()))),
      configuration: .test, transport: NetworkTransport.shared)
    await assertThrows((any Error).self) { _ = try await client.list().names }
    transport.isOn = true
    let names = try await client.list().names
    XCTAssertEqual(names, [])
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

/// A transport that sends only token requests before it is switched on.
private final class SwitchedTransport: HTTPTransport {
  private let state = Lock(false)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    guard isOn || request.path?.contains("/oauth2/") == true else {
      throw TransportError(.cancelled, "The transport is off.", remedy: "Switch it on.")
    }
    return try await NetworkTransport.shared.send(request, body: body)
  }
}
