// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import Hummingbird
import LocalCloud
import Logging
import OSSAuth
import ServiceLifecycle
import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import StorageOperations
import XCTest

@testable import AsperaTransfer

/// Caches, queues and servers in a service group that is shut down in an orderly way.
final class ServiceTests: XCTestCase {
  private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func group(_ service: some Service) -> ServiceGroup {
    ServiceGroup(services: [service], logger: Self.quiet)
  }

  private static func key(_ number: Int, on time: ManualClock) -> AccessKey {
    AccessKey(
      id: "STS.\(number)", secret: "s", sessionToken: "t", expiration: time.now.advanced(by: .seconds(1800)))
  }

  // matrix: Cache service: run, shutdown
  func testCacheIsFilledAndRefreshedWithoutCallersUntilTheShutdown() async throws {
    let time = ManualClock()
    let provider = ScriptedProvider<AccessKey> { number throws(CredentialError) in
      IssuedCredential(Self.key(number, on: time))
    }
    let cache = CredentialCache(provider, in: ProviderContext(time: time))
    let group = group(cache)
    let running = Task { try await group.run() }
    await provider.wait(forCalls: 1)
    try await eventually { cache.current()?.credential.id == "STS.1" }
    // The refresh is due five minutes before the end at the latest, when the credential is still valid.
    try await eventually { time.sleepers == 1 }
    time.advance(by: .seconds(1500))
    // What slept can have been the time limit of the first request, so that the cache looks at the clock only now.
    try await eventually {
      time.advance(by: .seconds(1))
      return provider.calls == 2
    }
    try await eventually { cache.current()?.credential.id == "STS.2" }
    await group.triggerGracefulShutdown()
    try await running.value
    XCTAssertNil(cache.current())
    do {
      _ = try await cache.credential()
      XCTFail("the cache is shut down")
    } catch {
      XCTAssertEqual(error.code, .cancelled)
    }
  }

  // matrix: Cache service: failure
  func testCacheOutlivesFailuresOfItsProvider() async throws {
    let time = ManualClock()
    let failure = CredentialError(.failed, source: "vault", "It is away.", remedy: "Retry.", isRetryable: true)
    let provider = ScriptedProvider<AccessKey> { number throws(CredentialError) in
      if number < 3 { throw failure }
      return IssuedCredential(Self.key(number, on: time))
    }
    let cache = CredentialCache(provider, in: ProviderContext(time: time))
    let group = group(cache)
    let running = Task { try await group.run() }
    try await eventually {
      time.advance(by: .seconds(1))
      return cache.current() != nil
    }
    XCTAssertGreaterThanOrEqual(provider.calls, 3)
    await group.triggerGracefulShutdown()
    try await running.value
  }

  // matrix: Queue service: run, shutdown
  func testQueueLetsActiveSessionsEndAndCancelsWaitingOnes() async throws {
    let engine = HeldEngine()
    let account = try AsperaAccount(host: "aspera.test", user: "mia", password: Secret("pass-word"))
    let queue = TransferQueue(engine: engine, account: account)
    let group = group(queue)
    let running = Task { try await group.run() }
    let active = queue.add(TransferSession(.init(.send, [TransferPath("/a")], destinationRoot: "/"), id: "active"))
    let waiting = queue.add(TransferSession(.init(.send, [TransferPath("/b")], destinationRoot: "/"), id: "waiting"))
    try await engine.started()
    await group.triggerGracefulShutdown()
    try await eventually { queue.state.withLock { $0.machine.isPaused } }
    XCTAssertEqual(queue.status(of: waiting), .waiting)
    engine.release()
    try await running.value
    XCTAssertEqual(queue.status(of: active), .ended(.success(TransferSummary(bytes: 1, files: 1))))
    guard case .ended(.failure(let failure)) = queue.status(of: waiting) else { return XCTFail("it has not ended") }
    XCTAssertEqual(failure.kind, .cancelled)
    XCTAssertEqual(engine.starts, 1)
  }

  // matrix: Queue service: shutdown
  func testSessionThatIsStoppingAtTheShutdownEnds() async throws {
    let engine = HeldEngine(stopsWhenReleased: true)
    let account = try AsperaAccount(host: "aspera.test", user: "mia", password: Secret("pass-word"))
    let queue = TransferQueue(engine: engine, account: account)
    let group = group(queue)
    let running = Task { try await group.run() }
    let active = queue.add(TransferSession(.init(.send, [TransferPath("/a")], destinationRoot: "/"), id: "active"))
    try await engine.started()
    queue.pause(stopping: true)
    XCTAssertEqual(queue.status(of: active), .stopping)
    await group.triggerGracefulShutdown()
    try await eventually { queue.state.withLock { $0.machine.isFinishing } }
    engine.release()
    try await eventually { if case .ended(.failure) = queue.status(of: active) { true } else { false } }
    try await running.value
  }

