// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests which tokens and arguments the simulator and the node reject, and with which error codes.
final class SimulatorRefusalTests: SimulatorTestCase {
  // matrix: Aspera transfer (token): expiry
  // matrix: Aspera transfer (token): verify
  func testTransferTokenIsAcceptedForItsScopeUntilItExpires() async throws {
    try await withNode { [self] cloud, client in
      let upload = try await client.setup(
        "upload_setup", ["destination_root": "/up", "token_life_seconds": 100])?["token"]?.string
      let token = try XCTUnwrap(upload)
      var outcome = try await refusal(cloud, token: token)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      XCTAssertFalse(outcome.errors.contains(token))

      outcome = try await refusal(cloud)
      assert(outcome, 34, .tokenMissing, "undefined")
      outcome = try await refusal(cloud, token: "ATM2_unknown_2MTA")
      assert(outcome, 34, .tokenRejected, "denied")
      outcome = try await refusal(cloud, to: "/elsewhere", token: token)
      assert(outcome, 34, .authorizationDenied, "file list")
      outcome = try await refusal(cloud, user: "mia", token: token)
      assert(outcome, 34, .authorizationDenied, "user")
      let there = try makeDirectory()
      outcome = try await Simulator.run(
        arguments("recv", cloud, user: "xfer", ["/up/a.bin"], to: there),
        ["ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": token])
      assert(outcome, 34, .authorizationDenied, "direction")

      clock.advance(by: .seconds(100))
      outcome = try await refusal(cloud, token: token)
      assert(outcome, 34, .tokenExpired, "expired 0 seconds")
      let later = try await client.setup("upload_setup", ["destination_root": "/up"])?["token"]?.string
      outcome = try await refusal(cloud, token: later)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
    }
  }

  func testDownloadTokenGrantsOnlyItsSources() async throws {
    try await withNode { [self] cloud, client in
      _ = try await refusal(cloud, user: "mia")
      _ = try await refusal(cloud, user: "mia", to: "/secret")
      let answer = try await client.setup("download_setup", ["paths": [["source": "/up"]]])
      let environment = [
        "ASPERA_SCP_PASS": "xfer-password", "ASPERA_SCP_TOKEN": try XCTUnwrap(answer?["token"]?.string),
      ]
      let there = try makeDirectory()
      let taken = try await Simulator.run(
        arguments("recv", cloud, user: "xfer", ["/up"], to: there, ["-d"]), environment)
      XCTAssertEqual(taken.status, 0, taken.errors)
      XCTAssertEqual(try read("up/a.bin", in: there), [1, 2, 3])
      for source in ["/secret", "/upper", "/up/../secret", "/"] {
        let outcome = try await Simulator.run(
          arguments("recv", cloud, user: "xfer", [source], to: there, ["-d"]), environment)
        XCTAssertEqual(outcome.status, 1, source)
        XCTAssertTrue([34, 41].contains(outcome.code ?? 0), source)
      }
    }
  }

  func testTokensExpireImmediatelyWhenConfigured() async throws {
    var configuration = configuration
    configuration.aspera.tokenLifetime = .zero
    try await withNode(configuration) { [self] cloud, client in
      let answer = try await client.setup("upload_setup", ["destination_root": "/up", "token_life_seconds": 100])
      let outcome = try await refusal(cloud, token: answer?["token"]?.string)
      assert(outcome, 34, .tokenExpired, "expired")
    }
  }

