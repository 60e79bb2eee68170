// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import AsperaClient
import AsperaTransfer
import ClientTestSupport
import HTTPTypes
import LocalCloud
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests sending and receiving packages with Faspex 5 through the queue, the driver of ascp and the simulator.
final class FaspexClientTests: XCTestCase {
  private let draft = PackageDraft(title: "Dailies", recipients: ["noa@example.com"], note: "Day 3")

  func testPackageReachesItsRecipient() async throws {
    let applications = try await LocalApplications(self)
    let directory = try TemporaryDirectory(self)
    let files = [try directory.write(pattern(70_000), to: "a b.bin"), try directory.write([], to: "empty")]
    let sent = try await applications.faspex("mia@example.com").send(draft, files: files)
    XCTAssertEqual(sent.uploadStatus, "completed")
    XCTAssertEqual(sent.recipients, ["noa@example.com"])

    let receiver = try applications.faspex("noa@example.com")
    let inbox = try await receiver.packages()
    XCTAssertEqual(inbox.map(\.title), ["Dailies"])
    XCTAssertEqual(inbox.first?.note, "Day 3")
    XCTAssertEqual(inbox.first?.sender, "mia@example.com")
    let package = try XCTUnwrap(inbox.first)
    try await receiver.receive(package, to: directory.path("in"))
    XCTAssertEqual(try directory.read("in/a b.bin"), pattern(70_000))
    XCTAssertEqual(try directory.read("in/empty"), [])

    let outbox = try await receiver.packages(in: .outbox)
    XCTAssertEqual(outbox, [])
    let sender = try applications.faspex("mia@example.com")
    let own = try await sender.packages(in: .outbox)
    XCTAssertEqual(own.map(\.id), [package.id])
    try await sender.receive(package, to: directory.path("again"), from: .outbox)
    XCTAssertEqual(try directory.read("again/a b.bin"), pattern(70_000))
  }

