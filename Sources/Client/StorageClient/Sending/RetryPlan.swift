// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The remaining recovery steps for a request: each remedy once, and as many retries as the configuration permits.
///
/// Refreshing the credential, correcting the clock and switching to another endpoint are remedies for a request that
/// the service refused before it performed any action. They are permitted for every request, and are not counted as
/// retries. The credential may be refreshed once more after each retry, because a short-lived credential can expire
/// while the request waits.
struct RetryPlan {
  /// The delay before the next attempt to send a request, and the reason for the attempt.
  struct Step {
    let delay: Duration
    let reason: String
  }

  var attempts = 1
  /// Whether the client may refresh the credential without counting the next attempt as a retry.
  var mayRenew = true
  var mayCorrectClock = true
  var mayRelocate = true

  private let isRepeatable: Bool
  private let maximumDelay: Duration
  private var repetitionsLeft: Int
  private var backoff: Duration

  init(_ configuration: StorageClientConfiguration, isRepeatable: Bool) {
    self.isRepeatable = isRepeatable
    repetitionsLeft = configuration.attempts - 1
    backoff = configuration.retryDelay
    maximumDelay = configuration.longestRetryDelay
  }

  /// Returns the step that retries a request without a response, or `nil` if the request must not be retried.
  mutating func step(after error: TransportError) -> Step? {
    guard error.isRetryable, isRepeatable || error.code == .connectionFailed else { return nil }
    return repetition(because: error.message, atLeast: .zero)
  }

  /// Returns the step that retries after a temporary failure of the credential provider and its pause, or `nil`.
  ///
  /// The request was not sent in this case.
  mutating func step(after error: CredentialError, pause: Duration) -> Step? {
    guard error.isRetryable else { return nil }
    return repetition(because: "\(error.source): \(error.message)", atLeast: pause)
  }

  /// Returns the step that retries a request that the service may accept later, or `nil` if retries cannot help.
  mutating func step(after error: ServiceError) -> Step? {
    guard error.isRetryable, isRepeatable || error.kind == .throttled || error.kind == .timeout else { return nil }
    return repetition(
      because: "\(error.status.code) \(error.code): \(error.message)", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns the step that retries a refused request whose error response was lost, or `nil`.
  ///
  /// A client error (4xx) means that the service performed no action, so any such request may be sent again.
  mutating func step(afterTruncation error: ServiceError) -> Step? {
    guard isRepeatable || error.status.kind == .clientError else { return nil }
    return repetition(because: "\(error.status.code): The response was incomplete.", atLeast: error.retryAfter ?? .zero)
  }

  /// Returns the step that retries a request whose credential expired in transit, even if it was fetched just before.
  mutating func step(afterExpiry error: ServiceError) -> Step? {
    repetition(because: "\(error.code): the credential expired in transit.", atLeast: .zero)
  }

  /// Returns a retry step, or `nil` if no retry is left or the service requests a longer delay than the limit.
  ///
  /// The delay doubles with each retry and is reduced by a random fraction, so that many clients do not retry at once.
  private mutating func repetition(because reason: String, atLeast shortest: Duration) -> Step? {
    guard repetitionsLeft > 0, shortest <= maximumDelay else { return nil }
    repetitionsLeft -= 1
    mayRenew = true
    let delay = min(backoff, maximumDelay) * Double.random(in: 0.5...1)
    backoff = min(backoff, maximumDelay) * 2
    return Step(delay: max(delay, shortest), reason: reason)
  }
}

/// A string from a response that becomes part of a later request.
///
/// Examples are an upload ID, an entity tag, a version, an object key, and a continuation token. The length is limited
/// when the string is read, because a request line of more than 64 KB terminates the process inside AsyncHTTPClient
/// 1.37, and with it all other work of the process.
struct ResponseValue: Sendable, Hashable {
  /// The maximum length of the string in bytes: four times the length of the longest object key.
  static let limit = 4_096

  let text: String

  /// Creates a value from a string in a response, or throws an error if the string is longer than ``limit``.
  init(_ text: String, named name: String) throws(StorageError) {
    guard Self.isSendable(text) else {
      throw StorageError.malformedResponse("its \(name) has \(text.utf8.count) bytes; the limit is \(Self.limit) bytes")
    }
    self.text = text
  }

  /// Returns whether a string is short enough to be sent, or `true` for `nil`.
  static func isSendable(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
}

/// The location to which the service redirected a client, shared by the copies of the client.
final class Relocation<Provider: Sendable>: Sendable {
  private let moved = Lock<Provider?>(nil)

  /// The provider with the endpoint that the service specified, or `nil` if the service did not redirect the client.
  var provider: Provider? {
    get { moved.withLock { $0 } }
    set { moved.withLock { $0 = newValue } }
  }
}

/// The properties of a sent signature that the client needs to interpret an error response.
package struct SentSignature: Sendable {
  let generation: CredentialGeneration
  /// Whether a service can report the credential of the signature as expired.
  let isTemporary: Bool
  /// The expiration of the signature's credential, or `nil` if it is unknown.
  let expiration: Timestamp?
  /// The offset that was added to this machine's clock for the signing time.
  let clockOffset: Duration
}

/// An error response, with the information that the client can derive from it.
package struct Refusal: Sendable {
  package var error: ServiceError
  let signature: SentSignature
  /// Whether the connection was lost before the response gave a reason.
  var isTruncated = false
  /// Whether the response specified another location, which the client has adopted.
  var isMoved = false
  /// The time according to the service's clock, or `nil` if it is unknown or the response came from a cache.
  let serverTime: Timestamp?
  /// The time according to this machine's clock when the response arrived.
  let localTime: Timestamp

  package enum Outcome<Result> {
    case done(Result, SentSignature)
    case refused(Refusal)
    case lost(TransportError)
    /// The credential provider failed, and the request was not sent.
    case unsigned(CredentialError)
  }
}

extension Refusal {
  /// Creates a refusal from a response; a cached one, with an `Age` header, does not provide the service's time.
  init(_ error: ServiceError, in response: HTTPResponse, signature: SentSignature, localTime: Timestamp) {
    self.error = error
    self.signature = signature
    serverTime = response.headerFields[.age] == nil ? error.serverTime : nil
    self.localTime = localTime
  }

  /// Whether the service gave no reason for an error, as in responses to `HEAD`, which have no body.
  var isUnclear: Bool { !error.isExplained && (error.status == .forbidden || error.status == .badRequest) }

  /// Whether the service could accept a signature with another date.
  var isAboutTime: Bool { error.kind == .clockSkew || error.kind == .requestExpired }

  /// Whether the credential expired before the service received the request.
  ///
  /// The service's time is compared if the response contains it, and otherwise the local time. A
  /// credential also counts as expired in the second before its expiration, because services report whole seconds.
  var expiredOnTheWay: Bool {
    guard let expiration = signature.expiration else { return false }
    return expiration <= (serverTime ?? localTime.advanced(by: signature.clockOffset)).advanced(by: .seconds(1))
  }

  /// Whether the service could accept the request with another credential.
  var isAboutCredential: Bool {
    switch error.kind {
    case .credentialExpired, .invalidCredential, .unknownAccessKey: true
    // A signature that expires with its credential is reported as an expired request.
    case .requestExpired: signature.isTemporary
    default: false
    }
  }
}
