/// Who signs, without the key: what a request has to say about its signer before the signature exists.
///
/// This is all that a device needs in self-signed mode, where the key stays on a server.
public struct Identity: Sendable, Equatable {
  /// The access key id.
  public let id: AccessKeyID

  /// The session token of a temporary credential; it is part of what is signed.
  public let sessionToken: Secret?

  /// The first instant at which the credential is valid, where its issuer said so.
  public let start: Timestamp?

  /// When the credential ends, where it does.
  public let expiration: Timestamp?

  /// Names a signer by the text of its id.
  public init(id: String, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.init(id: AccessKeyID(id), sessionToken: sessionToken, start: start, expiration: expiration)
  }

  /// Names a signer.
  public init(id: AccessKeyID, sessionToken: Secret? = nil, start: Timestamp? = nil, expiration: Timestamp? = nil) {
    self.id = id
    self.sessionToken = sessionToken
    self.start = start
    self.expiration = expiration
  }
}
