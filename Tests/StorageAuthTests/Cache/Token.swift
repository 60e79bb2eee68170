import StorageAuthTesting
import XCTest

@testable import StorageAuth

/// A credential that is nothing but a name and its times.
struct Token: Credential {
  var name: String
  var start: Timestamp?
  var expiration: Timestamp?
}

/// A source that answers when it is told to.
final class HeldSource: CredentialProvider {
  typealias Answer = Result<IssuedCredential<Token>, CredentialError>

  let source = "held source"
  private let state = Lock((questions: 0, waiting: [CheckedContinuation<Answer, Never>]()))

  /// How often it was asked.
  var questions: Int { state.withLock { $0.questions } }

  /// How many questions are open.
  var open: Int { state.withLock { $0.waiting.count } }

  func credential() async throws(CredentialError) -> Token { try await issue().credential }

  func issue() async throws(CredentialError) -> IssuedCredential<Token> {
    try await withCheckedContinuation { continuation in
      state.withLock { state in
        state.questions += 1
        state.waiting.append(continuation)
      }
    }.get()
  }

  /// Answers the oldest question, as soon as there is one.
  func answer(_ answer: Answer) async {
    await until("the source is asked") { self.open > 0 }
    let waiting = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    waiting?.resume(returning: answer)
  }

  /// Answers with a token.
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

/// Lets other tasks go on until something holds; a test that does not get there within a minute fails.
func until(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ condition: @Sendable () -> Bool
) async {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < deadline {
    if condition() { return }
    await Task.yield()
  }
  XCTFail("never: \(what)", file: file, line: line)
}

extension CredentialCache {
  /// How many wait.
  var waiting: Int { state.withLock { $0.continuations.count } }
}

/// A cache over a source that is held, on clocks that are stepped.
struct CacheFixture {
  let source = HeldSource()
  let time = SteppedTime()
  let cache: CredentialCache<Token>

  init(configuration: CredentialCacheConfiguration = CredentialCacheConfiguration(), random: Double = 0) {
    cache = CredentialCache(source, configuration, AuthEvents(), time, random: { random })
  }

  /// Fills the cache.
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

/// What a task threw.
func failure(_ task: Task<CachedCredential<Token>, any Error>) async -> CredentialError? {
  switch await task.result {
  case .success(let cached):
    XCTFail("got \(cached.credential.name)")
    return nil
  case .failure(let error):
    return error as? CredentialError
  }
}
