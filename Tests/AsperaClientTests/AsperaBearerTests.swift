// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests a client with a bearer token, for which a node identifies files by IDs.
final class AsperaBearerTests: XCTestCase {
  private let node = IdentifiedNode()
  private let time = ManualClock()

  private func client(
    root: String = "/", rootFileID: String? = nil, access: AsperaNodeAccess = .bearer(Secret("eJx1"), accessKey: "ak"),
    login: AsperaTransferOptions.Login = .dynamicKey, _ transport: RecordingTransport? = nil
  ) -> StorageClient<AsperaProvider> {
    client(root: root, rootFileID: rootFileID, StaticCredentialProvider(access), login: login, transport, at: time)
  }

  private func client(
    root: String = "/", rootFileID: String? = nil, _ credentials: some CredentialProvider<AsperaNodeAccess>,
    login: AsperaTransferOptions.Login = .dynamicKey, _ transport: RecordingTransport? = nil, at time: any SigningClock
  ) -> StorageClient<AsperaProvider> {
    SecretWatch.install()
    SecretWatch.add(Secret("eJx1"))
    return StorageClient(
      .aspera(
        node: nodeURL, root: root, rootFileID: rootFileID, transfers: AsperaTransferOptions(login: login, engine: node)),
      credentials: credentials, configuration: .test, transport: transport ?? RecordingTransport(node.reply), time: time
    )
  }

  // matrix: Aspera Node (bearer): header
  func testBearerTokenTransfersListsAndDeletesFilesByID() async throws {
    let transport = RecordingTransport(node.reply)
    let client = client(transport)
    try await client.upload([1, 2, 3], to: "2026/11/cat.jpg")
    try await client.upload([4], to: "top")
    XCTAssertEqual(node.contents, ["/2026/11/cat.jpg": [1, 2, 3], "/top": [4]])
    let info = try await client.head("2026/11/cat.jpg")
    XCTAssertEqual(info.size, 3)
    XCTAssertEqual(info.lastModified, Timestamp(iso8601: "2026-11-20T08:00:00Z"))
    let names = try await client.list().names
    XCTAssertEqual(names, ["2026/11/cat.jpg", "top"])
    let bytes = try await client.download("2026/11/cat.jpg", upTo: 10)
    XCTAssertEqual(bytes, [1, 2, 3])
    let report = try await client.delete(["2026/11/cat.jpg", "2026/11", "never/there"])
    XCTAssertEqual(report.deleted.sorted(), ["2026/11/cat.jpg", "never/there"])
    XCTAssertEqual(report.failures.map(\.code), ["IsFolder"])
    try await client.deleteFolder("2026")
    try await client.deleteFolder("2026")
    XCTAssertEqual(node.contents, ["/top": [4]])
    XCTAssertTrue(transport.requests.allSatisfy { $0.headers[.init("X-Aspera-AccessKey") ?? .authorization] == "ak" })
    let basicOnly = ["browse", "create", "delete", "upload_setup", "download_setup"]
    XCTAssertFalse(
      transport.requests.contains { request in basicOnly.contains { request.path.contains("/files/\($0)") } })
  }

  func testFileWithAControlCharacterDoesNotHideItsFolder() async throws {
    _ = (node.put([1], at: "a/b\tc"), node.put([2], at: "a/d"))
    let names = try await client().list(prefix: "a/").names
    XCTAssertEqual(names, ["a/b\tc", "a/d"])
  }

