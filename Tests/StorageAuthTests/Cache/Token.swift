// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// A credential that has only a name and validity times.
struct Token: Credential {
  var name: String
  var start: Timestamp?
  var expiration: Timestamp?
}

/// A provider that responds when the test says so.
final class HeldSource: CredentialProvider {
  typealias Answer = Result<IssuedCredential<Token>, CredentialError>

  let source = "held source"
  private let state = Lock((questions: 0, waiting: [CheckedContinuation<Answer, Never>]()))

  /// The number of requests received.
  var questions: Int { state.withLock { $0.questions } }

  /// The number of pending requests.
  var open: Int { state.withLock { $0.waiting.count } }

  func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<Token> {
    try await withCheckedContinuation { continuation in
      state.withLock { state in
        state.questions += 1
        state.waiting.append(continuation)
      }
    }.get()
  }

  /// Responds to the oldest request, as soon as one exists.
  func answer(_ answer: Answer) async {
    await until("the provider received a request") { self.open > 0 }
    let waiting = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    waiting?.resume(returning: answer)
  }

  /// Responds with a token.
  func answer(_ name: String, expiration: Timestamp? = nil, issuerTime: Timestamp? = nil) async {
    await answer(.success(IssuedCredential(Token(name: name, expiration: expiration), issuerTime: issuerTime)))
  }

  func fail() async {
    await answer(.failure(.outage))
  }
}

extension CredentialError {
  static let outage = CredentialError(.failed, source: "held source", "The service is down.", remedy: "Wait.")
}

/// Yields until a condition holds, and fails the test after a minute.
func until(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ condition: @Sendable () -> Bool
) async {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < deadline {
    if condition() { return }
    await Task.yield()
  }
  XCTFail("did not happen within a minute: \(what)", file: file, line: line)
}

extension CredentialCache {
  /// The number of waiters.
  var waiting: Int { state.withLock { $0.continuations.count } }
}

/// A cache with a provider that responds on demand and clocks that the test advances.
struct CacheFixture {
  let source = HeldSource()
  let time = ManualClock()
  let cache: CredentialCache<Token>

  init(configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), random: Double = 0) {
    cache = CredentialCache(source, ProviderContext(time: time), configuration, EventHub(), random: { random })
  }

  /// Stores a credential in the cache.
  func fill(_ name: String, life: Duration? = nil) async throws -> CachedCredential<Token> {
    async let cached = cache.credential(lasting: .zero)
    let now = time.now
    await source.answer(name, expiration: life.map { now.advanced(by: $0) }, issuerTime: now)
    return try await cached
  }

  func ask(lasting duration: Duration = .zero, replacing generation: CredentialGeneration? = nil) -> Task<
    CachedCredential<Token>, any Error
  > {
    Task { try await cache.credential(lasting: duration, replacing: generation) }
  }
}

/// Returns the error of a task.
func failure(_ task: Task<CachedCredential<Token>, any Error>) async -> CredentialError? {
  switch await task.result {
  case .success(let cached):
    XCTFail("unexpected credential \(cached.credential.name)")
    return nil
  case .failure(let error):
    return error as? CredentialError
  }
}
