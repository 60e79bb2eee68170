// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An event that occurred while a credential was fetched, a request signed or content transferred.
///
/// Events are for logs and metrics. They contain no secret, no token, no query and no string to sign. Later versions
/// may add cases: a `switch` needs a `default`.
public enum AuthEvent: Sendable {
  /// A request was signed.
  case signed(Signature)
  /// A request to a credential provider started or finished.
  case refresh(Refresh)
  /// A request is sent again.
  case retry(Retry)
  /// The difference between the clocks of this machine and of a host was determined.
  case skew(Skew)
  /// An upload, a download or a copy finished.
  case transfer(Transfer)

  /// The event of a signed request.
  public struct Signature: Sendable, Hashable {
    /// The operation, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The access key id, or another public name of the credential; `nil` for an anonymous request.
    public var identity: String?
    /// The generation of the credential in its cache.
    public var generation: CredentialGeneration
    /// The time in the signature, in the service's time.
    public var date: Timestamp

    /// Creates the event.
    ///
    /// - Parameters:
    ///   - subject: The operation, such as `GET oss://photos/cat.jpg`.
    ///   - identity: The access key id, or another public name of the credential; `nil` for an anonymous request.
    ///   - generation: The generation of the credential in its cache.
    ///   - date: The time in the signature, in the service's time.
    public init(subject: String, identity: String?, generation: CredentialGeneration, date: Timestamp) {
      self.subject = subject
      self.identity = identity
      self.generation = generation
      self.date = date
    }
  }

  /// The event of a request to a credential provider.
  public struct Refresh: Sendable, Hashable {
    /// The name of the source.
    public var source: String
    /// The outcome of the request.
    public var outcome: Outcome

    /// Creates the event.
    ///
    /// - Parameters:
    ///   - source: The name of the source.
    ///   - outcome: The outcome of the request.
    public init(source: String, outcome: Outcome) {
      self.source = source
      self.outcome = outcome
    }

    /// The outcome of a request to a credential provider.
    public enum Outcome: Sendable, Hashable {
      /// The request has started.
      case started
      /// The provider returned a credential of a lifetime, or `nil` if it does not expire.
      case succeeded(CredentialGeneration, lifetime: Duration?)
      /// The provider failed; it is not called again before the backoff has passed.
      case failed(CredentialError, backoff: Duration)
    }
  }

  /// The event of a request that is sent again.
  public struct Retry: Sendable, Hashable {
    /// The operation, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The number of the next attempt, at least 2.
    public var attempt: Int
    /// The delay before the next attempt.
    public var delay: Duration
    /// The reason of the retry, in one sentence.
    public var reason: String

    /// Creates the event.
    ///
    /// - Parameters:
    ///   - subject: The operation, such as `GET oss://photos/cat.jpg`.
    ///   - attempt: The number of the next attempt, at least 2.
    ///   - delay: The delay before the next attempt.
    ///   - reason: The reason of the retry, in one sentence.
    public init(subject: String, attempt: Int, delay: Duration, reason: String) {
      self.subject = subject
      self.attempt = attempt
      self.delay = delay
      self.reason = reason
    }
  }

  /// The event of a clock difference that was determined.
  public struct Skew: Sendable, Hashable {
    /// The host.
    public var host: String
    /// The offset to be added to this machine's clock to obtain the host's time.
    public var offset: Duration

    /// Creates the event.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - offset: The offset to be added to this machine's clock to obtain the host's time.
    public init(host: String, offset: Duration) {
      self.host = host
      self.offset = offset
    }
  }

  /// The event of an upload, a download or a copy that finished.
  public struct Transfer: Sendable, Hashable {
    /// The operation, such as `upload oss://photos/cat.jpg`.
    public var subject: String
    /// The number of bytes of content that were transferred.
    public var bytes: Int64
    /// The duration of the transfer.
    public var duration: Duration
    /// The reason of the failure, in one sentence; `nil` if the transfer succeeded.
    public var failure: String?

    /// Creates the event.
    ///
    /// - Parameters:
    ///   - subject: The operation, such as `upload oss://photos/cat.jpg`.
    ///   - bytes: The number of bytes of content that were transferred.
    ///   - duration: The duration of the transfer.
    ///   - failure: The reason of the failure, in one sentence; `nil` if the transfer succeeded.
    public init(subject: String, bytes: Int64, duration: Duration, failure: String?) {
      self.subject = subject
      self.bytes = bytes
      self.duration = duration
      self.failure = failure
    }
  }
}
