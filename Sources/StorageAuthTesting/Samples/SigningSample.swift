public import HTTPTypes
public import StorageAuth

/// A request to sign, with what and when: one input of a conformance suite.
public struct SigningSample<SigningCredential: Credential>: Sendable {
  /// The name of the sample, by which a report calls it.
  public var name: String

  /// The request, without an authorization.
  public var request: HTTPRequest

  /// What it is signed with.
  public var credential: SigningCredential

  /// When it is signed, in the service's time.
  public var date: Timestamp

  /// What the request is about; nothing if a verifier's reading of it is not to be compared.
  public var target: RequestTarget?

  /// The same credential with another secret, or `nil` if the scheme has none.
  public var otherSecret: SigningCredential?

  /// The same credential, which ends as the request is signed, or `nil` if the scheme has none.
  public var ended: SigningCredential?

  /// What must never be in a request, a URL or an error; a session token is no such thing, because it is sent.
  public var secrets: [String]

  /// Puts a sample together.
  public init(
    _ name: String, request: HTTPRequest, credential: SigningCredential, date: Timestamp, target: RequestTarget? = nil,
    otherSecret: SigningCredential? = nil, ended: SigningCredential? = nil, secrets: [String] = []
  ) {
    self.name = name
    self.request = request
    self.credential = credential
    self.date = date
    self.target = target
    self.otherSecret = otherSecret
    self.ended = ended
    self.secrets = secrets
  }
}

extension SigningSample where SigningCredential == AccessKey {
  /// Puts a sample for an access key together; its variants and its secret follow from the key.
  ///
  /// A secret of less than eight bytes is not looked for: it can be anywhere by chance.
  public init(
    _ name: String, request: HTTPRequest, key: AccessKey, date: Timestamp, target: RequestTarget? = nil
  ) {
    let secret = key.secret.reveal()
    self.init(
      name, request: request, credential: key, date: date, target: target,
      otherSecret: AccessKey(id: key.id, secret: Secret("x" + secret), sessionToken: key.sessionToken),
      ended: AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: date),
      secrets: secret.utf8.count < 8 ? [] : [secret])
  }
}

extension SigningSample: CustomStringConvertible, CustomReflectable {
  /// The name.
  public var description: String { "SigningSample(\(name))" }

  /// A mirror of the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