  func testExpiredTransferTokenIsRequestedAgainFromFaspex() async throws {
    let applications = try await LocalApplications(self)
    applications.cloud.faults.transfers = [.tokenExpired(.first(1))]
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(1_000), to: "a")
    let sent = try await applications.faspex("mia@example.com").send(draft, files: [file])
    XCTAssertEqual(sent.uploadStatus, "completed")
    XCTAssertEqual(applications.cloud.statistics.transfers.completed, 1)
  }

  func testPackagesAreListedPageByPage() async throws {
    let pages = Lock<[String]>([])
    let transport = ScriptedTransport { request in
      pages.withLock { $0.append(request.path) }
      let first = request.path.contains("offset=0")
      let items = (first ? 0..<100 : 100..<107).map { #"{"id":\#($0),"title":"t"}"# }.joined(separator: ",")
      return .json(#"{"packages":[\#(items)]}"#)
    }
    let packages = try await client(transport).packages(in: .allReceived)
    XCTAssertEqual(packages.count, 107)
    XCTAssertEqual(
      pages.withLock { $0 },
      [
        "/aspera/faspex/api/v5/inbox_all/packages?offset=0&limit=100",
        "/aspera/faspex/api/v5/inbox_all/packages?offset=100&limit=100",
      ])
    let few = try await client(transport).packages(limit: 30)
    XCTAssertEqual(few.count, 30)
  }

  func testLimitBelowOneRequestsNoPackages() async throws {
    let transport = ScriptedTransport { _ in .json(#"{"packages":[]}"#) }
    for limit in [0, -1, Int.min] {
      let packages = try await client(transport).packages(limit: limit)
      XCTAssertEqual(packages, [])
    }
    XCTAssertEqual(transport.requests.count, 0)
  }

  func testPackageThatArrivesMeanwhileDoesNotEndTheList() async throws {
    // The package 0 arrives after the first page.
    let transport = ScriptedTransport { request in
      let numbers = request.path.contains("offset=0") ? 1..<101 : 100..<150
      return .json(#"{"packages":[\#(numbers.map { #"{"id":\#($0),"title":"t"}"# }.joined(separator: ","))]}"#)
    }
    let packages = try await client(transport).packages(limit: 101)
    XCTAssertEqual(packages.map(\.id), (1..<102).map { "\($0)" })
    XCTAssertTrue(transport.requests.allSatisfy { $0.path.hasSuffix("limit=100") })
  }

  func testUploadedPackageIsAwaitedThroughAnOutageForTenMinutes() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(10), to: "a")
    for (recovers, state) in [(true, #""completed""#), (false, "null")] {
      let (time, node) = (RushingTime(), NodeService())
      let token = node.issueToken()
      let start = time.uptime
      let transport = ScriptedTransport { request in
        switch request.path.split(separator: "/").last.map(String.init) ?? "" {
        case "upload_details":
          return recovers && time.uptime - start < .seconds(60)
            ? .status(503) : .json(#"{"upload_status":\#(state)}"#)
        case let last where last.hasPrefix("upload?"):
          return .json(#"{"token":"\#(token)","destination_root":"/in","paths":[{}]}"#)
        default: return .json(#"{"id":"42","title":"t"}"#)
        }
      }
      let faspex = try client(transport, time: time, node: node)
      if recovers {
        let sent = try await faspex.send(draft, files: [file])
        XCTAssertEqual(sent.id, "42")
      } else {
        await assertThrows(TransferFailure.self, { _ = try await faspex.send(draft, files: [file]) }) {
          XCTAssertTrue($0.message.contains("the state of its upload is unknown"), $0.message)
        }
        XCTAssertEqual((time.uptime - start) / .seconds(1), 600, accuracy: 5)
      }
    }
  }

  func testUploadedPackageIsAwaitedThroughAnOutageOfTheTokenService() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(10), to: "a")
    let (time, node) = (RushingTime(), NodeService())
    let token = node.issueToken()
    let start = time.uptime
    let transport = ScriptedTransport { request in
      switch request.path.split(separator: "/").last.map(String.init) ?? "" {
      case "upload_details":
        return request.header("Authorization") == "Bearer token-1"
          ? .status(401) : .json(#"{"upload_status":"completed"}"#)
      case let last where last.hasPrefix("upload?"):
        return .json(#"{"token":"\#(token)","destination_root":"/in","paths":[{}]}"#)
      default: return .json(#"{"id":"42","title":"t"}"#)
      }
    }
    let faspex = try client(transport, time: time, node: node) { number in
      guard number > 1, time.uptime - start < .seconds(60) else { return }
      throw CredentialError(.failed, source: "tokens", "HTTP 503.", remedy: "Retry.", isRetryable: true)
    }
    let sent = try await faspex.send(draft, files: [file])
    XCTAssertEqual(sent.id, "42")
    XCTAssertEqual(transport.requests.filter { $0.path.hasSuffix("/api/v5/packages") }.count, 1)
  }

  func testLastingErrorOfTheTokenServiceIsNotHidden() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(10), to: "a")
    // A provider that waits for a login has no credential until then.
    for (code, seconds) in [(CredentialError.Code.failed, 600.0), (.unavailable, 0)] {
      let (time, node) = (RushingTime(), NodeService())
      let token = node.issueToken()
      let start = time.uptime
      let transport = ScriptedTransport { request in
        switch request.path.split(separator: "/").last.map(String.init) ?? "" {
        case "upload_details": return .status(401)
        case let last where last.hasPrefix("upload?"):
          return .json(#"{"token":"\#(token)","destination_root":"/in","paths":[{}]}"#)
        default: return .json(#"{"id":"42","title":"t"}"#)
        }
      }
      let faspex = try client(transport, time: time, node: node) { number in
        guard number > 1 else { return }
        throw CredentialError(code, source: "tokens", "No token.", remedy: "Log in.", isRetryable: true)
      }
      await assertThrows(CredentialError.self, { _ = try await faspex.send(draft, files: [file]) }) {
        XCTAssertEqual($0.code, code)
        XCTAssertEqual($0.message, "No token.")
      }
      XCTAssertEqual((time.uptime - start) / .seconds(1), seconds, accuracy: 5)
    }
  }

  func testRenewalOfATransferTokenIsRepeatedAfterAPageOfAProxy() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(10), to: "a")
    let node = NodeService()
    let token = node.issueToken()
    let count = Lock(0)
    let transport = ScriptedTransport { request in
      if request.path.hasSuffix("upload_details") { return .json(#"{"upload_status":"completed"}"#) }
      guard request.path.contains("/transfer_spec/") else { return .json(#"{"id":"42","title":"t"}"#) }
      let number = count.withLock { count in
        count += 1
        return count
      }
      // The node of the test does not know the first token.
      return number == 2
        ? .text("<html>")
        : .json(#"{"token":"\#(number == 1 ? "ATM2_unknown" : token)","destination_root":"/in","paths":[{}]}"#)
    }
    let sent = try await client(transport, node: node).send(draft, files: [file])
    XCTAssertEqual(sent.id, "42")
    XCTAssertEqual(count.withLock { $0 }, 3)
  }

  func testRefusedRenewalOfATransferTokenIsNotRepeated() async throws {
    let directory = try TemporaryDirectory(self)
    let file = try directory.write(pattern(10), to: "a")
    let count = Lock(0)
    let transport = ScriptedTransport { request in
      guard request.path.contains("/transfer_spec/") else { return .json(#"{"id":"42","title":"t"}"#) }
      let number = count.withLock { count in
        count += 1
        return count
      }
      // The node of the test does not know the first token.
      return number > 1
        ? .json(#"{"code":"2014","message":"The package is locked."}"#, status: 403)
        : .json(#"{"token":"ATM2_unknown","destination_root":"/in","paths":[{}]}"#)
    }
    await assertThrows(TransferFailure.self, { _ = try await client(transport).send(draft, files: [file]) }) {
      XCTAssertTrue($0.message.contains("The package is locked."), $0.message)
      guard case .issuer(let error) = $0.kind else { return XCTFail("\($0)") }
      XCTAssertEqual(error.code, .rejected)
      XCTAssertFalse(error.isRetryable)
    }
    XCTAssertEqual(count.withLock { $0 }, 2)
  }

  func testPagesThatDoNotGoOnAreRejected() async throws {
    let items = (0..<100).map { #"{"id":\#($0),"title":"t"}"# }.joined(separator: ",")
    let transport = ScriptedTransport { _ in .json(#"{"packages":[\#(items)]}"#) }
    await assertThrows(StorageError.self, { _ = try await client(transport).packages() }) {
      XCTAssertEqual($0.code, .malformedResponse)
      XCTAssertTrue($0.message.contains("position 100"), $0.message)
    }
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testRejectedAccessTokenIsReplacedOnce() async throws {
    let seen = Lock<[String]>([])
    let transport = ScriptedTransport { request in
      let token = request.header("Authorization") ?? ""
      seen.withLock { $0.append(token) }
      guard token == "Bearer token-1" else { return .json(#"{"packages":[]}"#) }
      return .json(#"{"code":"2005","message":"expired"}"#, status: 401)
    }
    _ = try await client(transport).packages()
    XCTAssertEqual(seen.withLock { $0 }, ["Bearer token-1", "Bearer token-2"])
  }

  func testTemporaryErrorOfAListIsRepeatedAndOfANewPackageIsNot() async throws {
    let count = Lock(0)
    let transport = ScriptedTransport { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number < 3 ? .status(503) : .json(#"{"packages":[]}"#)
    }
    _ = try await client(transport).packages()
    XCTAssertEqual(count.withLock { $0 }, 3)
    let failing = ScriptedTransport { _ in .status(503) }
    await assertThrows(ServiceError.self) { _ = try await client(failing).send(draft, files: ["/a"]) }
    XCTAssertEqual(failing.requests.count, 1)
  }

  func testRefusalsAndMalformedResponsesAreErrors() async throws {
    for (reply, says) in [
      (.json(#"{"code":"2014","message":"token-1 no"}"#, status: 403), "2014"),
      (.json(#"{"error":{"code":404,"user_message":"no route"}}"#, status: 404), "no route"),
      (.json("[]"), "packages"), (.json(#"{"packages":[{}]}"#), "id"), (.text("<html>"), "JSON"),
    ] as [(HTTPStreamingResponse, String)] {
      do {
        _ = try await client(ScriptedTransport { _ in reply }).packages()
        XCTFail("no error: \(says)")
      } catch {
        XCTAssertTrue("\(error)".contains(says), "\(error)")
        XCTAssertFalse("\(error)".contains("token-1"), "\(error)")
      }
    }
    let login = try client(ScriptedTransport { _ in .json("{}") }, login: .dynamicKey)
    await assertThrows(StorageError.self) { try await login.send(draft, files: ["/a"]) }
    await assertThrows(StorageError.self) { try await login.send(draft, files: []) }
  }

  func testErrorAfterARejectedTokenMasksBothTokens() async throws {
    let transport = ScriptedTransport { request in
      let token = request.header("Authorization") ?? ""
      return .json(#"{"code":"9","message":"old token-1, \#(token)"}"#, status: token.hasSuffix("1") ? 401 : 403)
    }
    await assertThrows(ServiceError.self, { _ = try await client(transport).packages() }) {
      XCTAssertFalse("\($0)".contains("token-"), "\($0)")
      XCTAssertTrue($0.message.contains("old"), $0.message)
    }
  }

  private func client(
    _ transport: any HTTPTransport, login: AsperaTransferOptions.Login? = nil, time: RushingTime = RushingTime(),
    node: NodeService = NodeService(), beforeIssue: @escaping @Sendable (Int) throws -> Void = { _ in }
  ) throws -> FaspexClient {
    let count = Lock(0)
    let cache = CredentialCache<OAuthBearer>(source: "numbered tokens", time: time) {
      let number = count.withLock { count in
        count += 1
        return count
      }
      try beforeIssue(number)
      return OAuthBearer(Secret("token-\(number)"))
    }
    return FaspexClient(
      url: "https://faspex.example.com/aspera/faspex/", credentials: cache,
      transfers: AsperaTransferOptions(
        login: try login ?? .password(), engine: FileEngine(node)), transport: transport, time: time)
  }
}
