internal import HTTPTypes
internal import StorageAuth

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
