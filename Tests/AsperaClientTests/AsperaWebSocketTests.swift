// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests transfers of a client whose login is a WebSocket.
final class AsperaWebSocketTests: XCTestCase {
  func testTransfersUseAWebSocketWithTheNodesTokenAndNoAccount() async throws {
    let hostKey = String(repeating: "ab", count: 20)
    let answer: JSONValue = ["wss_enabled": true, "wss_port": 9093, "sshfp": .string(hostKey)]
    let service = NodeService(answer: try XCTUnwrap(answer.object))
    for (login, port) in [(AsperaTransferOptions.Login.webSocket(), 9093), (.webSocket(port: 443), 443)] {
      let engine = FileEngine(service)
      let client = asperaClient(RecordingTransport(service.reply), engine: engine, login: login)
      try await client.upload([1, 2], to: "k")
      let bytes = try await client.download("k", upTo: 10)
      XCTAssertEqual(bytes, [1, 2])
      XCTAssertEqual(engine.attempts.count, 2)
      for spec in engine.attempts {
        XCTAssertEqual(spec.offersWebSocket, true)
        XCTAssertEqual(spec.webSocketPort, port)
        XCTAssertEqual(spec.token?.reveal().hasPrefix("ATM2_token"), true)
        XCTAssertNil(spec.remotePassword)
        XCTAssertNil(spec.sshPrivateKey)
        XCTAssertNil(spec.sshPrivateKeyPath)
        XCTAssertNil(spec.sshfp)
        let arguments = try AscpCommand(spec).arguments()
        XCTAssertTrue(arguments.contains("--ws-connect"))
        XCTAssertEqual(arguments.firstIndex(of: "-P").map { arguments[$0 + 1] }, "\(port)")
        XCTAssertTrue(Set(arguments).isDisjoint(with: ["-O", "--check-sshfp"]), "\(arguments)")
      }
    }
  }

  func testNodeWithoutAWebSocketEndsTheTransfer() async throws {
    let service = NodeService(answer: try XCTUnwrap((["wss_enabled": false] as JSONValue).object))
    let engine = FileEngine(service)
    let client = asperaClient(RecordingTransport(service.reply), engine: engine, login: .webSocket())
    await assertThrows(TransferFailure.self, { try await client.upload([1], to: "k") }) {
      XCTAssertTrue($0.message.contains("no WebSocket"), $0.message)
    }
    XCTAssertEqual(engine.attempts.count, 0)
  }
}
