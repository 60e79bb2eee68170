// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import LocalCloud
internal import StorageAuth
internal import XCTest

/// Tests the HTTP layer of the server: targets, limits, framing, connections, startup and shutdown.
final class WireTests: CloudTestCase {
  /// A signed request as the text that is sent.
  private func wire(_ request: HTTPRequest, target: String? = nil, more: [String] = []) -> String {
    let fields = request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    let line = "\(request.method.rawValue) \(target ?? request.path ?? "") HTTP/1.1"
    return RawConnection.head([line, "Host: \(request.authority ?? "")"] + fields + more)
  }

  private func put(_ client: TestClient, path: String) async throws -> String {
    var request = try client.request(.put, headers: ["Content-Length": "1"])
    request.path = path
    return try await RawConnection.exchange(
      wire(client.signed(request)) + "x", with: client.cloud.endpoint(of: client.provider))
  }

  func testPathBytesAreReceivedUnchanged() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let keys = [
        "a//b": "a//b", "a/../b": "a/../b", "./c": "./c", "d%2Fe": "d/e", "d%252Fe": "d%2Fe", "f+g": "f+g",
        "h%20i": "h i", "%e6%97%A5": "\u{65E5}", "j%2bk": "j+k", "~!$'()*,;:@=": "~!$'()*,;:@=",
      ]
      for (sent, key) in keys {
        let answer = try await put(client, path: "/\(Self.bucket)/\(sent)")
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 200"), "\(sent): \(answer)")
        let head = try await client.send(.head, key)
        XCTAssertEqual(head.status, 200, key)
      }
      let list = try await client.send(.get).document
      XCTAssertEqual(list.all("Contents").compactMap { $0["Key"]?.text }.sorted(), Set(keys.values).sorted())
    }
  }

  func testTargetsThatAreNotPathsAreRejected() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, bucket: "open-1250000000", headers: ["\(client.prefix)acl": "public-read"])
      _ = try await client.send(
        .put, "a", bucket: "open-1250000000", headers: [client.objectAccess: "public-read"], body: [1])
      let endpoint = client.cloud.endpoint(of: client.provider)
      let plain = try client.request(.get, "a", bucket: "open-1250000000")
      let path = try await RawConnection.exchange(wire(plain), with: endpoint)
      XCTAssertTrue(path.hasPrefix("HTTP/1.1 200"), path)
      // A URL with the host of the header is its path (RFC 9112, section 3.2.2).
      let whole = wire(plain, target: "http://\(endpoint.authority)/open-1250000000/a")
      let same = try await RawConnection.exchange(whole, with: endpoint)
      XCTAssertTrue(same.hasPrefix("HTTP/1.1 200"), same)
      let targets = [
        "http://other.example/open-1250000000/a", "open-1250000000/a", "*", "x:/open-1250000000/a",
      ]
      for target in targets {
        let answer = try await RawConnection.exchange(wire(plain, target: target), with: endpoint)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400"), "\(target): \(answer)")
      }
      let twice = try await RawConnection.exchange(wire(plain, more: ["Host: \(endpoint.authority)"]), with: endpoint)
      XCTAssertTrue(twice.hasPrefix("HTTP/1.1 400"), twice)
      let broken = try await RawConnection.exchange(wire(plain, target: "/open-1250000000/%zz"), with: endpoint)
      XCTAssertTrue(broken.hasPrefix("HTTP/1.1 400"), broken)
    }
  }

  func testHeadersAndDocumentsAreLimited() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let endpoint = client.cloud.endpoint(of: client.provider)
      let plain = try client.request(.get, "a")
      let long = wire(plain, more: ["x-long: \(String(repeating: "a", count: 100_000))"])
      let many = wire(plain, more: (0..<1_000).map { "x-\($0): a" })
      for text in [long, many] {
        let answer = try await RawConnection.exchange(text, with: endpoint)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400") || answer.hasPrefix("HTTP/1.1 431"), String(answer.prefix(80)))
      }
      let body = [UInt8](repeating: UInt8(ascii: " "), count: 9 * 1024 * 1024)
      let reply = try await client.send(.post, query: ["delete": nil], body: body)
      XCTAssertEqual(try reply.errorCode, "MalformedXML")
    }
  }

  func testTruncatedBodyLeavesNoFile() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    try await withEachService(configuration) { client in
      let endpoint = client.cloud.endpoint(of: client.provider)
      let known = try client.signed(client.request(.put, "a", headers: ["Content-Length": "100000"]))
      let chunked = try client.signed(client.request(.put, "a", headers: ["Transfer-Encoding": "chunked"]))
      let bytes = String(repeating: "x", count: 50_000)
      _ = try await RawConnection.exchange(wire(known) + bytes, with: endpoint, closing: true)
      _ = try await RawConnection.exchange(wire(chunked) + "C350\r\n\(bytes)\r\n", with: endpoint, closing: true)
      let head = try await client.send(.head, "a")
      XCTAssertEqual(head.status, 404)
    }
    XCTAssertEqual(try contentFiles(below: root), [])
  }

  func testChunkedBodyIsStored() async throws {
    try await withEachService(of: [.oss, .cos]) { client in
      let request = try client.signed(client.request(.put, "a", headers: ["Transfer-Encoding": "chunked"]))
      let answer = try await RawConnection.exchange(
        wire(request) + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", with: client.cloud.endpoint(of: client.provider))
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 200"), answer)
      let get = try await client.send(.get, "a")
      XCTAssertEqual(get.text, "hello world")
    }
  }

  func testExpectContinueIsAnswered() async throws {
    try await withEachService { client in
      let request = try client.signed(
        client.request(.put, "a", headers: ["Content-Length": "5", "Expect": "100-continue"]))
      let answer = try await RawConnection.exchange(wire(request), with: client.cloud.endpoint(of: client.provider))
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 100"), answer)
      let refused = try await RawConnection.exchange(
        wire(client.request(.put, "a", headers: ["Content-Length": "5", "Expect": "100-continue"])),
        with: client.cloud.endpoint(of: client.provider))
      XCTAssertTrue(refused.hasPrefix("HTTP/1.1 403"), refused)
    }
  }

  func testRightsAreCheckedAgainAfterTheBody() async throws {
    let key = AccessKey(id: "other-id", secret: "other-secret")
    var configuration = configuration
    configuration.accounts.append(LocalCloud.Account(key, number: "225000000000"))
    try await withEachService(configuration, of: [.s3]) { client in
      var other = client
      other.key = key
      _ = try await client.send(.put, query: ["acl": nil], headers: ["x-amz-acl": "public-read-write"])
      let begun = try client.request(.put, "a", headers: ["Content-Length": "1", "Expect": "100-continue"])
      let answer = try await RawConnection.exchange(
        wire(other.signed(begun)), then: "x", after: { _ = try await client.send(.put, "a", body: [1]) },
        with: client.cloud.endpoint(of: client.provider), until: { RawConnection.statuses(in: $0).count == 2 })
      XCTAssertEqual(RawConnection.statuses(in: answer), [100, 403])
      let kept = try await client.send(.get, "a")
      XCTAssertEqual(kept.body, [1])
    }
  }

  func testBucketInTheHostIsFound() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [7])
      let domain = client.provider == .oss ? "oss-cn-hangzhou.aliyuncs.com" : "cos.ap-guangzhou.myqcloud.com"
      let request = try client.signed(
        HTTPRequest(method: .get, scheme: "http", authority: "\(Self.bucket).\(domain)", path: "/a"))
      let answer = try await RawConnection.exchange(
        wire(request), with: client.cloud.endpoint(of: client.provider), until: { $0.hasSuffix("\u{7}") })
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 200"), answer)
    }
  }

  func testStoppedServerRemovesItsTemporaryDirectory() async throws {
    let cloud = try await LocalCloud.start(configuration)
    let client = TestClient(cloud: cloud, provider: .oss, key: Self.key, clock: clock)
    let reply = try await client.send(.put, "a", body: [1])
    XCTAssertEqual(reply.status, 200)
    XCTAssertTrue(FileManager.default.fileExists(atPath: cloud.root))
    await cloud.stop()
    XCTAssertFalse(FileManager.default.fileExists(atPath: cloud.root))
    do {
      _ = try await RawConnection.exchange("GET / HTTP/1.1\r\n\r\n", with: cloud.ossEndpoint)
      XCTFail("The server still responds.")
    } catch {}
  }

  func testStoppingDoesNotWaitForAStalledClient() async throws {
    let root = try makeDirectory()
    var configuration = configuration
    configuration.root = root
    let cloud = try await LocalCloud.start(configuration)
    let client = TestClient(cloud: cloud, provider: .cos, key: Self.key, clock: clock)
    let request = try client.signed(
      client.request(.put, "a", headers: ["Content-Length": "1000", "Expect": "100-continue"]))
    let (answers, continuation) = AsyncStream.makeStream(of: String.self)
    let text = wire(request) + "x"
    let stalled = Task {
      try await RawConnection.exchange(text, with: cloud.cosEndpoint) { answer in
        continuation.yield(answer)
        return false
      }
    }
    for await answer in answers {
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 100"), answer)
      break
    }
    await cloud.stop()
    _ = try? await stalled.value
    XCTAssertEqual(try contentFiles(below: root), [])
  }

  func testRunReturnsWhenTheTaskIsCancelled() async throws {
    let (ready, continuation) = AsyncStream.makeStream(of: String.self)
    let task = Task { [configuration] in
      try await LocalCloud.run(configuration) { continuation.yield($0.root) }
    }
    for await root in ready {
      task.cancel()
      try await task.value
      XCTAssertFalse(FileManager.default.fileExists(atPath: root))
      break
    }
  }

  func testInvalidConfigurationIsRejected() async throws {
    let key = Self.key
    let bad = [
      LocalCloud.Configuration(accounts: []),
      LocalCloud.Configuration(accounts: [.init(key), .init(key)]),
      LocalCloud.Configuration(accounts: [.init(AccessKey(id: "a", secret: ""))]),
      LocalCloud.Configuration(accounts: [.init(key)], buckets: ["A"]),
      LocalCloud.Configuration(accounts: [.init(key)], ossPort: 70_000),
    ]
    for configuration in bad {
      do {
        let cloud = try await LocalCloud.start(configuration)
        await cloud.stop()
        XCTFail("The server started with an invalid configuration.")
      } catch let error as LocalCloudError {
        XCTAssertFalse(error.description.contains("test-secret"))
      }
    }
  }

  func testPortInUseIsAnError() async throws {
    try await withEachService { client in
      let port = try XCTUnwrap(client.cloud.ossEndpoint.authority.split(separator: ":").last.flatMap { Int($0) })
      var taken = configuration
      taken.ossPort = port
      do {
        let cloud = try await LocalCloud.start(taken)
        await cloud.stop()
        XCTFail("Two servers share one port.")
      } catch {
        XCTAssertEqual(
          "\(error)",
          "The server cannot listen on 127.0.0.1, port \(port): Address already in use. Choose another address or port; "
            + "port 0 selects a free one.")
      }
    }
  }

  private func answers(_ text: String) -> Int { text.components(separatedBy: "HTTP/1.1 2").count - 1 }

  func testConnectionIsKeptAfterARequestWithoutABody() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [7])
      let zero = ["Content-Length": "0"]
      for (method, headers) in [(.get, zero), (.get, [:]), (.head, zero), (.delete, zero)]
        as [(HTTPRequest.Method, [String: String])]
      {
        let request = wire(try client.signed(client.request(method, "a", headers: headers)))
        let last = wire(try client.signed(client.request(.get, bucket: nil)), more: ["Connection: close"])
        let answer = try await RawConnection.exchange(
          request + request + last, with: client.cloud.endpoint(of: client.provider), until: { _ in false })
        XCTAssertEqual(answers(answer), 3, "\(method) \(headers): \(answer)")
      }
    }
  }

  func testConnectionClosesWhenRequested() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [7])
      let endpoint = client.cloud.endpoint(of: client.provider)
      let request = try client.signed(client.request(.get, "a"))
      for word in ["close", "Close", "te, close", "CLOSE"] {
        let text = wire(request, more: ["Connection: \(word)"])
        // The exchange ends because the server closes the connection; the second request is not answered.
        let answer = try await RawConnection.exchange(text + text, with: endpoint, until: { _ in false })
        XCTAssertEqual(answers(answer), 1, word)
        XCTAssertTrue(answer.lowercased().contains("\r\nconnection: close\r\n"), answer)
      }
      let refused = try await RawConnection.exchange(
        wire(try client.request(.get, "a"), more: ["Connection: close"]), with: endpoint, until: { _ in false })
      XCTAssertTrue(refused.hasPrefix("HTTP/1.1 403"), refused)
      XCTAssertTrue(refused.lowercased().contains("\r\nconnection: close\r\n"), refused)
    }
  }

  func testHTTP10ConnectionClosesUnlessKeepAliveIsRequested() async throws {
    try await withEachService { client in
      _ = try await client.send(.put, "a", body: [7])
      let endpoint = client.cloud.endpoint(of: client.provider)
      let request = try client.signed(client.request(.get, "a"))
      func old(_ more: [String]) -> String {
        wire(request, more: more).replacingOccurrences(of: " HTTP/1.1\r\n", with: " HTTP/1.0\r\n")
      }
      let once = try await RawConnection.exchange(old([]) + old([]), with: endpoint, until: { _ in false })
      XCTAssertEqual(answers(once), 1, once)
      XCTAssertFalse(once.lowercased().contains("transfer-encoding"), once)
      let kept = try await RawConnection.exchange(
        old(["Connection: keep-alive"]) + old([]), with: endpoint, until: { _ in false })
      XCTAssertEqual(answers(kept), 2, kept)
      XCTAssertTrue(kept.lowercased().contains("\r\nconnection: keep-alive\r\n"), kept)
    }
  }
}