  func testTransferHasTheTagsAndTheTokenOfTheBearer() async throws {
    let folder = node.put([1], at: "a/b/c").isEmpty ? "" : "102"
    let client = client()
    _ = try await client.download("a/b/c", upTo: 10)
    try await client.upload([2], to: "a/d")
    let (download, upload) = (node.attempts[0], node.attempts[1])
    XCTAssertEqual(download.token?.reveal(), "Bearer eJx1")
    XCTAssertEqual(download.tags?["aspera"]?["node"], ["access_key": "ak", "file_id": .string(folder)])
    XCTAssertEqual(download.paths.map(\.source), ["c"])
    XCTAssertEqual(upload.tags?["aspera"]?["node"], ["access_key": "ak", "file_id": "1"])
    XCTAssertEqual(upload.paths.map(\.destination), ["a/d"])
    XCTAssertEqual(upload.remoteHost, "127.0.0.1")
    XCTAssertEqual(upload.remoteUser, "xfer")
    XCTAssertEqual(upload.sshPort, 33001)
    XCTAssertEqual(node.publicKeys.count, 1)
    XCTAssertEqual(node.publicKeys[0]["username"], "xfer")
  }

  func testCallersServerReplacesTheHostOfTheNode() async throws {
    let server = TransferServer(host: "fast.example.com", sshPort: 22, udpPort: 33003)
    let client = StorageClient(
      .aspera(node: nodeURL, transfers: AsperaTransferOptions(login: .dynamicKey, server: server, engine: node)),
      credentials: .bearer(Secret("eJx1"), accessKey: "ak"), configuration: .test,
      transport: RecordingTransport(node.reply), time: time)
    try await client.upload([2], to: "a")
    XCTAssertEqual(node.attempts[0].remoteHost, "fast.example.com")
    XCTAssertEqual(node.attempts[0].sshPort, 22)
    XCTAssertEqual(node.attempts[0].udpPort, 33003)
  }

  func testLoginThatExcludesAPartOfTheServerIsAnError() async throws {
    let account = try AsperaAccount(host: "h", user: "u", password: Secret("not-a-password"))
    let cases: [(AsperaTransferOptions.Login, TransferServer, String)] = [
      (.account(account), TransferServer(host: "h", sshPort: 1), "account of the login excludes host and sshPort"),
      (.webSocket(), TransferServer(host: "h", udpPort: 1), "WebSocket excludes udpPort"),
    ]
    for (login, server, says) in cases {
      let client = StorageClient(
        .aspera(node: nodeURL, transfers: AsperaTransferOptions(login: login, server: server, engine: node)),
        credentials: .bearer(Secret("eJx1"), accessKey: "ak"), configuration: .test,
        transport: RecordingTransport(node.reply), time: time)
      await assertThrows(StorageError.self, { try await client.upload([1], to: "a") }) {
        XCTAssertEqual($0.code, .invalidOption)
        XCTAssertTrue($0.message.contains(says), $0.message)
      }
    }
  }

  func testWebSocketNeedsNoLoginAndNoSetupRequest() async throws {
    let client = client(login: .webSocket())
    try await client.upload([1], to: "a")
    XCTAssertEqual(node.contents, ["/a": [1]])
    XCTAssertEqual(node.publicKeys, [])
    let spec = node.attempts[0]
    XCTAssertEqual(spec.remoteHost, "127.0.0.1")
    XCTAssertEqual(spec.offersWebSocket, true)
    XCTAssertEqual(spec.webSocketPort, 443)
    XCTAssertNil(spec.sshPrivateKey)
  }

  func testRootFolderAndRootFileIDPrecedeTheKeys() async throws {
    let id = node.put(nil, at: "home")
    node.put([1, 2], at: "photos/cat", below: id)
    let transport = RecordingTransport(node.reply)
    let client = client(root: "/photos", rootFileID: id, transport)
    let names = try await client.list().names
    XCTAssertEqual(names, ["cat"])
    try await client.upload([3], to: "dog")
    XCTAssertEqual(node.contents["/home/photos/dog"], [3])
    XCTAssertFalse(transport.requests.contains { $0.path == "/self" })
  }

  func testAccessKeyWithARootFileIDWorksByID() async throws {
    node.accept(["Basic YWs6bm90LWEtcGFzc3dvcmQ="])
    let client = client(rootFileID: "1", access: .accessKey(id: "ak", secret: Secret("not-a-password")))
    node.put([1], at: "a")
    let names = try await client.list().names
    XCTAssertEqual(names, ["a"])
  }

