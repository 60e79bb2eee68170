// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import StorageAuth
internal import StorageAuthTesting
internal import XCTest

@testable internal import LocalCloud

/// Tests that a server reports each request to its observers, with its verdict and without secrets.
final class RequestFeedTests: CloudTestCase {
  private static let token = "M4RK/token+of=the=test"
  private static let temporary = AccessKey(id: "STS.test", secret: "M4RK-secret", sessionToken: token)

  private func event(
    _ events: inout AsyncStream<LocalCloud.RequestEvent>.AsyncIterator
  ) async throws -> LocalCloud.RequestEvent {
    let next = try await events.nextElement()
    return try XCTUnwrap(next)
  }

  /// The path and the query of a presigned URL.
  private func link(_ presigned: PresignedRequest) throws -> String {
    let url = try XCTUnwrap(URLComponents(string: presigned.url))
    return url.percentEncodedPath + "?" + (url.percentEncodedQuery ?? "")
  }

  // matrix: Console: events
  func testAcceptedRequestIsReportedWithItsSchemeAndKey() async throws {
    try await withEachService { client in
      var events = client.cloud.requests().makeAsyncIterator()
      _ = try await client.send(.put, "a/b.txt", body: [1, 2, 3])
      let put = try await event(&events)
      XCTAssertEqual([put.method, put.bucket, put.key], ["PUT", Self.bucket, "a/b.txt"])
      XCTAssertEqual(put.status, 200)
      XCTAssertEqual([put.requestByteCount, put.responseByteCount], [3, 0])
      XCTAssertEqual(put.accessKeyID, Self.key.id)
      XCTAssertEqual(put.date, clock.now)
      XCTAssertGreaterThan(put.duration, .zero)
      let kinds: [LocalCloud.Provider: LocalCloud.SignatureKind] = [.oss: .ossV4, .cos: .cosV5, .s3: .s3V4]
      XCTAssertEqual(put.authorization, .verified(try XCTUnwrap(kinds[client.provider])))
      XCTAssertEqual(put.outcome, .accepted)
      XCTAssertEqual(put.endpoint.rawValue, client.provider.rawValue)
      XCTAssertFalse(put.isPresigned)
      XCTAssertNil(put.refusal)

      var request = try client.request(.get, "a/b.txt")
      request.path = try link(client.presigned(request, validFor: .seconds(60)))
      _ = try await client.send(request)
      let get = try await event(&events)
      XCTAssertTrue(get.isPresigned)
      XCTAssertEqual([Int64(get.number), get.responseByteCount], [Int64(put.number) + 1, 3])
      XCTAssertTrue(get.target.contains(Secret.mask), get.target)
    }
  }

  func testRefusedRequestsAreReportedWithTheirErrors() async throws {
    try await withEachService { client in
      var events = client.cloud.requests().makeAsyncIterator()
      var stranger = client
      stranger.key = AccessKey(id: Self.key.id, secret: "another")
      _ = try await stranger.send(.get, "a")
      let mismatch = try await event(&events)
      XCTAssertEqual(mismatch.refusal?.code, "SignatureDoesNotMatch")
      XCTAssertEqual(mismatch.authorization, .rejected)
      XCTAssertEqual(mismatch.rejectedSignature?.isMismatch, true)

      _ = try await client.send(.get, "missing")
      let missing = try await event(&events)
      XCTAssertEqual([missing.refusal?.code, missing.outcome.rawValue], ["NoSuchKey", "refused"])
      XCTAssertNil(missing.rejectedSignature, "the signature is valid")
      guard case .verified = missing.authorization else { return XCTFail("\(missing.authorization)") }

      _ = try await client.send(client.request(.get, "a"))
      let unsigned = try await event(&events)
      XCTAssertEqual([unsigned.status, unsigned.requestByteCount.map { Int($0) }], [403, nil])
      XCTAssertEqual(unsigned.authorization, .rejected)
      XCTAssertNil(unsigned.accessKeyID)
    }
  }

  func testDocumentOfARejectedHEADRequestIsKnown() async throws {
    try await withEachService { client in
      var events = client.cloud.requests().makeAsyncIterator()
      var stranger = client
      stranger.key = AccessKey(id: Self.key.id, secret: "another")
      _ = try await stranger.send(.head, "a")
      let head = try await event(&events)
      XCTAssertEqual(head.responseByteCount, 0)
      let document = String(decoding: head.rejectedSignature?.document ?? [], as: UTF8.self)
      XCTAssertTrue(document.contains("<StringToSign>"), document)
    }
  }

  func testPublicObjectIsReportedAsAnonymous() async throws {
    try await withEachService { client in
      _ = try await client.send(
        .put, "a", headers: [client.prefix + (client.provider == .oss ? "object-acl" : "acl"): "public-read"], body: [1]
      )
      var events = client.cloud.requests().makeAsyncIterator()
      _ = try await client.send(client.request(.get, "a"))
      let get = try await event(&events)
      XCTAssertEqual(get.authorization, .anonymous)
    }
  }

