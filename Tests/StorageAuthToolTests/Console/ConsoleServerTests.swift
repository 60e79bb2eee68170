// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import HTTPTypes
import LocalCloud
import NIOCore
import NIOHTTP1
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import storage_auth

/// The server of the console: its page, its events, its listings, and whom it refuses.
final class ConsoleServerTests: XCTestCase {
  // matrix: Console: events
  func testRequestsArriveAsEventsWhileThePageListens() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    XCTAssertEqual(events.headers.first(name: "content-type"), "text/event-stream")
    let hello = try await events.next("hello")
    XCTAssertEqual([hello["continues"]?.bool, hello["limit"].map { $0.integer == 1000 }], [false, true])
    for provider in LocalCloud.Provider.allCases {
      try await bench.send(bench.signed("a \(provider)", of: provider, .put), body: [1, 2, 3])
      let summary = try await events.next("request")
      XCTAssertEqual(summary["endpoint"]?.string, provider.rawValue)
      XCTAssertEqual(summary["key"]?.string, "a \(provider)")
      XCTAssertEqual(summary["keyID"]?.string, "LTAItest")
      XCTAssertEqual(summary["outcome"]?.string, "accepted")
      XCTAssertEqual([summary["status"]?.integer, summary["received"]?.integer], [200, 3])
      XCTAssertEqual(summary["cause"], .null)
    }
  }

  // matrix: Console: replay
  func testPageThatConnectsAgainReceivesWhatItMissed() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    try await bench.send(bench.signed("1", of: .oss))
    var id: String?
    while id == nil, let block = await events.block() {
      id = block.split(separator: "\n").first { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }
    for key in ["2", "3"] {
      try await bench.send(bench.signed(key, of: .oss))
      _ = try await events.next("request")
    }
    var again = try await bench.events(after: id)
    let hello = try await again.next("hello")
    XCTAssertEqual(hello["continues"]?.bool, true)
    for key in ["2", "3"] {
      let summary = try await again.next("request")
      XCTAssertEqual(summary["key"]?.string, key)
    }
  }

  func testConnectionIsKeptOpenWithComments() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    _ = try await events.next("hello")
    await bench.time.wait(forSleeps: 1)
    bench.time.advance(by: .seconds(15))
    let block = await events.block()
    XCTAssertEqual(block, ": beat")
  }

  // matrix: Console: limits
  func testFurtherListenersAreRefusedUntilAPageCloses() async throws {
    var limits = RequestLog.Limits()
    limits.listeners = 1
    let bench = try await ConsoleBench(self, limits: limits)
    let client = HTTPClient()
    do {
      let first = try await client.execute(HTTPClientRequest(url: bench.url + "events"), timeout: .seconds(60))
      XCTAssertEqual(first.status, .ok)
      let second = try await bench.get("events")
      XCTAssertEqual(second.status, .serviceUnavailable)
    } catch {
      try await client.shutdown()
      throw error
    }
    // The console notices the end of the connection, which takes a moment.
    try await client.shutdown()
    let deadline = ContinuousClock.now + .seconds(30)
    var status = HTTPResponseStatus.serviceUnavailable
    while status != .ok, ContinuousClock.now < deadline { status = try await bench.get("events").status }
    XCTAssertEqual(status, .ok)
  }

  // matrix: Console: other web pages
  func testPageLoadsNothingFromElsewhereAndIsNotFramed() async throws {
    let bench = try await ConsoleBench(self)
    for (path, type) in [
      ("", "text/html; charset=utf-8"), ("console.css", "text/css; charset=utf-8"),
      ("console.js", "text/javascript; charset=utf-8"), ("views.js", "text/javascript; charset=utf-8"),
      ("server", "application/json"), ("keys", "application/json"), ("buckets", "application/json"), ("missing", nil),
      ("requests/1", nil), ("objects?service=oss&bucket=none", nil),
    ] {
      let response = try await bench.get(path)
      XCTAssertEqual(response.status, type == nil ? .notFound : .ok, path)
      if let type { XCTAssertEqual(response.headers.first(name: "content-type"), type) }
      let policy = response.headers.first(name: "content-security-policy") ?? ""
      for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
        XCTAssertTrue(policy.contains(rule), "\(path): \(policy)")
      }
      XCTAssertFalse(policy.contains("unsafe"), policy)
      XCTAssertEqual(response.headers.first(name: "x-content-type-options"), "nosniff", path)
      XCTAssertEqual(response.headers.first(name: "cache-control"), "no-store", path)
      XCTAssertNil(response.headers.first(name: "access-control-allow-origin"))
      XCTAssertNil(response.headers.first(name: "server"))
    }
    let page = try await bench.text("")
    XCTAssertFalse(
      page.contains("http:") || page.contains("https:") || page.contains("style=") || page.contains("onclick"))
    let script = try await bench.text("console.js") + bench.text("views.js")
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"] {
      XCTAssertFalse(script.contains(word), word)
    }
  }

  // matrix: Console: other web pages
  func testOtherHostNamesAndOtherSitesAreRefused() async throws {
    let bench = try await ConsoleBench(self)
    let port = try XCTUnwrap(bench.url.split(separator: ":").last).dropLast()
    for path in ["", "events", "buckets", "requests/1"] {
      for host in ["evil.example.com", "evil.example.com:\(port)", "127.0.0.1.evil.example.com"] {
        let response = try await bench.get(path, ["Host": host])
        XCTAssertEqual(response.status, .forbidden, "\(host) \(path)")
      }
      for site in ["cross-site", "same-site"] {
        let response = try await bench.get(path, ["Sec-Fetch-Site": site])
        XCTAssertEqual(response.status, .forbidden, "\(site) \(path)")
        let link = try await bench.get(path, ["Sec-Fetch-Site": site, "Sec-Fetch-Dest": "document"])
        XCTAssertEqual(link.status, path.isEmpty ? .ok : .forbidden, "only the page itself can be opened by a link")
      }
    }
    for site in ["same-origin", "none"] {
      let response = try await bench.get("buckets", ["Sec-Fetch-Site": site, "Host": "localhost:\(port)"])
      XCTAssertEqual(response.status, .ok)
    }
  }

  func testBucketsAndObjectsAreListedInPages() async throws {
    let bench = try await ConsoleBench(self)
    for number in 0..<201 { try await bench.send(bench.signed("n/\(1000 + number)", of: .oss, .put), body: [1, 2]) }
    try await bench.send(bench.signed("top", of: .oss, .put), body: [1])
    let services = try await bench.json("buckets")["services"]?.array ?? []
    XCTAssertEqual(services.map { $0["service"]?.string }, ["oss", "cos", "s3"])
    XCTAssertEqual(services.map { $0["buckets"]?[0]?["objects"]?.integer }, [202, 0, 0])
    XCTAssertEqual(services[0]["buckets"]?[0]?["name"]?.string, ConsoleBench.bucket)

    let query = "objects?service=oss&bucket=\(ConsoleBench.bucket)"
    let root = try await bench.json(query)
    XCTAssertEqual(root["folders"]?.array?.map { $0["prefix"]?.string }, ["n/"])
    XCTAssertEqual(root["objects"]?.array?.map { $0["shown"]?.string }, ["top"])
    XCTAssertEqual(root["objects"]?[0]?["size"]?.integer, 1)
    XCTAssertEqual(root["objects"]?[0]?["modified"]?.string, ConsoleBench.now.iso8601)
    XCTAssertEqual(root["next"], .null)
    let first = try await bench.json(query + "&prefix=n/")
    XCTAssertEqual([first["objects"]?.array?.count], [200])
    let next = try XCTUnwrap(first["next"]?.string)
    let second = try await bench.json(query + "&prefix=n/&after=\(next)")
    XCTAssertEqual(second["objects"]?.array?.map { $0["shown"]?.string }, ["n/1200"])
  }

  // matrix: Console: hostile text
  func testHostileKeysAreEscaped() async throws {
    let bench = try await ConsoleBench(self)
    var events = try await bench.events()
    let key = "<img src=x onerror=alert(1)>\u{202E}gpj\u{1B}[2J"
    let escaped = #"<img src=x onerror=alert(1)>\u{202E}gpj\u{1B}[2J"#
    try await bench.send(bench.signed(key, of: .oss, .put), body: [1])
    let summary = try await events.next("request")
    XCTAssertEqual(summary["key"]?.string, escaped)
    let page = try await bench.json("objects?service=oss&bucket=\(ConsoleBench.bucket)")
    XCTAssertEqual(page["objects"]?[0]?["shown"]?.string, escaped)
  }

  func testWrongParametersAreRefused() async throws {
    let bench = try await ConsoleBench(self)
    for (path, status) in [
      ("objects", HTTPResponseStatus.badRequest), ("objects?service=aspera&bucket=a", .badRequest),
      ("objects?service=oss", .notFound), ("requests/0", .notFound), ("requests/x", .notFound),
      ("requests/99999999999999999999", .notFound), ("requests/-9223372036854775808", .notFound),
      ("objects?service=oss&bucket=\(ConsoleBench.bucket)&prefix=\(String(repeating: "a", count: 5000))", .badRequest),
    ] {
      let response = try await bench.get(path)
      XCTAssertEqual(response.status, status, path)
    }
  }

  func testPortInUseIsReported() async throws {
    let bench = try await ConsoleBench(self)
    let port = try XCTUnwrap(Int(try XCTUnwrap(bench.url.split(separator: ":").last).dropLast()))
    do {
      let second = try await LocalConsole.start(for: bench.cloud, port: port)
      await second.stop()
      XCTFail("the port is in use")
    } catch let error as CommandFailure {
      XCTAssertTrue(error.description.contains("\(port)"), error.description)
      XCTAssertTrue(error.description.contains("port 0 selects a free one"), error.description)
    }
  }

  func testStoppedConsoleEndsItsEvents() async throws {
    let bench = try await ConsoleBench(self, withConsole: false)
    let console = try await LocalConsole.start(for: bench.cloud, port: 0)
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: console.url + "events"), timeout: .seconds(60))
    var events = EventReader(response)
    _ = try await events.next("hello")
    await console.stop()
    let end = await events.block()
    XCTAssertNil(end)
  }
}
