internal import HTTPTypes
internal import StorageAuth
internal import Synchronization

/// What may still be done for a request: each cure once, and as many repetitions as the configuration says.
///
/// Renewing the credential, correcting the clock and going to another endpoint are cures for a request that the service refused before it did
/// anything. They are allowed for every request, and do not count as repetitions. The credential may be renewed once more
/// after each repetition, because a short-lived one can end while the request waits.
struct RetryPlan {
  /// What is done next.
  struct Step {
    let delay: Duration
    let reason: String
  }

  /// How often the request has been sent.
  var attempts = 1
  /// Whether the credential may be renewed without that being a repetition.
  var mayRenew = true
  /// Whether the clock may still be corrected.
  var mayCorrectClock = true
  /// Whether the request may still be sent to another endpoint.
  var mayRelocate = true

  private let isRepeatable: Bool
  private let longestDelay: Duration
  private var repetitionsLeft: Int
  private var backoff: Duration

  init(_ configuration: StorageClientConfiguration, isRepeatable: Bool) {
    self.isRepeatable = isRepeatable
    repetitionsLeft = configuration.attempts - 1
    backoff = configuration.retryDelay
    longestDelay = configuration.longestRetryDelay
  }

  /// Repeats a request that got no answer.
  mutating func step(after error: TransportError) -> Step? {
    guard error.isRetryable, isRepeatable || error.code == .connectionFailed else { return nil }
    return repetition(because: error.message, atLeast: .zero)
  }

  /// Waits for a source of credentials that may answer when it is asked again; nothing was sent yet.
  ///
  /// - Parameter pause: How long the source is left alone.
  mutating func step(after error: CredentialError, pause: Duration) -> Step? {
    guard error.isRetryable else { return nil }
    return repetition(because: "\(error.source): \(error.message)", atLeast: pause)
  }

  /// Repeats a request that the service may answer otherwise next time.
  mutating func step(after error: ServiceError) -> Step? {
    guard error.isRetryable, isRepeatable || error.kind == .throttled || error.kind == .timeout else { return nil }
    return repetition(
      because: "\(error.status.code) \(error.code): \(error.message)", atLeast: error.retryAfter ?? .zero)
  }

  /// Repeats a request whose refusal broke off before it said why; a refusal says at least that nothing was done.
  mutating func step(afterCut error: ServiceError) -> Step? {
    guard isRepeatable || error.status.kind == .clientError else { return nil }
    return repetition(because: "\(error.status.code): The answer broke off.", atLeast: error.retryAfter ?? .zero)
  }

  /// Repeats a request whose credential ended on its way, also the one that was had just before.
  mutating func step(afterExpiry error: ServiceError) -> Step? {
    repetition(because: "\(error.code): the credential ended on the way.", atLeast: .zero)
  }

  /// A repetition after a delay that grows and is cut by a random part, so that many clients do not come back at once; a
  /// service that wants to be left alone for longer than the limit is left alone altogether.
  private mutating func repetition(because reason: String, atLeast shortest: Duration) -> Step? {
    guard repetitionsLeft > 0, shortest <= longestDelay else { return nil }
    repetitionsLeft -= 1
    mayRenew = true
    let delay = min(backoff, longestDelay) * Double.random(in: 0.5...1)
    backoff = min(backoff, longestDelay) * 2
    return Step(delay: max(delay, shortest), reason: reason)
  }
}

/// What the client knows about a signature that it sent.
struct SentSignature: Sendable {
  let generation: CredentialGeneration
  /// Whether the credential is one that a service can call expired.
  let isTemporary: Bool
  /// When the credential ends, where that is known.
  let expiration: Timestamp?
  /// What was added to this machine's clock.
  let clockOffset: Duration
}

/// An answer that is no success, with what the client can learn from it.
struct Refusal: Sendable {
  var error: ServiceError
  let signature: SentSignature
  /// Whether the service began to say why, and the answer broke off.
  var isCut = false
  /// Whether the provider knows from the answer where else the request has to go, and has been told so.
  var isMoved = false
  /// The service's clock, where the answer is fresh.
  let serverTime: Timestamp?
  /// This machine's clock when the answer came.
  let localTime: Timestamp

  /// How an attempt ended.
  enum Outcome<Result> {
    case done(Result, SentSignature)
    case refused(Refusal)
    case lost(TransportError)
    /// There was no credential, so that nothing was sent.
    case unsigned(CredentialError)
  }
}

extension Refusal {
  /// Takes over a refusal; an answer that a cache kept tells nothing about the time.
  init(_ error: ServiceError, in answer: HTTPResponse, signature: SentSignature, localTime: Timestamp) {
    self.error = error
    self.signature = signature
    serverTime = answer.headerFields[.age] == nil ? error.serverTime : nil
    self.localTime = localTime
  }

  /// Whether the service refused without a reason that a question with a body could bring; answers to HEAD have none.
  var isUnclear: Bool {
    !error.isExplained && (error.status == .forbidden || error.status == .badRequest)
  }

  /// Whether a later signature could be right where this one was not in time.
  var isAboutTime: Bool { error.kind == .clockSkew || error.kind == .requestExpired }

  /// Whether the credential ended before the service saw the request, by the service's clock where that is known; it
  /// shows whole seconds only.
  var endedOnTheWay: Bool {
    guard let expiration = signature.expiration else { return false }
    return expiration <= (serverTime ?? localTime.advanced(by: signature.clockOffset)).advanced(by: .seconds(1))
  }

  /// Whether another credential could be right where this one was not.
  var isAboutCredential: Bool {
    switch error.kind {
    case .credentialExpired, .invalidCredential, .unknownAccessKey: true
    // A signature that lives as long as its credential is called expired when that is.
    case .requestExpired: signature.isTemporary
    default: false
    }
  }
}

/// A text of an answer that becomes part of a later request: an upload id, an entity tag, a version, the name of an
/// object, a continuation token.
///
/// It is bounded where it is read. A request line of more than 64 KB ends the process inside AsyncHTTPClient 1.37, and
/// with it everything else that the process does.
struct AnswerValue: Sendable, Hashable {
  /// The most bytes of a text: four times what the longest key of an object has.
  static let limit = 4_096

  let text: String

  /// Takes a text over.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: What it is, for the error.
  /// - Throws: ``StorageError/Code/malformedAnswer`` if it is longer than ``limit``.
  init(_ text: String, named name: String) throws(StorageError) {
    guard Self.isSendable(text) else {
      throw StorageError.malformedAnswer(
        "its \(name) has \(text.utf8.count) bytes, and at most \(Self.limit) are sent on")
    }
    self.text = text
  }

  /// Returns whether a text is short enough; `nil` is.
  static func isSendable(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
}

/// What the copies of a client have learnt about where the service wants to be asked.
final class Relocation<Provider: Sendable>: Sendable {
  private let moved = Mutex<Provider?>(nil)

  /// The provider as the service said that it has to be addressed, or `nil` if it said nothing.
  var provider: Provider? {
    get { moved.withLock { $0 } }
    set { moved.withLock { $0 = newValue } }
  }
}
