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
  /// The `will…` and `did…` kinds occur in the order of declaration. A kind is left out if its step is not reached:
  ///
  /// - A session that ends before its turn reports only `finished`.
  /// - A session that ends before its first token reports `willActivate` and `didDeactivate`.
  /// - An attempt that ends before the server has accepted it reports `willStartRunning` and `didStopRunning`.
  ///
  /// A repeated attempt starts with `willStartRunning` again. An interruption reports only the end of the attempt: the
  /// session is not deactivated, and continues with `willStartRunning`.
  ///
  /// `finished` is the last event of a session. It occurs once each time that the session is queued.
  public enum Kind: Sendable, Equatable {
    /// The session's turn has come. Its token is requested when it starts.
    case willActivate
    /// The session has its token, if required, and is ready to start.
    case didActivate
    /// An attempt of the session starts to connect to the server.
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
    /// A step of the session is retried.
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
  /// The name of the token issuer.
  public var source: String
  /// The kind of the token, or `nil` if the issuer indicated that no token is needed.
  public var kind: AsperaToken.Kind?
  /// The time at which the token expires according to its issuer's clock, or `nil` if the time is unknown.
  public var expiration: Timestamp?
  /// The reason for which the token was requested.
  public var reason: TokenRequest.Reason
  /// The number of tokens that have been requested for the session, including this token.
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
  /// A kind of retry, for which a queue has a separate limit.
  public enum Cause: String, Sendable, Hashable {
    /// The server rejected the token, so another token is requested.
    case token
    /// The network or the server failed temporarily, so the attempt is repeated.
    case transport
    /// The issuer failed temporarily, so the token request is repeated.
    case issuer
  }

  /// The kind of retry.
  public var cause: Cause
  /// The failure that caused the retry.
  public var failure: TransferFailure
  /// The number of consecutive retries of this kind, including this retry.
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
