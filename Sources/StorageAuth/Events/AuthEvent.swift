/// Something that happened while credentials were had, requests signed and bytes moved.
///
/// Events are for people and for metrics. No secret, no token, no query and no string to sign is in one. More kinds may
/// come: a `switch` needs a `default`.
public enum AuthEvent: Sendable {
  /// A request was signed.
  case signed(Signature)
  /// A credential was asked for at its source.
  case refresh(Refresh)
  /// A request is sent again.
  case retry(Retry)
  /// It became known how far the clock of this machine is from a host's.
  case skew(Skew)
  /// An upload, a download or a copy ended.
  case transfer(Transfer)

  /// A request that was signed.
  public struct Signature: Sendable, Hashable {
    /// What the request does, such as `GET oss://photos/cat.jpg`.
    public var subject: String
    /// The access key id, or another public name of the credential; nothing for an anonymous request.
    public var identity: String?
    /// Which credential of its cache it was signed with.
    public var generation: CredentialGeneration
    /// The instant in the signature, in the service's time.
    public var date: Timestamp

    /// Makes the event.
    public init(subject: String, identity: String?, generation: CredentialGeneration, date: Timestamp) {
      self.subject = subject
      self.identity = identity
      self.generation = generation
      self.date = date
    }
  }

  /// A credential that was asked for.
  public struct Refresh: Sendable, Hashable {
    /// The name of the source.
    public var source: String
    /// How it went.
    public var outcome: Outcome

    /// Makes the event.
    public init(source: String, outcome: Outcome) {
      self.source = source
      self.outcome = outcome
    }

    /// How asking for a credential went.
    public enum Outcome: Sendable, Hashable {
      /// The source is being asked.
      case started
      /// A credential came; how long it lives, if it ends.
      case succeeded(CredentialGeneration, lifetime: Duration?)
      /// None came; after which time the source may be asked again.
      case failed(CredentialError, backoff: Duration)
    }
  }

  /// A request that is sent again.
  public struct Retry: Sendable, Hashable {
    /// What the request does.
    public var subject: String
    /// The number of the attempt that follows, from 2 on.
    public var attempt: Int
    /// How long is waited before it.
    public var delay: Duration
    /// Why, in a sentence.
    public var reason: String

    /// Makes the event.
    public init(subject: String, attempt: Int, delay: Duration, reason: String) {
      self.subject = subject
      self.attempt = attempt
      self.delay = delay
      self.reason = reason
    }
  }

  /// A clock difference that was learnt.
  public struct Skew: Sendable, Hashable {
    /// The host.
    public var host: String
    /// What has to be added to this machine's clock to get the host's time.
    public var offset: Duration

    /// Makes the event.
    public init(host: String, offset: Duration) {
      self.host = host
      self.offset = offset
    }
  }

  /// An upload, a download or a copy that ended.
  public struct Transfer: Sendable, Hashable {
    /// What was done, such as `upload oss://photos/cat.jpg`.
    public var subject: String
    /// How many bytes of content were moved.
    public var bytes: Int64
    /// How long it took.
    public var duration: Duration
    /// Why it failed, in a sentence; nothing if it did not.
    public var failure: String?

    /// Makes the event.
    public init(subject: String, bytes: Int64, duration: Duration, failure: String?) {
      self.subject = subject
      self.bytes = bytes
      self.duration = duration
      self.failure = failure
    }
  }
}
