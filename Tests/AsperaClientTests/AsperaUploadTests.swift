// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import StorageAuth
import StorageClient
import XCTest

/// Tests uploads to a node from files, memory and streams.
final class AsperaUploadTests: XCTestCase {
  private let service = NodeService()

  // matrix: Aspera transfer (issuer): header
  func testFileIsSentFromItsLocation() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1000), to: "cat.jpg")
    let engine = FileEngine(service)
    let transport = RecordingTransport(service.reply)
    let stored = try await asperaClient(transport, engine: engine, root: "/photos").upload(file, to: "2026/cat.jpg")
    XCTAssertEqual(service.files, ["/photos/2026/cat.jpg": pattern(1000)])
    XCTAssertEqual(stored.size, 1000)
    XCTAssertEqual(stored.key, "2026/cat.jpg")
    XCTAssertNil(stored.checksum)
    let spec = try XCTUnwrap(engine.attempts.first)
    XCTAssertEqual(spec.paths, [TransferPath(file.string, to: "2026/cat.jpg")])
    XCTAssertEqual(spec.destinationRoot, "/photos")
    XCTAssertEqual(spec.createsFolder, true)
    XCTAssertEqual(spec.remoteHost, "files.example.com")
    XCTAssertEqual(spec.remoteUser, "xfer")
    XCTAssertEqual(spec.sshPort, 33002)
    XCTAssertEqual(spec.token?.reveal(), "ATM2_token-1")
    XCTAssertEqual(transport.requests.map(\.path), ["/files/upload_setup"])
  }

  func testCallersServerIsSentToTheNodeAndUsedWhateverTheNodeReturns() async throws {
    let named = TransferServer(host: "fast.example.com", sshPort: 22, udpPort: 33003)
    let cases: [(AsperaTransferOptions.Login, TransferServer, String?)] = [
      (.dynamicKey, TransferServer(), nil), (.dynamicKey, named, "fast.example.com"), (.webSocket(), .init(), nil),
      (.webSocket(), .init(host: "fast.example.com"), "fast.example.com"),
    ]
    for (login, server, expected) in cases {
      let transport = RecordingTransport(service.reply)
      let engine = FileEngine(service)
      let transfers = AsperaTransferOptions(login: login, server: server, engine: engine)
      let client = StorageClient(
        .aspera(node: nodeURL, transfers: transfers), credentials: nodeAccess, configuration: .test,
        transport: transport, time: RushingTime())
      try await client.upload([1], to: "k")
      let body = try JSONValue(parsing: XCTUnwrap(transport.requests.first).body)
      let request = body["transfer_requests"]?[0]?["transfer_request"]
      XCTAssertEqual(request?["remote_host"]?.string, expected)
      XCTAssertEqual(request?["ssh_port"]?.integer, server.sshPort)
      XCTAssertEqual(request?["fasp_port"]?.integer, server.udpPort)
      XCTAssertEqual(engine.attempts.first?.remoteHost, server.host ?? "files.example.com")
      XCTAssertEqual(engine.attempts.first?.sshPort, server.sshPort ?? 33002)
      if let port = server.udpPort { XCTAssertEqual(engine.attempts.first?.udpPort, port) }
    }
  }

  // matrix: Aspera transfer (key): header
  func testDynamicKeyIsSharedBetweenNodeAndEngine() async throws {
    let engine = FileEngine(service)
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, engine: engine)
    for key in ["a", "b"] { try await client.upload([1], to: key) }
    let lines = try transport.requests.map { request in
      try JSONValue(parsing: request.body)["transfer_requests"]?[0]?["transfer_request"]?["public_keys"]?.string
    }
    XCTAssertEqual(lines.count, 2)
    XCTAssertEqual(lines.first??.hasPrefix("ssh-rsa "), true)
    XCTAssertEqual(Set(lines).count, 1, "all transfers of a client must share one key")
    for spec in engine.attempts {
      XCTAssertEqual(spec.sshPrivateKey?.reveal().contains("PRIVATE KEY"), true)
      XCTAssertNil(spec.remotePassword)
    }
    for request in transport.requests {
      XCTAssertFalse(String(decoding: request.body, as: UTF8.self).contains("PRIVATE KEY"))
    }
  }

  // matrix: Aspera transfer (password): header
  func testConfiguredAccountAuthenticates() async throws {
    let engine = FileEngine(service)
    try await asperaClient(RecordingTransport(service.reply), engine: engine, login: .password()).upload([1], to: "a")
    XCTAssertEqual(engine.attempts.first?.remotePassword?.reveal(), "not-a-password")
    XCTAssertNil(engine.attempts.first?.sshPrivateKey)
  }

  func testPasswordIsNotSentToAnotherHost() async throws {
    let engine = FileEngine(service)
    let login = AsperaTransferOptions.Login.account(
      try AsperaAccount(host: "mine.example.com", user: "xfer", password: Secret("not-a-password")))
    await assertThrows(
      TransferFailure.self,
      { try await asperaClient(RecordingTransport(service.reply), engine: engine, login: login).upload([1], to: "a") }
    ) { XCTAssertEqual($0.kind, .caller) }
    XCTAssertEqual(engine.attempts.count, 0)
  }

  func testRatesAndTokenLifetimeAreRequested() async throws {
    let transport = RecordingTransport(service.reply)
    let engine = FileEngine(service)
    let client = StorageClient(
      .aspera(
        node: nodeURL,
        transfers: AsperaTransferOptions(
          login: .dynamicKey, engine: engine, targetRate: 100_000, minimumRate: 10, ratePolicy: .fair,
          tokenLifetime: .seconds(600))), credentials: nodeAccess, transport: transport)
    try await client.upload([1], to: "a")
    let asked = try JSONValue(parsing: XCTUnwrap(transport.requests.first).body)["transfer_requests"]?[0]?[
      "transfer_request"]
    XCTAssertEqual(asked?["target_rate_kbps"], 100_000)
    XCTAssertEqual(asked?["min_rate_kbps"], 10)
    XCTAssertEqual(asked?["rate_policy"], "fair")
    XCTAssertEqual(asked?["token_life_seconds"], 600)
    XCTAssertEqual(engine.attempts.first?.targetRate, 100_000)
  }

  func testBytesAndStreamsAreSentFromAFileReadableOnlyByItsOwner() async throws {
    let seen = Collected<(path: String, permissions: [NSNumber?])>()
    let engine = FileEngine(
      service,
      before: { spec, _ in
        let path = spec.paths[0].source
        let places = [path, (path as NSString).deletingLastPathComponent]
        let permissions = places.map {
          (try? FileManager.default.attributesOfItem(atPath: $0))?[.posixPermissions] as? NSNumber
        }
        seen.append((path, permissions))
      })
    let client = asperaClient(RecordingTransport(service.reply), engine: engine)
    let bytes = pattern(600_000)
    let stored = try await client.upload(bytes, to: "bytes")
    XCTAssertEqual(stored.checksum, crc(bytes))
    let chunks = AsyncStream<[UInt8]> { continuation in
      for start in stride(from: 0, to: bytes.count, by: 7000) {
        continuation.yield(Array(bytes[start..<min(start + 7000, bytes.count)]))
      }
      continuation.finish()
    }
    let streamed = try await client.upload(chunks, length: 600_000, to: "stream")
    XCTAssertEqual(streamed.checksum, crc(bytes))
    XCTAssertEqual(service.files, ["/bytes": bytes, "/stream": bytes])
    XCTAssertEqual(seen.values.map(\.permissions), [[0o600, 0o700], [0o600, 0o700]])
    for path in seen.values.map(\.path) { XCTAssertFalse(FileManager.default.fileExists(atPath: path), path) }
  }

  func testStreamOfAnotherLengthIsRejectedBeforeTheTransfer() async throws {
    let engine = FileEngine(service)
    let stream = AsyncStream<[UInt8]> { continuation in
      continuation.yield([1, 2, 3])
      continuation.finish()
    }
    await assertThrows(
      StorageError.self,
      {
        try await asperaClient(RecordingTransport(service.reply), engine: engine).upload(stream, length: 4, to: "k")
      }
    ) { XCTAssertEqual($0.code, .sourceChanged) }
    XCTAssertEqual(engine.attempts.count, 0)
  }

  func testStreamIsNotReadToItsEndIfItIsLongerThanAnnounced() async throws {
    let engine = FileEngine(service)
    let chunkCount = 400
    let readChunks = Collected<Int>()
    let stream = ByteStream {
      var count = 0
      return {
        guard count < chunkCount else { return nil }
        count += 1
        readChunks.append(count)
        return [UInt8](repeating: 1, count: 100_000)
      }
    }
    await assertThrows(
      StorageError.self,
      {
        try await asperaClient(RecordingTransport(service.reply), engine: engine).upload(stream, length: 4, to: "k")
      }
    ) {
      XCTAssertEqual($0.code, .sourceChanged)
      XCTAssertTrue($0.message.contains("more bytes than the 4 that were announced"), $0.message)
    }
    XCTAssertLessThan(readChunks.values.count, chunkCount / 10)
    XCTAssertEqual(engine.attempts.count, 0)
  }

  // matrix: Aspera transfer (issuer): bad input
  func testUnsupportedUploadOptionsAreRejectedByName() async throws {
    let engine = FileEngine(service)
    let transport = RecordingTransport(service.reply)
    let client = asperaClient(transport, engine: engine)
    let refused: [(String, UploadOptions)] = [
      ("contentType", UploadOptions(contentType: "image/jpeg")), ("metadata", UploadOptions(metadata: ["a": "b"])),
      ("cacheControl", UploadOptions(cacheControl: "no-store")),
      ("contentDisposition", UploadOptions(contentDisposition: "inline")),
      ("contentEncoding", UploadOptions(contentEncoding: "gzip")),
      ("forbidOverwrite", UploadOptions(forbidOverwrite: true)), ("storageClass", UploadOptions(storageClass: "IA")),
      ("headers", UploadOptions(headers: [.accept: "x"])),
    ]
    for (name, options) in refused {
      await assertThrows(StorageError.self, { try await client.upload([1], to: "k", options: options) }) {
        XCTAssertEqual($0.code, .unsupported)
        XCTAssertTrue($0.message.contains(name), $0.message)
      }
    }
    XCTAssertEqual(transport.requests.count + engine.attempts.count, 0)
  }

  func testMissingFileAndDirectoryAreRejected() async throws {
    let directory = try TemporaryDirectory(self)
    let client = asperaClient(RecordingTransport(service.reply), engine: FileEngine(service))
    for path in [directory.path("missing"), directory.path("")] {
      await assertThrows(StorageError.self, { try await client.upload(path, to: "k") }) {
        XCTAssertEqual($0.code, .unusableFile)
      }
    }
  }

  func testProgressIsReportedUntilTheEnd() async throws {
    let told = Collected<TransferProgress>()
    try await asperaClient(RecordingTransport(service.reply), engine: FileEngine(service)).upload(
      pattern(1001), to: "k"
    ) { told.append($0) }
    XCTAssertEqual(told.values.last?.completed, 1001)
    XCTAssertEqual(told.values.last?.fractionCompleted, 1)
    XCTAssertEqual(told.values.map(\.completed), told.values.map(\.completed).sorted())
  }
}