  func testFoldersOfAPathAreResolvedOnce() async throws {
    node.put([1], at: "a/b/one")
    node.put([1], at: "a/b/two")
    let transport = RecordingTransport(node.reply)
    let client = client(transport)
    _ = try await client.head("a/b/one")
    XCTAssertEqual(transport.requests.count, 4)
    _ = try await client.head("a/b/two")
    XCTAssertEqual(transport.requests.count, 5)
    time.advance(by: .seconds(61))
    _ = try await client.head("a/b/two")
    XCTAssertEqual(transport.requests.count, 8)
  }

  func testFolderThatWasReplacedIsResolvedAgain() async throws {
    let old = node.put(nil, at: "a")
    node.put([1], at: "a/k")
    let client = client()
    _ = try await client.head("a/k")
    node.remove(old)
    node.put([1, 2], at: "a/k")
    let info = try await client.head("a/k")
    XCTAssertEqual(info.size, 2)
  }

  func testFolderThatAnotherClientRenamedIsFoundAfterAMinute() async throws {
    let old = node.put(nil, at: "a")
    node.put([1], at: "a/k")
    let client = client()
    _ = try await client.head("a/k")
    node.rename(old, to: "b")
    node.put([1, 2], at: "a/k")
    time.advance(by: .seconds(60))
    let info = try await client.head("a/k")
    XCTAssertEqual(info.size, 2)
  }

