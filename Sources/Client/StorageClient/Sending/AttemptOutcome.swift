// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The outcome of one attempt to send a request.
package enum AttemptOutcome<Value> {
  /// The service performed the operation, and its response was read.
  case succeeded(Value, SentSignature)
  case failed(AttemptFailure)
}

/// The reason why an attempt to send a request failed.
package enum AttemptFailure {
  case rejected(Rejection)
  /// The transport failed, so it may be unknown whether the service received the request.
  case unanswered(TransportError)
  /// The credential provider failed, so the request was not sent.
  case unsigned(CredentialError)

  fileprivate var summary: (kind: String, sentence: String) {
    switch self {
    case .rejected(let rejection): ("\(rejection.error.kind)", "\(rejection.error)")
    case .unanswered(let error): ("\(error.code)", "\(error)")
    case .unsigned(let error): ("\(error.code)", "\(error)")
    }
  }
}

/// The properties of a sent signature that the client needs to interpret an error response.
package struct SentSignature: Sendable {
  /// The generation of the credential in the cache, so that only the rejected credential is replaced.
  let generation: CredentialGeneration
  /// Whether a service can report the credential of the signature as expired.
  let isTemporary: Bool
  let credentialExpiration: Timestamp?
  /// The offset that was added to this machine's clock for the signing time.
  let clockOffset: Duration
}

/// An error response, with what the client derives from it.
package struct Rejection: Sendable {
  package var error: ServiceError
  let signature: SentSignature
  /// Whether the connection was lost before the response gave a reason.
  var isTruncated = false
  /// Whether the response specified another endpoint or region, which the client has adopted.
  var isMoved = false
  /// The time according to the service's clock, or `nil` if it is unknown or the response came from a cache.
  let serverTime: Timestamp?
  /// The time according to this machine's clock when the response arrived.
  let localTime: Timestamp

  /// Whether the service may have rejected the signature without a reason, as in responses to `HEAD` without a body.
  ///
  /// Services reject signatures with the status 403, and S3 rejects session tokens with 400.
  var isUnexplainedDenial: Bool { !error.isExplained && (error.status == .forbidden || error.status == .badRequest) }
  /// Whether the service could accept a signature with another date.
  var isAboutTime: Bool { error.kind == .clockSkew || error.kind == .requestExpired }

  /// Whether the service could accept the request with another credential.
  var isAboutCredential: Bool {
    switch error.kind {
    case .credentialExpired, .invalidCredential, .unknownAccessKey: true
    // A signature that expires with its credential is reported as an expired request.
    case .requestExpired: signature.isTemporary
    default: false
    }
  }

  /// Whether the credential expired before the service received the request.
  ///
  /// A credential also counts as expired in the second before its expiration, because services report whole seconds.
  var credentialExpiredInTransit: Bool {
    guard let expiration = signature.credentialExpiration else { return false }
    let arrival = serverTime ?? localTime.advanced(by: signature.clockOffset)
    return expiration <= arrival.advanced(by: .seconds(1))
  }
}

extension Rejection {
  /// Creates a rejection from a response; a cached one, with an `Age` header, does not provide the service's time.
  init(_ error: ServiceError, in response: HTTPResponse, signature: SentSignature, localTime: Timestamp) {
    let isCached = response.headerFields.contains(.age)
    self.init(error: error, signature: signature, serverTime: isCached ? nil : error.serverTime, localTime: localTime)
  }
}

/// The record of one attempt to send a request, for the event and the span of the attempt.
struct AttemptRecord {
  // The subject is composed only when it is needed, because most clients have no observer of attempts.
  let action: String
  let location: String
  let number: Int
  /// The uptime at which the request was passed to the transport, or `nil` if it was not.
  var start: Duration?
  var status: Int?

  private var subject: String { RequestDraft.makeSubject(action: action, location: location) }
  var activity: AuthActivity { AuthActivity(.attempt, subject, attempt: number) }

  /// Returns the event of the attempt at its end, or `nil` if the request was not passed to the transport.
  func event(of outcome: AttemptOutcome<some Any>, at uptime: Duration) -> AuthEvent.Request? {
    guard let start else { return nil }
    var failureKind: String?
    if case .failed(let failure) = outcome { failureKind = failure.summary.kind }
    return AuthEvent.Request(
      subject: subject, attempt: number, status: status, failure: failureKind, duration: uptime - start)
  }
}

extension AuthActivity.Outcome {
  /// Creates the outcome of an attempt; a failed attempt counts as failed even if another attempt follows.
  init<Value>(ofAttempt result: Result<AttemptOutcome<Value>, any Error>, status: Int?) {
    switch result {
    case .success(.succeeded): self.init(status: status)
    case .success(.failed(let failure)): self.init(status: status, failure: failure.summary.sentence)
    case .failure:
      self.init(of: result)
      self.status = status
    }
  }
}
