// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import StorageAuth
import StorageAuthTesting
import StorageClient
import XCTest

/// Tests the client while its credential provider fails.
final class TokenServiceTests: XCTestCase {
  private let time = ManualClock()
  private let log = EventLog()

  /// Returns a cache of a token service that issues `STS.1`, `STS.2` and so on, and fails at the given requests.
  private func failing(at failures: Set<Int>, isRetryable: Bool = true) -> CredentialCache<AccessKey> {
    let questions = Lock(0)
    return CredentialCache(source: "token service", events: log.events, time: time) {
      let number = questions.withLock { questions in
        questions += 1
        return questions
      }
      guard !failures.contains(number) else {
        throw CredentialError(
          .failed, source: "token service", "It is down.", remedy: "Wait.", isRetryable: isRetryable)
      }
      return AccessKey(id: "STS.\(number)", secret: "not-a-secret", sessionToken: "token+/=")
    }
  }

  private func upload(_ cache: CredentialCache<AccessKey>, accepting ids: Set<String>) -> Task<Int64, any Error> {
    let service = GuardedService(time: time, accepting: ids)
    var configuration = StorageClientConfiguration.test
    configuration.longestRetryDelay = .seconds(20)
    let client = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: endpoint), credentials: cache,
      configuration: configuration, transport: RecordingTransport(service.answer), time: time)
    return Task { try await client.upload([1, 2], to: "k").size }
  }

  /// Waits for a task, and advances the clocks by five seconds for each retry that it waits for.
  private func result(of task: Task<Int64, any Error>) async -> Result<Int64, any Error> {
    let isDone = Lock(false)
    let watch = Task {
      _ = await task.result
      isDone.withLock { $0 = true }
    }
    var steps = 0
    while !isDone.withLock({ $0 }) {
      await Task.yield()
      guard log.retries.count > steps, time.sleepers > 0 else { continue }
      steps += 1
      time.advance(by: .seconds(5))
    }
    await watch.value
    return await task.result
  }

  func testTransientProviderFailureIsRetriedWithoutATransferError() async throws {
    let size = try await result(of: upload(failing(at: [1]), accepting: ["STS.2"])).get()
    XCTAssertEqual(size, 2)
    let retry = try XCTUnwrap(log.retries.first)
    XCTAssertEqual(log.retries.count, 1)
    XCTAssertGreaterThanOrEqual(retry.delay, .milliseconds(500), "the retry must wait for the cache's backoff")
    XCTAssertTrue(retry.reason.contains("token service"), retry.reason)
  }

  func testProviderFailureAfterARejectedCredentialIsRetried() async throws {
    let size = try await result(of: upload(failing(at: [2]), accepting: ["STS.3"])).get()
    XCTAssertEqual(size, 2)
    XCTAssertEqual(log.refreshes.filter { $0 == .started }.count, 3)
  }

  func testPermanentProviderFailureIsNotRetried() async throws {
    let outcome = await result(of: upload(failing(at: [1], isRetryable: false), accepting: []))
    XCTAssertThrowsError(try outcome.get()) { XCTAssertEqual(($0 as? CredentialError)?.code, .failed) }
    XCTAssertEqual(log.retries.count, 0)
  }
}