  func testOwnDeletionDiscardsTheFoldersBelow() async throws {
    node.put([1], at: "a/b/k")
    let client = client()
    _ = try await client.head("a/b/k")
    try await client.deleteFolder("a")
    try await client.createFolder("a/b")
    try await client.createFolder("a/b")
    await assertThrows(ServiceError.self, { _ = try await client.head("a/b/k") }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
    await assertThrows(ServiceError.self, { _ = try await client.head("a/b") }) { XCTAssertEqual($0.code, "IsFolder") }
  }

  func testFolderThatAnotherClientDeletedIsCreatedAgain() async throws {
    let client = client()
    for key in ["a", "a/b", "a/b/c"] {
      let old = node.put(nil, at: "a")
      node.put([1], at: "a/b/k")
      _ = try await client.head("a/b/k")
      node.remove(old)
      try await client.createFolder(key)
      await assertThrows(ServiceError.self, { _ = try await self.client().head(key) }) {
        XCTAssertEqual($0.code, "IsFolder", key)
      }
      node.remove(node.put(nil, at: "a"))
    }
  }

  func testFolderThatIsCachedDuringItsChangeIsForgotten() async throws {
    let sharedClient = Lock<StorageClient<AsperaProvider>?>(nil)
    let transport = RecordingTransport { [node] request throws(TransportError) in
      if request.method == .put || request.method == .delete, let client = sharedClient.withLock({ $0 }) {
        _ = try? await client.head("a/k")
      }
      return try await node.reply(to: request)
    }
    let client = client(transport)
    sharedClient.withLock { $0 = client }
    node.put([1], at: "a/k")
    try await client.rename("a", to: "b")
    await assertThrows(ServiceError.self, { _ = try await client.head("a/k") }) { XCTAssertEqual($0.kind, .noSuchKey) }
    node.put([1], at: "a/k")
    try await client.deleteFolder("a")
    let count = transport.requests.count
    await assertThrows(ServiceError.self, { _ = try await client.head("a/k") }) { XCTAssertEqual($0.kind, .noSuchKey) }
    XCTAssertEqual(transport.requests.count, count + 1, "the deleted folder is not listed")
  }

  func testRenamedFolderIsFoundByItsNewName() async throws {
    node.put([1], at: "a/b/k")
    let client = client()
    _ = try await client.head("a/b/k")
    try await client.rename("a/b", to: "c")
    let names = try await client.list().names
    XCTAssertEqual(names, ["a/c/k"])
    await assertThrows(ServiceError.self, { _ = try await client.head("a/b/k") }) {
      XCTAssertEqual($0.kind, .noSuchKey)
    }
    for name in ["", "..", "a/b", "a\n"] {
      await assertThrows(StorageError.self, { try await client.rename("a/c", to: name) }) {
        XCTAssertEqual($0.code, .invalidKey)
      }
    }
  }

  func testFileInThePlaceOfAFolderIsAnError() async throws {
    node.put([1], at: "a")
    await assertThrows(ServiceError.self, { try await client().createFolder("a/b") }) {
      XCTAssertEqual($0.status, .conflict)
    }
  }

  func testLargeFolderIsListedWithIterationTokens() async throws {
    for number in 0..<25 { node.put([], at: "many/\(number)") }
    let transport = RecordingTransport(node.reply)
    let names = try await client(transport).list(prefix: "many/").names
    XCTAssertEqual(names, (0..<25).map { "many/\($0)" }.sorted())
    XCTAssertEqual(transport.requests.compactMap { $0.parameter("iteration_token") }, ["page-10", "page-20"])
  }

  func testNameIsFoundAlthoughTheNodeIgnoresTheFilter() async throws {
    for number in 0..<25 { node.put([], at: "\(number)") }
    node.ignoreNames()
    let info = try await client().head("7")
    XCTAssertEqual(info.key, "7")
  }

  func testRepeatedIterationTokenEndsTheListing() async throws {
    node.put([], at: "a")
    node.repeatTokens()
    await assertThrows(StorageError.self, { _ = try await client().list().names }) {
      XCTAssertTrue($0.message.contains("repeats"), $0.message)
    }
  }

  // matrix: Aspera Node (bearer): bad input
  func testEntriesThatLeadOutOfTheFolderAreRejected() async throws {
    for (name, id) in [
      ("..", "5"), ("a/b", "5"), ("", "5"), ("a", ""), ("a", "1\n2"), ("a", String(repeating: "1", count: 256)),
    ] {
      let transport = RecordingTransport { request throws(TransportError) in
        request.path == "/self"
          ? HTTPStreamingResponse(200, #"{"root_file_id":"1"}"#)
          : HTTPStreamingResponse(
            200,
            (["id": .string(id), "name": .string(name), "type": "file", "size": 1] as JSONValue).inArray.serialized, [:]
          )
      }
      await assertThrows(StorageError.self, { _ = try await client(transport).list().names }) { _ in }
    }
  }

  func testLinkCountsAsAFileThatIsNotWalked() async throws {
    node.put([], at: "shared", type: "link")
    let names = try await client().list().names
    XCTAssertEqual(names, ["shared"])
  }

  func testInvalidRootFileIDIsAConfigurationError() async throws {
    for id in ["", "a b", "1\n"] {
      await assertThrows(SigningError.self, { _ = try await client(rootFileID: id).head("k") }) {
        XCTAssertEqual($0.code, .invalidConfiguration)
      }
    }
  }

  // matrix: Aspera Node (bearer): forced refresh
  func testRejectedBearerIsRenewedForTheNextAttempt() async throws {
    let counter = Counter()
    let provider = ClosureCredentialProvider(source: "app") { [node] in
      let number = counter.next()
      node.accept(["Bearer eJx\(number)"])
      return AsperaNodeAccess.bearer(Secret("eJx\(number)"), accessKey: "ak")
    }
    let client = client(provider, at: RushingTime())
    try await client.upload([1], to: "a")
    node.accept([])
    try await client.upload([2], to: "b")
    XCTAssertEqual(node.contents, ["/a": [1], "/b": [2]])
    XCTAssertEqual(node.attempts.map { $0.token?.reveal() }, ["Bearer eJx1", "Bearer eJx1", "Bearer eJx2"])
  }
}

/// A counter that several tasks may advance.
private final class Counter: Sendable {
  private let value = Lock(0)

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}

extension JSONValue {
  fileprivate var inArray: JSONValue { .array([self]) }
}
