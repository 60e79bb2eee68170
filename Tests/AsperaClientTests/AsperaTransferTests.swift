// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import Foundation
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests token renewal, events, cancellation and errors of transfers.
final class AsperaTransferTests: XCTestCase {
  private let service = NodeService()
  private let log = EventLog()

  private func client(_ engine: any TransferEngine) -> StorageClient<AsperaProvider> {
    asperaClient(RecordingTransport(service.reply), engine: engine, events: log.events)
  }

  // matrix: Aspera transfer (issuer): forced refresh
  func testRejectedTokenIsRenewedOnce() async throws {
    let engine = FileEngine(
      service,
      before: { [service] _, engine in
        if engine.attempts.count == 1 { service.revokeTokens() }
      })
    try await client(engine).upload([1, 2], to: "k")
    XCTAssertEqual(engine.attempts.map { $0.token?.reveal() }, ["ATM2_token-1", "ATM2_token-2"])
    XCTAssertEqual(service.tokensIssued, 2)
    XCTAssertEqual(service.files, ["/k": [1, 2]])
    XCTAssertEqual(log.transfers.map(\.failure), [nil])
  }

  func testRepeatedlyRejectedTokensEndInAFailure() async throws {
    let engine = FileEngine(service, before: { [service] _, _ in service.revokeTokens() })
    await assertThrows(TransferFailure.self, { try await client(engine).upload([1], to: "k") }) {
      XCTAssertEqual($0.kind, .token(.expired))
    }
    XCTAssertEqual(engine.attempts.count, 3)
  }

  func testRejectedAccountRequestsNoOtherToken() async throws {
    for kind in [TransferFailure.Kind.account, .hostKey, .authorization] {
      let engine = FileEngine(
        service,
        before: { _, _ throws(TransferFailure) in
          throw TransferFailure(kind, code: 19, "No.", remedy: "Look.")
        })
      let before = service.tokensIssued
      await assertThrows(TransferFailure.self, { try await client(engine).upload([1], to: "k") }) {
        XCTAssertEqual($0.kind, kind)
      }
      XCTAssertEqual(engine.attempts.count, 1)
      XCTAssertEqual(service.tokensIssued, before + 1)
    }
  }

  func testNodeErrorWithoutATokenIsTheCauseOfTheFailure() async throws {
    let engine = FileEngine(service)
    let transport = RecordingTransport { _ throws(TransportError) in
      HTTPStreamingResponse(
        200, #"{"transfer_specs":[{"error":{"code":403,"reason":"Forbidden","user_message":"No."}}]}"#)
    }
    await assertThrows(
      TransferFailure.self, { try await asperaClient(transport, engine: engine).upload([1], to: "k") }
    ) {
      guard case .issuer(let error) = $0.kind else { return XCTFail("\($0)") }
      XCTAssertEqual(error.code, .rejected)
    }
    XCTAssertEqual(engine.attempts.count, 0)
  }

  // matrix: Aspera transfer (issuer): redaction
  func testTransferIsReportedOnceWithoutItsToken() async throws {
    service.put([1, 2, 3], at: "/k")
    let client = client(FileEngine(service))
    try await client.upload([1, 2], to: "a/b")
    _ = try await client.download("k", upTo: 10)
    XCTAssertEqual(
      log.transfers.map(\.subject), ["upload aspera://127.0.0.1:9/a/b", "download aspera://127.0.0.1:9/k"])
    XCTAssertEqual(log.transfers.map(\.bytes), [2, 3])
    XCTAssertEqual(log.transfers.map(\.failure), [nil, nil])
    XCTAssertFalse(log.refreshes.isEmpty)
  }

  func testFailureIsReportedWithCodeMessageAndRemedy() async throws {
    let engine = FileEngine(
      service,
      before: { _, _ throws(TransferFailure) in
        throw TransferFailure(.hostKey, code: 51, "Another key.", remedy: "Look.")
      })
    _ = try? await client(engine).upload([1], to: "k")
    XCTAssertEqual(log.transfers.map(\.failure), ["51: Another key. Look."])
  }

  func testCancelledTransferLeavesNoFile() async throws {
    let directory = try TemporaryDirectory(self)
    service.put([1], at: "/k")
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let engine = FileEngine(
      service,
      before: { _, _ throws(TransferFailure) in
        start.yield()
        while !Task.isCancelled { await Task.yield() }
        throw TransferFailure(.cancelled, "Stopped.", remedy: "None.")
      })
    let client = client(engine)
    let file = directory.path("k")
    let task = Task { try await client.download("k", to: file) }
    for await _ in starts { break }
    task.cancel()
    await assertThrows(CancellationError.self) { _ = try await task.value }
    XCTAssertEqual(try directory.names, [])
    XCTAssertEqual(log.transfers.map(\.failure), ["It was cancelled."])
  }

  func testMissingAscpIsReportedWithTheSearchedLocation() async throws {
    let client = StorageClient(
      .aspera(node: nodeURL, transfers: AsperaTransferOptions(login: .dynamicKey, ascp: "/nowhere/ascp")),
      credentials: nodeAccess, transport: RecordingTransport(service.reply))
    await assertThrows(AsperaError.self, { try await client.upload([1], to: "k") }) {
      XCTAssertEqual($0.code, .toolNotFound)
      XCTAssertTrue($0.message.contains("/nowhere/ascp"))
    }
  }

  func testUnsupportedOperationsAreAbsentFromTheType() throws {
    let provider: Any = AsperaProvider(node: nodeURL)
    XCTAssertFalse(provider is any PresigningProvider)
    XCTAssertFalse(provider is any BucketProvider)
    XCTAssertTrue(provider is any StorageProvider)
    let client: Any = asperaClient(RecordingTransport(service.reply))
    XCTAssertFalse(client is any BucketStore)
    XCTAssertTrue(client is any ObjectStore)
    let buckets: [Any] = [ossClient(RecordingTransport(replies: [])), cosClient(RecordingTransport(replies: []))]
    XCTAssertTrue(buckets.allSatisfy { $0 is any BucketStore })
  }
}
