// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests specifications that request a WebSocket, which needs a token and no account.
final class WebSocketSigningTests: XCTestCase {
  private func specification(_ port: Int?) -> TransferSpec {
    var spec = TransferSpec(.send, [TransferPath("/a")], destinationRoot: "/up")
    spec.offersWebSocket = true
    spec.webSocketPort = port
    return spec
  }

  private func grant(_ fields: JSONValue = [:]) throws -> TransferCredential {
    var answer = TransferSpec(fields: JSONObject())
    answer.fields["remote_host"] = "files.example.com"
    answer.fields["remote_user"] = "xfer"
    answer.fields["ssh_port"] = 33001
    answer.fields["fasp_port"] = 33001
    answer.fields["sshfp"] = "6d3b30e1682631885606914fed0f4ab95ca9a755"
    for (name, value) in fields.object ?? JSONObject() { answer.fields[name] = value }
    return TransferCredential(token: try AsperaToken(Secret("ATM2_example_2MTA")), specification: answer)
  }

  private func sign(_ spec: TransferSpec, _ grant: TransferCredential) throws -> TransferSpec {
    try TransferSigner(account: nil).signed(spec, with: grant, in: .at(Timestamp(unixSeconds: 1_800_000_000)))
  }

  func testPortIsThatOfTheCallerOrOfTheGrantOrOfHTTPS() throws {
    for (own, granted, expected) in [(nil, nil, 443), (nil, 9093, 9093), (8443, 9093, 8443), (8443, nil, 8443)]
      as [(Int?, Int?, Int)]
    {
      let answer: JSONValue = granted.map { ["wss_enabled": true, "wss_port": .number(JSONNumber($0))] } ?? [:]
      let signed = try sign(specification(own), grant(answer))
      XCTAssertEqual(signed.webSocketPort, expected)
      XCTAssertEqual(signed.offersWebSocket, true)
    }
  }

  func testCommandChecksCertificatesInsteadOfTheHostKeyAndHasNoLogin() throws {
    let signed = try sign(specification(nil), grant())
    XCTAssertNil(signed.sshfp)
    var options = AscpOptions(tokenKeyPath: "/token-key")
    options.certificatesPath = "/ca.pem"
    let command = try AscpCommand(signed, options: options)
    XCTAssertEqual(
      command.arguments(fileListPath: "L"),
      [
        "-q", "-i", "/ca.pem", "--ws-connect", "--mode", "send", "--host", "files.example.com", "--user", "xfer", "-P",
        "443", "--dest64", "--file-list=L", "L3Vw",
      ])
    XCTAssertEqual(command.environment.keys.sorted(), ["ASPERA_SCP_TOKEN", "ASPERA_TEST_REDIS_DISABLE"])
  }

  func testWebSocketWithoutATokenOrAgainstTheServerIsRefused() throws {
    XCTAssertThrowsError(try sign(specification(443), grant(["wss_enabled": false]))) {
      XCTAssertTrue("\($0)".contains("no WebSocket"), "\($0)")
    }
    let granted = try grant()
    let bare = TransferCredential(token: nil, specification: granted.specification)
    XCTAssertThrowsError(try sign(specification(443), bare)) {
      XCTAssertTrue("\($0)".contains("without a token"), "\($0)")
    }
    var pinned = specification(443)
    pinned.sshfp = String(repeating: "ab", count: 20)
    let signed = try sign(pinned, granted)
    XCTAssertThrowsError(try AscpCommand(signed), "the caller's own host key is not dropped") {
      XCTAssertEqual(($0 as? AsperaError)?.code, .invalidHostKey)
    }
  }

  func testHostKeyOfAGrantThatOffersAWebSocketUnaskedIsKept() throws {
    var spec = specification(nil)
    spec.offersWebSocket = nil
    let signed = try sign(spec, grant(["wss_enabled": true, "wss_port": 443]))
    XCTAssertNotNil(signed.sshfp)
    XCTAssertThrowsError(try AscpCommand(signed))
  }
}
