public import AsperaAuth
public import StorageAuth

/// Something that happened to a session of a queue.
///
/// No secret and no token is in it. More kinds may come: a `switch` needs a `default`.
public struct TransferEvent: Sendable {
  /// The id of the session.
  public let session: String

  /// What happened.
  public let kind: Kind

  /// What can happen to a session.
  ///
  /// The first eight come in this order. A session whose token cannot be had does not become active: `willActivate`,
  /// then `didDeactivate`. An attempt that fails before the server has taken account and token: `willStartRunning`,
  /// then `didStopRunning`. An attempt that is repeated, or was interrupted, begins with `willStartRunning` again.
  /// `finished` is the last one, and comes once each time that a session is put in line.
  public enum Kind: Sendable, Equatable {
    /// Its turn has come; its token is asked for.
    case willActivate
    /// It has what it needs to start.
    case didActivate
    /// An attempt begins to connect.
    case willStartRunning
    /// The server has taken account and token.
    case didStartRunning
    /// The attempt that runs ends, or is told to.
    case willStopRunning
    /// The attempt has ended, and nothing of it is left.
    case didStopRunning
    /// It gives its turn back.
    case willDeactivate
    /// It has given its turn back.
    case didDeactivate
    /// How far it is; a slow reader gets the newest one.
    case progress(TransferProgressReport)
    /// A file ended.
    case file(TransferFileReport)
    /// The issuer gave a token.
    case tokenIssued(TokenIssuance)
    /// Something is tried again.
    case retry(TransferRetry)
    /// It is over: what was transferred, or why it was not.
    case finished(Result<TransferSummary, TransferFailure>)
  }

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - session: The id of the session.
  ///   - kind: What happened.
  public init(session: String, kind: Kind) {
    self.session = session
    self.kind = kind
  }
}

/// A token that an issuer gave: everything but the token.
public struct TokenIssuance: Sendable, Hashable {
  /// The name of the issuer.
  public var source: String
  /// What the token is, by its form; nothing if the issuer says that none is needed.
  public var kind: AsperaToken.Kind?
  /// When it ends, in its issuer's time, where that is known.
  public var expiration: Timestamp?
  /// Why it was asked for.
  public var reason: TokenRequest.Reason
  /// How often a token was asked for in this session, this time included.
  public var attempt: Int

  /// Describes a token that was issued.
  public init(
    source: String, kind: AsperaToken.Kind?, expiration: Timestamp?, reason: TokenRequest.Reason, attempt: Int
  ) {
    self.source = source
    self.kind = kind
    self.expiration = expiration
    self.reason = reason
    self.attempt = attempt
  }
}

/// Something that is tried again.
public struct TransferRetry: Sendable, Hashable {
  /// What is tried again; each has a budget of its own.
  public enum Cause: String, Sendable, Hashable {
    /// The server refused the token: another one is asked for.
    case token
    /// The network or the server failed for a moment: the same is done again.
    case transport
    /// The issuer failed: it is asked again.
    case issuer
  }

  /// What is tried again.
  public var cause: Cause
  /// Why.
  public var failure: TransferFailure
  /// How often this has been tried again in a row, this time included.
  public var number: Int
  /// How long is waited before it.
  public var delay: Duration

  /// Describes what is tried again.
  public init(cause: Cause, failure: TransferFailure, number: Int, delay: Duration) {
    self.cause = cause
    self.failure = failure
    self.number = number
    self.delay = delay
  }
}
