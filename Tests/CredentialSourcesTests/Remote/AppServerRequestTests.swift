// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import Foundation
import HTTPTypes
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the requests to app servers.
final class AppServerRequestTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)

  func testRequestIsCreatedForEachFetch() async throws {
    let answer = RemoteService.ossAppServer.answer
    let transport = ScriptedTransport { _ in .json(answer) }
    let logins = Tick()
    let provider = AppServerCredentialProvider(source: "shop") {
      AppServerRequest(
        "https://shop.example.com/sts?device=7", method: .post,
        headers: [.authorization: "Bearer login-\(logins.next())", .contentType: "application/json"],
        body: Array(#"[{"action":"name/cos:PutObject"}]"#.utf8))
    }.bound(to: ProviderContext(transport: transport, time: time))
    _ = try await provider.credential()
    _ = try await provider.credential()
    XCTAssertEqual(transport.requests.map { $0.header("Authorization") }, ["Bearer login-0", "Bearer login-1"])
    let sent = try XCTUnwrap(transport.requests.first)
    XCTAssertEqual(sent.method, .post)
    XCTAssertEqual(sent.url, "https://shop.example.com/sts?device=7")
    XCTAssertEqual(sent.header("Content-Type"), "application/json")
    XCTAssertEqual(sent.header("Content-Length"), "33")
    XCTAssertEqual(sent.text, #"[{"action":"name/cos:PutObject"}]"#)
    XCTAssertEqual(provider.source, "shop")
  }

  func testWrongLocalClockDoesNotExpireAKey() async throws {
    let answer = RemoteService.ossAppServer.answer
    for clock in ["2026-01-15T08:00:00Z", "2028-01-15T08:00:00Z"] {
      let time = ManualClock(now: try XCTUnwrap(Timestamp(iso8601: clock)))
      let transport = ScriptedTransport { _ in .json(answer, headers: RemoteService.date) }
      let cache = CredentialCache(
        AppServerCredentialProvider("https://app.example.com/").bound(
          to: ProviderContext(transport: transport, time: time)), in: ProviderContext(time: time),
        configuration: CredentialCacheConfiguration(spreadsFirstRenewal: false))
      _ = try await cache.credential()
      time.advance(by: .seconds(1_800))
      _ = try await cache.credential()
      XCTAssertEqual(transport.requests.count, 1, clock)
      time.advance(by: .seconds(1_801))
      _ = try await cache.credential()
      XCTAssertEqual(transport.requests.count, 2, clock)
    }
  }

  func testClosureNeverRunsOnTheMainThread() async throws {
    let answer = RemoteService.ossAppServer.answer
    let isMain = try await Task { @MainActor [time] in
      let seen = Lock<Bool?>(nil)
      let provider = AppServerCredentialProvider() {
        seen.withLock { $0 = Thread.isMainThread }
        return AppServerRequest("https://shop.example.com/")
      }.bound(to: ProviderContext(transport: ScriptedTransport([.json(answer)]), time: time))
      _ = try await provider.credential()
      return seen.withLock { $0 }
    }.value
    XCTAssertEqual(isMain, false)
  }

  func testClosureErrorIsReportedWithoutItsText() async throws {
    struct NotLoggedIn: Error { let password = "hunter22" }
    let transport = ScriptedTransport([])
    let provider = AppServerCredentialProvider() { throw NotLoggedIn() }.bound(
      to: ProviderContext(transport: transport, time: time))
    let error = await failure(of: provider, secrets: ["hunter22"])
    XCTAssertEqual(error?.code, .failed)
    XCTAssertEqual(error?.message.contains("NotLoggedIn"), true)
    XCTAssertTrue(transport.requests.isEmpty)

    let own = CredentialError(.notConfigured, source: "app server", "Nobody is logged in.", remedy: "Log in.")
    let passing = AppServerCredentialProvider() { throw own }.bound(
      to: ProviderContext(transport: transport, time: time))
    let passed = await failure(of: passing)
    XCTAssertEqual(passed, own)
  }

  // matrix: App server: time limit
  func testUnresponsiveClosureTimesOut() async throws {
    let time = time
    let provider = AppServerCredentialProvider() {
      try await time.sleep(for: .seconds(86_400))
      return AppServerRequest("https://shop.example.com/")
    }.bound(to: ProviderContext(transport: ScriptedTransport([]), time: time))
    async let failed = failure(of: provider)
    await time.wait(forSleeps: 2)
    time.advance(by: .seconds(15))
    let error = await failed
    XCTAssertEqual(error?.code, .timeout)
  }

  func testSecretsOfTheRequestAreMaskedInTheServersMessage() async throws {
    let login = "eyJ0eXAiOiJKV1QifQ.cGF5bG9hZA.c2ln"
    let secrets = [login, "hunter2-hunter2", "session=0123456789"]
    let message = "Bearer \(login) has ended; cookie session=0123456789; password hunter2-hunter2"
    let reply = HTTPStreamingResponse.json(#"{"code":401,"message":"\#(message)"}"#, status: 401)
    let provider = AppServerCredentialProvider() {
      AppServerRequest(
        "https://shop.example.com/sts", method: .post,
        headers: [.authorization: "Bearer \(login)", .cookie: "session=0123456789"],
        body: Array(#"{"password":"hunter2-hunter2"}"#.utf8))
    }.bound(to: ProviderContext(transport: ScriptedTransport([reply]), time: time))
    let error = await failure(of: provider, secrets: secrets)
    XCTAssertEqual(error?.code, .rejected)
    XCTAssertEqual(error?.message.contains("has ended"), true, error?.message ?? "")
  }

  func testPlainHTTPIsRejectedUnlessLoopbackOrAllowed() async throws {
    let answer = RemoteService.ossAppServer.answer
    for (url, isAllowed) in [
      ("http://app.example.com/", false), ("http://192.168.1.5/", false), ("http://127.0.0.1:8080/", true),
      ("http://localhost/", true), ("http://[::1]:1/", true), ("https://app.example.com", true),
      ("http://localhost.evil.example/", false), ("http://127.0.0.1.evil.example/", false),
    ] {
      let transport = ScriptedTransport([.json(answer)])
      let provider = AppServerCredentialProvider(url).bound(to: ProviderContext(transport: transport, time: time))
      if isAllowed {
        _ = try await provider.credential()
      } else {
        let error = await failure(of: provider, url)
        XCTAssertEqual(error?.code, .failed, url)
        XCTAssertEqual(error?.message.contains("not encrypted"), true, url)
      }
      XCTAssertEqual(transport.requests.count, isAllowed ? 1 : 0, url)
    }
    let allowing = AppServerCredentialProvider(
      "http://192.168.1.5/", allowsPlainHTTP: true
    ).bound(to: ProviderContext(transport: ScriptedTransport([.json(answer)]), time: time))
    _ = try await allowing.credential()
  }

  func testInvalidURLIsRejected() async throws {
    for url in [
      "", "app.example.com", "ftp://app.example.com/", "https://", "https://user:hunter22@app.example.com/",
      "https://app.example.com/a b", "https://app.example.com/#hunter22", "https://app.example.com/é",
    ] {
      let transport = ScriptedTransport([])
      let provider = AppServerCredentialProvider(url).bound(to: ProviderContext(transport: transport, time: time))
      let error = await failure(of: provider, url, secrets: ["hunter22"])
      XCTAssertEqual(error?.code, .failed, url)
      XCTAssertEqual(DisplayedTexts(of: provider.source).containing(["hunter22"]), [])
      XCTAssertTrue(transport.requests.isEmpty, url)
    }
  }

  func testSourceNamesTheServerWithoutItsQuery() {
    let provider = AppServerCredentialProvider(
      "https://app.example.com/sts?login=hunter22"
    ).bound(to: ProviderContext(transport: ScriptedTransport([]), time: time))
    XCTAssertEqual(provider.source, "app server https://app.example.com/sts")
  }

  // matrix: App server: credential redaction
  func testRequestDescriptionDoesNotContainTheLogin() {
    let request = AppServerRequest(
      "https://app.example.com/sts?login=hunter22", headers: [.authorization: "Bearer hunter22"],
      body: Array("hunter22".utf8))
    XCTAssertEqual(DisplayedTexts(of: request).containing(["hunter22"]), [])
    XCTAssertEqual("\(request)", "AppServerRequest(GET https://app.example.com/sts)")
  }
}
