// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An event that occurred while a credential was fetched, a request signed or content transferred.
///
/// Events are for logs and metrics. They contain no secret, no token, no query and no string to sign. Later versions
/// may add cases, so a `switch` over an event needs a `default` case.
public enum AuthEvent: Sendable {
  /// A request was signed.
  case signed(Signature)
  /// A request to a credential provider started or finished.
  case refresh(Refresh)
  /// An attempt to send a request to a storage service has ended, with or without a response.
  ///
  /// An attempt that is cancelled, or whose source or response cannot be processed, is not reported.
  case request(Request)
  /// A request will be sent again after a failure.
  case retry(Retry)
  /// The clock skew between this machine and a host was determined.
  case skew(Skew)
  /// An upload, a download or a copy finished, successfully or not.
  case transfer(Transfer)

  /// The details of the event that a request was signed.
  public struct Signature: Sendable, Hashable {
    /// The signed operation, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The access key ID, or another public name of the credential, or `nil` for an anonymous request.
    public var identity: String?
    /// The generation of the signing credential in its cache.
    public var generation: CredentialGeneration
    /// The signing time, according to the service's clock.
    public var date: Timestamp

    /// Creates the details of the event that a request was signed; the parameters are the properties.
    public init(subject: String, identity: String?, generation: CredentialGeneration, date: Timestamp) {
      self.subject = subject
      self.identity = identity
      self.generation = generation
      self.date = date
    }
  }

  /// The details of the event that a request to a credential provider started or finished.
  public struct Refresh: Sendable, Hashable {
    /// The name of the credential source.
    public var source: String
    /// The state or result of the request to the credential provider.
    public var outcome: Outcome
    /// The duration of the request, or `nil` if it has just started, or if the app supplied the credential.
    public var duration: Duration?

    /// Creates the details of a refresh event; the parameters are the properties.
    public init(source: String, outcome: Outcome, duration: Duration? = nil) {
      self.source = source
      self.outcome = outcome
      self.duration = duration
    }

    /// The state or result of a request to a credential provider.
    public enum Outcome: Sendable, Hashable {
      /// The request to the credential provider has started.
      case started
      /// The provider returned a credential with a remaining lifetime, which is `nil` if it does not expire.
      case succeeded(CredentialGeneration, lifetime: Duration?)
      /// The provider failed, and will not be called again until the backoff has elapsed.
      case failed(CredentialError, backoff: Duration)
      /// A credential that the app set, in a cache without a provider, expires after the given duration.
      case ending(CredentialGeneration, lifetime: Duration)
    }
  }

  /// The details of the event that an attempt to send a request ended.
  public struct Request: Sendable, Hashable {
    /// The operation of the request, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The number of the attempt, starting at 1.
    public var attempt: Int
    /// The status code of the response, or `nil` if there was no response.
    public var status: Int?
    /// The kind of the failure, such as `accessDenied` or `connectionFailed`, or `nil` if the attempt succeeded.
    public var failure: String?
    /// The time from the start of the attempt until the response was read or, if it is passed on as a stream, began.
    public var duration: Duration

    /// Creates the details of the event that an attempt to send a request ended; the parameters are the properties.
    public init(subject: String, attempt: Int, status: Int?, failure: String?, duration: Duration) {
      self.subject = subject
      self.attempt = attempt
      self.status = status
      self.failure = failure
      self.duration = duration
    }
  }

  /// The details of the event that a request will be sent again.
  public struct Retry: Sendable, Hashable {
    /// The retried operation, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The number of the retried request's next attempt, at least 2.
    public var attempt: Int
    /// The delay before the retried request's next attempt.
    public var delay: Duration
    /// A sentence that describes why the request is retried.
    public var reason: String

    /// Creates the details of the event that a request will be sent again; the parameters are the properties.
    public init(subject: String, attempt: Int, delay: Duration, reason: String) {
      self.subject = subject
      self.attempt = attempt
      self.delay = delay
      self.reason = reason
    }
  }

  /// The details of the event that a host's clock skew was determined.
  public struct Skew: Sendable, Hashable {
    /// The host whose clock differs from this machine's clock.
    public var host: String
    /// The offset to add to this machine's clock to obtain the host's time.
    public var offset: Duration

    /// Creates the details of the event that a host's clock skew was determined; the parameters are the properties.
    public init(host: String, offset: Duration) {
      self.host = host
      self.offset = offset
    }
  }

  /// The details of the event that an upload, a download or a copy finished.
  public struct Transfer: Sendable, Hashable {
    /// The finished operation, such as `upload oss://photos/cat.jpg`.
    public var subject: String
    /// The number of bytes of content that the upload, download or copy transferred.
    public var bytes: Int64
    /// The duration of the upload, download or copy.
    public var duration: Duration
    /// A sentence that describes why the transfer failed, or `nil` if the transfer succeeded.
    public var failure: String?

    /// Creates the details of a transfer event; the parameters are the properties.
    public init(subject: String, bytes: Int64, duration: Duration, failure: String?) {
      self.subject = subject
      self.bytes = bytes
      self.duration = duration
      self.failure = failure
    }
  }
}

/// The parts of an event's subject, such as `upload oss://photos/cat.jpg`; without a location, only the operation.
package struct EventSubject: Sendable, Hashable {
  package let operation: String
  /// The scheme of the location, such as `oss`.
  package let provider: String?
  /// The bucket or the host.
  package let container: String?
  package let key: String?

  package init(_ subject: String) {
    operation = String(subject.bytes(before: " "))
    let location = subject.bytes(after: " ")
    let containerAndKey = location.bytes(from: ":").removingBytePrefix("://")
    provider = containerAndKey.map { _ in String(location.bytes(before: ":")) }
    container = containerAndKey.map { String($0.bytes(before: "/")) }
    key = containerAndKey.map { String($0.bytes(after: "/")) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
