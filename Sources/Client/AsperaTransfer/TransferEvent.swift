// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import StorageAuth

/// An event in a session of a ``TransferQueue``.
///
/// Events contain no secrets and no tokens. A `switch` over ``kind`` needs a `default`: later versions may add kinds.
public struct TransferEvent: Sendable {
  /// The ID of the session in which the event occurred.
  public let session: String
  /// The kind of event that occurred in the session.
  public let kind: Kind

  /// A kind of event in a session of a transfer queue.
  ///
  /// The `will…` and `did…` kinds occur in the order of declaration. Each attempt starts with `willStartRunning`, also
  /// after an interruption, which does not deactivate the session. A kind is left out if its step is not reached:
  ///
  /// - A session that ends before its turn reports only `finished`.
  /// - A session that ends before its first token reports `willActivate` and `didDeactivate`.
  /// - An attempt that ends before the server has accepted it reports `willStartRunning` and `didStopRunning`.
  ///
  /// `finished` is the last event of a session. It occurs once each time that the session is queued.
  public enum Kind: Sendable, Equatable {
    /// The session's turn has come; its token is requested when it is about to start.
    case willActivate
    /// The session has its token, if required, and is ready to start.
    case didActivate
    /// An attempt to carry out the transfer starts to connect to the server.
    case willStartRunning
    /// The server has accepted the account and the token, and the attempt is running.
    case didStartRunning
    /// The current attempt is ending, or was requested to stop.
    case willStopRunning
    /// The attempt has ended, and all its processes, files and ports are gone.
    case didStopRunning
    /// The session is about to become inactive.
    case willDeactivate
    /// The session has become inactive.
    case didDeactivate
    /// The progress of the transfer has changed; a slow reader receives only the most recent progress.
    case progress(TransferProgressReport)
    /// A file was transferred or skipped, or its transfer failed.
    case file(TransferFileReport)
    /// The issuer provided a token for the session.
    case tokenIssued(TokenIssuance)
    /// A step of the session has failed and is retried.
    case retry(TransferRetry)
    /// The session has ended with the given summary or failure.
    case finished(Result<TransferSummary, TransferFailure>)
  }

  /// Creates an event of a session; the parameters are the properties.
  public init(session: String, kind: Kind) {
    self.session = session
    self.kind = kind
  }
}

/// A description of a token that an issuer provided, without the token itself.
public struct TokenIssuance: Sendable, Hashable {
  /// The source of the token: the issuer's name, as in its property `source`.
  public var source: String
  /// The kind of the token, or `nil` if the issuer indicated that no token is needed.
  public var kind: AsperaToken.Kind?
  /// The time at which the token expires according to its issuer's clock, or `nil` if the time is unknown.
  public var expiration: Timestamp?
  /// The reason for which the token was requested.
  public var reason: TokenRequest.Reason
  /// The attempt to get a token for the session that provided this token; the first request is attempt 1.
  public var attempt: Int

  /// Creates a description of an issued token; the parameters are the properties.
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

/// A description of a retry after a failed step of a session.
public struct TransferRetry: Sendable, Hashable {
  /// A cause of retries, for each of which a queue has a separate limit.
  public enum Cause: String, Sendable, Hashable {
    /// The server rejected the token, so another token is requested and the transfer is attempted again.
    case token
    /// The network or the server failed temporarily, so the transfer is attempted again.
    case transport
    /// The issuer failed temporarily, so a token is requested again.
    case issuer
  }

  /// The cause of the retry, which determines the failed step.
  public var cause: Cause
  /// The failure of the step that is retried.
  public var failure: TransferFailure
  /// The number of consecutive retries with this cause, including this retry.
  public var number: Int
  /// The minimum delay before the retry.
  public var delay: Duration

  /// Creates a description of a retry after a failed step; the parameters are the properties.
  public init(cause: Cause, failure: TransferFailure, number: Int, delay: Duration) {
    self.cause = cause
    self.failure = failure
    self.number = number
    self.delay = delay
  }
}
