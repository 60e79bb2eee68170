// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import Synchronization

/// The remaining recovery steps of a request: each remedy once, and as many retries as the configuration permits.
///
/// Refreshing the credential, correcting the clock and switching to another endpoint are remedies for a request that
/// the service refused before it performed any action. They are permitted for every request, and are not counted as
/// retries. The credential may be refreshed once more after each retry, because a short-lived one can expire while the
/// request waits.
struct RetryPlan {
  /// The next attempt: its delay, and its reason.
  struct Step {
    let delay: Duration
    let reason: String
  }

  /// The number of times that the request was sent.
  var attempts = 1
  /// Whether the credential may be refreshed without counting as a retry.
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

  /// Returns a retry for a request without a response.
  mutating func step(after error: TransportError) -> Step? {
    guard error.isRetryable, isRepeatable || error.code == .connectionFailed else { return nil }
    return repetition(because: error.message, atLeast: .zero)
  }

  /// Returns a retry after a failure of the credential provider that may be temporary; the request was not sent.
  ///
  /// - Parameter pause: The delay before the provider may be requested again.
  mutating func step(after error: CredentialError, pause: Duration) -> Step? {
    guard error.isRetryable else { return nil }
    return repetition(because: "\(error.source): \(error.message)", atLeast: pause)
  }

  /// Returns a retry for a request that the service may accept later.
  mutating func step(after error: ServiceError) -> Step? {
    guard error.isRetryable, isRepeatable || error.kind == .throttled || error.kind == .timeout else { return nil }
    return repetition(
      because: "\(error.status.code) \(error.code): \(error.message)", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns a retry for a refusal whose reason was lost; a client error at least means that the service did no work.
  mutating func step(afterCut error: ServiceError) -> Step? {
    guard isRepeatable || error.status.kind == .clientError else { return nil }
    return repetition(because: "\(error.status.code): The response was incomplete.", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns a retry for a request whose credential expired in transit, even if it was fetched just before.
  mutating func step(afterExpiry error: ServiceError) -> Step? {
    repetition(because: "\(error.code): the credential expired in transit.", atLeast: .zero)
  }

  /// Returns a retry, or `nil` if none is left or the service requests a longer delay than the limit.
  ///
  /// The delay grows and is reduced by a random part, so that many clients do not retry at the same time.
  private mutating func repetition(because reason: String, atLeast shortest: Duration) -> Step? {
    guard repetitionsLeft > 0, shortest <= longestDelay else { return nil }
    repetitionsLeft -= 1
    mayRenew = true
    let delay = min(backoff, longestDelay) * Double.random(in: 0.5...1)
    backoff = min(backoff, longestDelay) * 2
    return Step(delay: max(delay, shortest), reason: reason)
  }
}

/// The properties of a sent signature that are needed to interpret a refusal.
struct SentSignature: Sendable {
  let generation: CredentialGeneration
  /// Whether a service can report the credential as expired.
  let isTemporary: Bool
  /// The expiration of the credential, or `nil` if it is unknown.
  let expiration: Timestamp?
  /// The offset that was added to this machine's clock.
  let clockOffset: Duration
}

/// A response that does not report success, with the information that the client can derive from it.
struct Refusal: Sendable {
  var error: ServiceError
  let signature: SentSignature
  /// Whether the response was lost before it gave a reason.
  var isCut = false
  /// Whether the response named another location, which the client has adopted.
  var isMoved = false
  /// The time of the service's clock, or `nil` if it is unknown or the response came from a cache.
  let serverTime: Timestamp?
  /// The time of this machine's clock when the response arrived.
  let localTime: Timestamp

  /// The result of an attempt.
  enum Outcome<Result> {
    case done(Result, SentSignature)
    case refused(Refusal)
    case lost(TransportError)
    /// A failure of the credential provider; the request was not sent.
    case unsigned(CredentialError)
  }
}

extension Refusal {
  /// Creates a refusal; a response from a cache, which has an `Age`, does not provide the service's time.
  init(_ error: ServiceError, in answer: HTTPResponse, signature: SentSignature, localTime: Timestamp) {
    self.error = error
    self.signature = signature
    serverTime = answer.headerFields[.age] == nil ? error.serverTime : nil
    self.localTime = localTime
  }

  /// Whether the service gave no reason although a response with a body could; responses to HEAD have none.
  var isUnclear: Bool {
    !error.isExplained && (error.status == .forbidden || error.status == .badRequest)
  }

  /// Whether a signature with another date could be accepted.
  var isAboutTime: Bool { error.kind == .clockSkew || error.kind == .requestExpired }

  /// Whether the credential expired before the service received the request.
  ///
  /// The service's clock decides if its time is known; that time has a resolution of one second.
  var endedOnTheWay: Bool {
    guard let expiration = signature.expiration else { return false }
    return expiration <= (serverTime ?? localTime.advanced(by: signature.clockOffset)).advanced(by: .seconds(1))
  }

  /// Whether another credential could be accepted.
  var isAboutCredential: Bool {
    switch error.kind {
    case .credentialExpired, .invalidCredential, .unknownAccessKey: true
    // A signature that expires with its credential is reported as an expired request.
    case .requestExpired: signature.isTemporary
    default: false
    }
  }
}

/// A string from a response that becomes part of a later request.
///
/// Examples are an upload id, an entity tag, a version, the name of an object, and a continuation token. The length is
/// limited when the string is read: a request line of more than 64 KB terminates the process inside AsyncHTTPClient
/// 1.37, and with it all other work of the process.
struct AnswerValue: Sendable, Hashable {
  /// The maximum length in bytes: four times the length of the longest object key.
  static let limit = 4_096

  let text: String

  /// Creates a value from a string.
  ///
  /// - Parameters:
  ///   - text: The string.
  ///   - name: The name of the value, for the error.
  /// - Throws: ``StorageError/Code/malformedAnswer`` if the string is longer than ``limit``.
  init(_ text: String, named name: String) throws(StorageError) {
    guard Self.isSendable(text) else {
      throw StorageError.malformedAnswer(
        "its \(name) has \(text.utf8.count) bytes; the limit is \(Self.limit) bytes")
    }
    self.text = text
  }

  /// Returns whether a string is short enough; `true` for `nil`.
  static func isSendable(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
}

/// The location that the service named, shared by the copies of a client.
final class Relocation<Provider: Sendable>: Sendable {
  private let moved = Mutex<Provider?>(nil)

  /// The provider with the address that the service named, or `nil` if it named none.
  var provider: Provider? {
    get { moved.withLock { $0 } }
    set { moved.withLock { $0 = newValue } }
  }
}
