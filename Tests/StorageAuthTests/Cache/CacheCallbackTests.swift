// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// Credential callbacks of an app: results, errors, timeouts and the thread on which they run.
final class CacheCallbackTests: XCTestCase {
  // matrix: Callback: bad input
  func testCallbackThatReturnsNilHasNoCredentialNow() async {
    let nothing: Token? = nil
    let caches = [
      CredentialCache<Token>(source: "my app") { () async throws in nothing },
      CredentialCache<Token>(source: "my app", blocking: { nothing }),
    ]
    for cache in caches {
      do {
        _ = try await cache.credential()
        XCTFail("nil was accepted as a credential")
      } catch {
        XCTAssertEqual(error.code, .unavailable)
        XCTAssertTrue(error.isRetryable)
        XCTAssertTrue(error.message.contains("no credential now"), error.message)
        XCTAssertEqual(error.source, "my app")
      }
    }
  }

  // matrix: Callback: refusal, credential redaction
  func testErrorOfACallbackIsNamedWithoutItsText() async {
    struct Leak: Error, CustomStringConvertible { let description = "secret-in-the-text" }
    let cache = CredentialCache<Token>(source: "my app") { throw Leak() }
    do {
      _ = try await cache.credential()
      XCTFail("the callback's error was not reported")
    } catch {
      XCTAssertEqual(error.code, .failed)
      XCTAssertTrue(error.message.contains("Leak"), error.message)
      XCTAssertTrue(error.underlying is Leak)
      var text = "\(error) \(String(reflecting: error))"
      dump(error, to: &text)
      XCTAssertFalse(text.contains("secret-in-the-text"), text)
      var other = error
      other = CredentialError(
        error.code, source: error.source, error.message, remedy: error.remedy, isRetryable: error.isRetryable,
        underlying: CancellationError())
      XCTAssertEqual(error, other, "underlying errors are not compared")
    }
  }

  func testErrorOfACallbackIsThatOfTheErrorsAroundItToo() async throws {
    struct Offline: Error {}
    let time = ManualClock()
    let isOffline = Lock(false)
    let cache = CredentialCache<Token>(source: "my app", time: time) {
      if isOffline.withLock({ $0 }) { throw Offline() }
      return Token(name: "short", expiration: time.now.advanced(by: .seconds(1000)))
    }
    _ = try await cache.credential()
    isOffline.withLock { $0 = true }
    do {
      _ = try await cache.credential(lasting: .seconds(5000))
      XCTFail("a credential that expires too early was returned")
    } catch {
      XCTAssertTrue(error.message.contains("must remain valid"), error.message)
      XCTAssertTrue(error.underlying is Offline, "\(error)")
    }
  }

  func testCredentialErrorOfACallbackIsPassedThrough() async {
    let cache = CredentialCache<Token>(source: "my app") { throw CredentialError.outage }
    do {
      _ = try await cache.credential()
      XCTFail("the callback's error was not reported")
    } catch {
      XCTAssertEqual(error, .outage)
    }
  }

  // matrix: Credential cache: time limit
  // matrix: Callback: time limit
  func testCallbackThatNeverReturnsTimesOutWithItsName() async {
    let fixture = CacheFixture(configuration: CredentialCacheConfiguration(timeout: .seconds(5)))
    let task = fixture.ask()
    await until("the timeout is scheduled") { fixture.time.sleepers == 1 && fixture.source.open == 1 }
    fixture.time.advance(by: .seconds(5))
    let error = await failure(task)
    XCTAssertEqual(error?.code, .timeout)
    XCTAssertEqual(error?.source, "held source")
    await fixture.source.answer("late")
    for _ in 0..<1000 { await Task.yield() }
    XCTAssertNil(fixture.cache.current(), "a response after the timeout is discarded")
  }

  // matrix: Callback: time limit
  func testBlockingCallbackThatNeverReturnsOccupiesOneThread() async throws {
    let time = ManualClock()
    let calls = Lock(0)
    let isReleased = DispatchSemaphore(value: 0)
    let cache = CredentialCache<Token>(
      source: "keychain", configuration: CredentialCacheConfiguration(timeout: .seconds(5)), time: time,
      blocking: {
        calls.withLock { $0 += 1 }
        isReleased.wait()
        return Token(name: "at last")
      })
    let task = Task { try await cache.credential(lasting: .zero) }
    await until("the callback runs") { calls.withLock { $0 } == 1 && time.sleepers == 1 }
    time.advance(by: .seconds(5))
    let first = await failure(task)
    XCTAssertEqual(first?.code, .timeout)
    XCTAssertEqual(first?.source, "keychain")
    time.advance(by: .seconds(60))
    let second = await failure(Task { try await cache.credential(lasting: .zero) })
    XCTAssertTrue(second?.message.contains("has not returned yet") == true, "\(String(describing: second))")
    XCTAssertEqual(calls.withLock { $0 }, 1)
    isReleased.signal()
    isReleased.signal()
    await until("the thread is available again") {
      time.advance(by: .seconds(60))
      return calls.withLock { $0 } == 1
    }
  }

  @MainActor
  // matrix: Callback: answers
  func testCallbacksDoNotRunOnTheMainThread() async throws {
    XCTAssertTrue(Thread.isMainThread)
    let blocking = CredentialCache<Token>(
      source: "blocking", blocking: { Token(name: Thread.isMainThread ? "main" : "elsewhere") })
    let async = CredentialCache<Token>(source: "async") { Token(name: isOnMainThread() ? "main" : "elsewhere") }
    let first = try await blocking.credential()
    let second = try await async.credential()
    XCTAssertEqual(first.name, "elsewhere")
    XCTAssertEqual(second.name, "elsewhere")
  }

  func testProviderRunsInADetachedTaskWithoutTheCallersTaskLocals() async throws {
    let cache = CredentialCache<Token>(source: "my app") { Token(name: Caller.name) }
    let token = try await Caller.$name.withValue("caller") { try await cache.credential() }
    XCTAssertEqual(token.name, "default")
  }
}

private enum Caller {
  @TaskLocal static var name = "default"
}

private func isOnMainThread() -> Bool { Thread.isMainThread }