  func testBasicAndBearerTokensAuthenticateAnAccessKey() async throws {
    try await withNode { [self] cloud, client in
      var outcome = try await refusal(cloud, token: basicAuthorization("test-id", "test-secret"))
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      outcome = try await refusal(cloud, token: basicAuthorization("test-id", "wrong"))
      assert(outcome, 34, .tokenRejected, "bad token Basic")
      outcome = try await refusal(cloud, token: basicAuthorization("node-user", "node-password"))
      assert(outcome, 34, .tokenRejected, "bad token Basic")

      let key = try bearerKey()
      _ = try await client.put("/access_keys/self", ["token_verification_key": .string(key.publicKeyPEM)])
      let tags = ["--tags64", base64(#"{"aspera":{"node":{"access_key":"test-id","file_id":"1"}}}"#)]
      let token = "Bearer " + (try bearer(key))
      outcome = try await refusal(cloud, token: token, tags)
      assert(outcome, 34, .authorizationDenied, "no permission")
      try await client.permit("mia", on: "1", ["write", "mkdir"])
      outcome = try await refusal(cloud, token: token, tags)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      outcome = try await refusal(cloud, token: token)
      assert(outcome, 34, .authorizationDenied, "tags missing")
      outcome = try await refusal(cloud, token: "Bearer " + (try bearer(bearerKey())), tags)
      assert(outcome, 34, .tokenRejected, "bad token Bearer")
      clock.advance(by: .seconds(61))
      outcome = try await refusal(cloud, token: token, tags)
      assert(outcome, 37, .tokenExpired, "expired")
    }
  }

  func testUnsupportedOptionsAreUsageErrors() async throws {
    try await withNode { [self] cloud, _ in
      for option in ["-Z", "--unknown", "--unknown=1", "-q=1", "--keepalive=1", "-T", "-iii", "-P"] {
        let words = option == "-P" ? ["-P"] : [option, "--mode", "send"]
        let outcome = try await Simulator.run(words)
        XCTAssertEqual(outcome.status, 1, option)
        XCTAssertEqual(outcome.code, 8, option)
        XCTAssertTrue(outcome.errors.contains("simulator"), option)
      }
      let unknownMode = try await Simulator.run(["--mode", "sent", "--host", "127.0.0.1", "--user", "mia", "/a", "/b"])
      XCTAssertEqual(unknownMode.code, 8)
      XCTAssertFalse(unknownMode.text.contains("missing"), unknownMode.text)
      for name in ["ASPERA_SCP_TOKEN", "ASPERA_SCP_COOKIE"] {
        let outcome = try await Simulator.run(
          arguments("send", cloud, ["/dev/null"], to: "/a"), Self.password.merging([name: "a\nb"]) { _, new in new })
        XCTAssertEqual(outcome.code, 8)
        XCTAssertTrue(outcome.text.contains(name))
      }
      let version = try await Simulator.runAlone(["-A"])
      XCTAssertEqual(version.status, 0)
      XCTAssertTrue(version.output.contains("ascp-simulator") && version.output.contains("not IBM's ascp"))
      XCTAssertEqual(cloud.statistics.transfers.connections, 0)
    }
  }

  func testEmptyLineOfAFileListIsAUsageError() async throws {
    try await withNode { [self] cloud, client in
      let here = try makeDirectory()
      let files = try ["a", "b"].map { try write([1], to: $0, in: here) }
      for (option, lines) in [
        ("--file-pair-list", "\(files[0])\n\n\(files[1])\n\n"), ("--file-list", "\(files[0])\n\n\(files[1])\n"),
      ] {
        let list = try write(Array(lines.utf8), to: "list", in: here)
        let outcome = try await run("send", cloud, [], to: "/up", ["\(option)=\(list)"])
        XCTAssertEqual(outcome.code, 8, option)
        XCTAssertTrue(outcome.text.contains("Line 2 of the file list is empty"), outcome.text)
      }
      let names = try await client.names(in: "/")
      XCTAssertEqual(names, [])
    }
  }

  func testUnreachableHostsAndUnreadableFilesHaveSeparateCodes() async throws {
    let cloud = try await LocalCloud.start(configuration)
    var outcome = try await Simulator.run(
      arguments("send", cloud, ["/nowhere/at/all"], to: "/a"), Self.password)
    XCTAssertEqual(outcome.code, 43)
    outcome = try await Simulator.run(arguments("recv", cloud, ["/nowhere"], to: "/tmp"), Self.password)
    XCTAssertEqual(outcome.code, 4)
    outcome = try await Simulator.run(
      ["--mode", "send", "--host", "example.com", "--user", "mia", "/dev/null", "/a"], Self.password)
    XCTAssertEqual(outcome.code, 14)
    await cloud.stop()
    outcome = try await Simulator.run(arguments("send", cloud, ["/dev/null"], to: "/a"), Self.password)
    XCTAssertEqual(outcome.code, 44)
  }

  private func assert(
    _ outcome: SimulatorOutcome, _ code: Int, _ meaning: AscpFailureClass, _ words: String,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertEqual(outcome.status, 1, file: file, line: line)
    XCTAssertEqual(outcome.code, code, file: file, line: line)
    XCTAssertEqual(outcome.frames.last?.failureClass, meaning, outcome.text, file: file, line: line)
    XCTAssertTrue(outcome.text.contains(words), outcome.text, file: file, line: line)
    XCTAssertFalse(outcome.frames.contains(where: \.provesAuthentication), file: file, line: line)
  }
}