  func testInjectedFaultsAreReported() async throws {
    var configuration = configuration
    configuration.faults[.oss] = [.serverError(.every(1))]
    configuration.faults[.cos] = [.disconnect(.every(1))]
    configuration.faults[.s3] = [.cut(afterBytes: 1, .every(1))]
    let cloud = try await LocalCloud.start(configuration)
    addTeardownBlock { await cloud.stop() }
    var events = cloud.requests().makeAsyncIterator()
    for (provider, outcome) in [(LocalCloud.Provider.oss, "fault"), (.cos, "closed"), (.s3, "closed")] {
      let client = TestClient(cloud: cloud, provider: provider, key: Self.key, clock: clock)
      _ = try? await client.send(.get)
      let get = try await event(&events)
      XCTAssertEqual(get.outcome.rawValue, outcome)
      XCTAssertEqual(get.status, ["oss": 500, "s3": 200][provider.rawValue], "\(provider)")
    }
  }

  func testTokenServicesAreReportedWithoutTheirQueries() async throws {
    let cloud = try await LocalCloud.start(configuration)
    addTeardownBlock { await cloud.stop() }
    var events = cloud.requests().makeAsyncIterator()
    let client = TestClient(cloud: cloud, provider: .oss, key: Self.key, clock: clock)
    for (path, endpoint) in [
      ("/?Action=AssumeRole&assertion=M4RK", LocalCloud.Endpoint.sts), ("/latest/x?a=M4RK", .metadata),
    ] {
      var request = HTTPRequest(method: .get, scheme: "http", authority: cloud.servicesEndpoint.authority, path: path)
      request.headerFields[.authorization] = "Bearer M4RK"
      _ = try await client.send(request)
      let call = try await event(&events)
      XCTAssertEqual(call.endpoint, endpoint)
      XCTAssertEqual(call.outcome, .refused)
      XCTAssertFalse(DisplayedTexts(of: call).all.contains { $0.contains("M4RK") })
    }
  }

  // matrix: Console: masking
  func testEventsContainNeitherSecretsNorTokensNorSignatures() async throws {
    var configuration = configuration
    configuration.accounts.append(LocalCloud.Account(Self.temporary))
    try await withEachService(configuration) { client in
      var events = client.cloud.requests().makeAsyncIterator()
      var guest = client
      for key in [Self.temporary, AccessKey(id: "STS.test", secret: "another", sessionToken: Self.token)] {
        guest.key = key
        var presigned = try guest.request(.get, "a")
        presigned.path = try link(guest.presigned(presigned, validFor: .seconds(60)))
        let requests = [try guest.signed(guest.request(.get, "a")), presigned]
        for request in requests {
          _ = try await client.send(request)
          let get = try await event(&events)
          let signature = request.path?.components(separatedBy: "ignature=").last?.prefix { $0 != "&" } ?? ""
          for text in DisplayedTexts(of: get).all {
            XCTAssertFalse(text.contains("M4RK"), text)
            if get.isPresigned { XCTAssertFalse(text.contains(signature), text) }
          }
        }
      }
    }
  }

  // matrix: Console: limits
  func testObserverThatFallsBehindLosesTheOldestEvents() async throws {
    let cloud = try await LocalCloud.start(configuration)
    let unobserved = TestClient(cloud: cloud, provider: .oss, key: Self.key, clock: clock)
    _ = try await unobserved.send(.get)
    var slow = cloud.requests(buffering: 2).makeAsyncIterator()
    var fast = cloud.requests().makeAsyncIterator()
    let client = TestClient(cloud: cloud, provider: .oss, key: Self.key, clock: clock)
    for _ in 1...5 { _ = try await client.send(.get) }
    for number in 1...5 {
      let next = try await event(&fast)
      XCTAssertEqual(next.number, number)
    }
    // The other observer can receive an event a moment later; a stopped server has passed it to all.
    await cloud.stop()
    for number in 4...5 {
      let next = try await event(&slow)
      XCTAssertEqual(next.number, number)
    }
    let last = try await slow.nextElement()
    XCTAssertNil(last, "the sequence ends with the server")
    var late = cloud.requests().makeAsyncIterator()
    let none = try await late.nextElement()
    XCTAssertNil(none)
  }

  /// Cancelling a task holds a lock of the runtime, for which the delivery of an event to the task waits.
  func testObserversCanBeCancelledWhileEventsAreDelivered() async throws {
    let feed = RequestFeed()
    let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/a")
    let publisher = Task.detached {
      while !Task.isCancelled { feed.publish(RequestRecord(head, at: Timestamp(unixSeconds: 0)), isComplete: true) }
    }
    for _ in 1...20_000 {
      let events = feed.observe(1)
      let observer = Task.detached { for await _ in events {} }
      await Task.yield()
      observer.cancel()
      await observer.value
    }
    publisher.cancel()
    await publisher.value
    XCTAssertFalse(feed.isObserved)
  }
}
