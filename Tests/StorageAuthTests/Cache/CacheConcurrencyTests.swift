// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// Concurrent callers of the cache: one in-flight request, independent cancellation, and shutdown.
final class CacheConcurrencyTests: XCTestCase {
  // matrix: Credential cache: answers
  func testTenThousandFirstCallersShareOneRequest() async throws {
    let fixture = CacheFixture()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<10_000 {
        group.addTask { try await fixture.cache.credential(lasting: .seconds(2)).credential.name }
      }
      group.addTask {
        await until("all callers wait") { fixture.cache.waiting == 10_000 }
        await fixture.source.answer("first")
        return "first"
      }
      var names: [String: Int] = [:]
      for try await name in group { names[name, default: 0] += 1 }
      return names
    }
    XCTAssertEqual(names, ["first": 10_001])
    XCTAssertEqual(fixture.source.questions, 1)
  }

  // matrix: Credential cache: refusal
  func testAThousandRejectionsOfOneCredentialShareOneRefresh() async throws {
    let fixture = CacheFixture()
    let old = try await fixture.fill("old")
    let tasks = (0..<1000).map { _ in fixture.ask(replacing: old.generation) }
    await until("all callers wait") { fixture.cache.waiting == 1000 }
    await fixture.source.answer("new")
    for task in tasks {
      let cached = try await task.value
      XCTAssertEqual(cached.credential.name, "new")
    }
    let late = try await fixture.cache.credential(lasting: .zero, replacing: old.generation)
    XCTAssertEqual(late.credential.name, "new", "a late caller receives the refreshed credential")
    XCTAssertEqual(fixture.source.questions, 2)
  }

  func testRejectedCredentialIsNotServedDuringItsReplacement() async throws {
    let fixture = CacheFixture()
    let old = try await fixture.fill("old")
    let task = fixture.ask(replacing: old.generation)
    await until("the caller waits") { fixture.cache.waiting == 1 }
    XCTAssertNil(fixture.cache.current())
    await fixture.source.answer("new")
    _ = try await task.value
    XCTAssertEqual(fixture.cache.current()?.credential.name, "new")
  }

  // matrix: Credential cache: answers
  func testCancellingOneWaiterDoesNotAffectOthers() async throws {
    for cancelled in 0..<5 {
      let fixture = CacheFixture()
      let tasks = (0..<5).map { _ in fixture.ask() }
      await until("all callers wait") { fixture.cache.waiting == 5 }
      tasks[cancelled].cancel()
      let error = await failure(tasks[cancelled])
      XCTAssertEqual(error?.code, .cancelled)
      XCTAssertEqual(fixture.cache.waiting, 4)
      await fixture.source.answer("it")
      for (index, task) in tasks.enumerated() where index != cancelled {
        let cached = try await task.value
        XCTAssertEqual(cached.credential.name, "it")
      }
      XCTAssertEqual(fixture.source.questions, 1)
    }
  }

  func testCancellingEveryWaiterKeepsTheRequestInFlight() async throws {
    let fixture = CacheFixture()
    let tasks = (0..<3).map { _ in fixture.ask() }
    await until("all callers wait") { fixture.cache.waiting == 3 && fixture.source.open == 1 }
    for task in tasks { task.cancel() }
    for task in tasks { _ = await failure(task) }
    await fixture.source.answer("it")
    await until("the credential arrived") { fixture.cache.current() != nil }
    XCTAssertEqual(fixture.source.questions, 1)
  }

  func testCancelledTaskFailsWithoutARequest() async {
    let fixture = CacheFixture()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await fixture.cache.credential(lasting: .zero)
    }
    let error = await failure(task)
    XCTAssertEqual(error?.code, .cancelled)
    XCTAssertEqual(fixture.source.questions, 0)
  }

  // matrix: Credential cache: refusal
  func testAllWaitersReceiveTheFailure() async {
    let fixture = CacheFixture()
    let tasks = (0..<100).map { _ in fixture.ask() }
    await until("all callers wait") { fixture.cache.waiting == 100 }
    await fixture.source.fail()
    for task in tasks {
      let error = await failure(task)
      XCTAssertEqual(error, .outage)
    }
    XCTAssertEqual(fixture.source.questions, 1)
  }

  func testShutdownCancelsWaitersAndLaterCallers() async throws {
    let fixture = CacheFixture()
    let task = fixture.ask()
    await until("the caller waits") { fixture.cache.waiting == 1 && fixture.source.open == 1 }
    fixture.cache.shutdown()
    let error = await failure(task)
    XCTAssertEqual(error?.code, .cancelled)
    let later = await failure(fixture.ask())
    XCTAssertEqual(later?.code, .cancelled)
    await fixture.source.answer("too late")
    XCTAssertNil(fixture.cache.current())
    XCTAssertEqual(fixture.source.questions, 1)
  }

  func testUnreferencedCacheIsReleasedDuringARequest() async {
    let source = HeldSource()
    let released = WeakCache()
    do {
      let cache = CredentialCache(source)
      released.hold(cache)
      let task = Task { try await cache.credential(lasting: .zero) }
      await until("the provider received a request") { source.open == 1 }
      task.cancel()
      _ = await failure(task)
    }
    await until("the cache is released") { released.isGone }
    await source.answer("unused")
  }
}

/// A weak reference that tells whether a cache was released.
private final class WeakCache: Sendable {
  private struct Reference { weak var cache: CredentialCache<Token>? }

  private let reference = Lock(Reference())

  var isGone: Bool { reference.withLock { $0.cache == nil } }

  func hold(_ cache: CredentialCache<Token>) {
    reference.withLock { $0.cache = cache }
  }
}