  // matrix: Queue service: shutdown
  func testSessionThatIsStoppedDuringTheShutdownEnds() async throws {
    let engine = HeldEngine()
    let account = try AsperaAccount(host: "aspera.test", user: "mia", password: Secret("pass-word"))
    let queue = TransferQueue(engine: engine, account: account)
    let group = group(queue)
    let running = Task { try await group.run() }
    let active = queue.add(TransferSession(.init(.send, [TransferPath("/a")], destinationRoot: "/"), id: "active"))
    try await engine.started()
    await group.triggerGracefulShutdown()
    try await eventually { queue.state.withLock { $0.machine.isPaused } }
    queue.pause(stopping: true)
    try await eventually { if case .ended(.failure) = queue.status(of: active) { true } else { false } }
    try await running.value
  }

  // matrix: Queue service: failure
  func testCancelledQueueStopsItsActiveSessions() async throws {
    let engine = HeldEngine()
    let account = try AsperaAccount(host: "aspera.test", user: "mia", password: Secret("pass-word"))
    let queue = TransferQueue(engine: engine, account: account)
    let running = Task { await queue.run() }
    let active = queue.add(TransferSession(.init(.send, [TransferPath("/a")], destinationRoot: "/"), id: "active"))
    try await engine.started()
    running.cancel()
    await running.value
    guard case .ended(.failure(let failure)) = queue.status(of: active) else { return XCTFail("it has not ended") }
    XCTAssertEqual(failure.kind, .cancelled)
  }

  // matrix: Server services: run, shutdown
  func testLocalCloudServesUntilTheShutdown() async throws {
    let cloud = try await LocalCloud.start(.init(accounts: [.init(AccessKey(id: "id", secret: "secret"))]))
    let port = cloud.ossEndpoint.authority.split(separator: ":").last.flatMap { Int($0) }
    let group = group(cloud)
    let running = Task { try await group.run() }
    var configuration = LocalCloud.Configuration(accounts: [.init(AccessKey(id: "id", secret: "secret"))])
    configuration.ossPort = try XCTUnwrap(port)
    do {
      let second = try await LocalCloud.start(configuration)
      await second.stop()
      XCTFail("the port is in use")
    } catch let error as LocalCloudError {
      XCTAssertTrue(error.description.contains("\(configuration.ossPort)"))
    }
    await group.triggerGracefulShutdown()
    try await running.value
    let second = try await LocalCloud.start(configuration)
    await second.stop()
  }

  // matrix: Server services: shutdown
  func testTokenServiceCancelsItsRequestsAtTheShutdown() async throws {
    let provider = ScriptedProvider<AccessKey> { number throws(CredentialError) in
      IssuedCredential(Self.key(number, on: ManualClock()))
    }
    provider.hold()
    let service = TokenService { _ in provider }
    let group = group(service)
    let running = Task { try await group.run() }
    let order = KeyRequest(
      caller: "mia", scope: TokenScope("mia", AccessPolicy([AccessRule(.read, objects: .all, in: "photos")])))
    let asked = Task { try await service.key(for: order) }
    await provider.wait(forCalls: 1)
    await group.triggerGracefulShutdown()
    try await running.value
    let late = Task { try await service.key(for: order) }
    for result in [await asked.result, await late.result] {
      guard case .failure(let error as TokenServiceError) = result, case .unavailable(let reason, _) = error else {
        return XCTFail("\(result)")
      }
      XCTAssertEqual(reason.code, CredentialError.Code.cancelled)
    }
  }

  // matrix: Server services: run
  func testSigningServiceKeepsItsKeysFreshWithoutCallers() async throws {
    let time = ManualClock()
    let provider = ScriptedProvider<AccessKey> { number throws(CredentialError) in
      IssuedCredential(Self.key(number, on: time))
    }
    let cache = CredentialCache(provider, in: ProviderContext(time: time))
    let account = SigningAccount(OSSStringToSignSigner(region: "cn-hangzhou"), credentials: cache)
    let service = SigningService<BasicRequestContext>(account) { _ in nil }
    let group = group(service)
    let running = Task { try await group.run() }
    await provider.wait(forCalls: 1)
    try await eventually { cache.current() != nil }
    await group.triggerGracefulShutdown()
    try await running.value
    XCTAssertNil(cache.current())
  }
}

/// An engine whose attempts last until they are released or cancelled.
private final class HeldEngine: TransferEngine {
  private let state = Lock((starts: 0, isReleased: false))
  /// Whether a cancelled attempt lasts until it is released too.
  private let stopsWhenReleased: Bool

  init(stopsWhenReleased: Bool = false) { self.stopsWhenReleased = stopsWhenReleased }

  var starts: Int { state.withLock { $0.starts } }

  func started() async throws {
    try await eventually { self.starts > 0 }
  }

  func release() { state.withLock { $0.isReleased = true } }

  func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?, report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    state.withLock { $0.starts += 1 }
    report(.running)
    while !state.withLock({ $0.isReleased }), !Task.isCancelled || stopsWhenReleased { await Task.yield() }
    if Task.isCancelled { throw TransferFailure(.cancelled, "It was stopped.", remedy: "Run it again.") }
    return TransferSummary(bytes: 1, files: 1)
  }
}

/// The error of a condition that did not become true.
private struct NeverHappened: Error {}

/// Waits until a condition is true.
private func eventually(_ isSo: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(60)
  while !isSo() {
    guard ContinuousClock.now < end else { throw NeverHappened() }
    // A yield alone never runs tasks of a lower priority on a busy machine.
    try await Task.sleep(for: .milliseconds(1))
  }
}
