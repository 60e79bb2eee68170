// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// An input of a conformance suite: a request to sign, with its credential and its signing time.
public struct SigningSample<SigningCredential: Credential>: Sendable {
  /// The name of the sample in conformance reports.
  public var name: String
  /// The request to sign, without an authorization.
  public var request: HTTPRequest
  /// The credential with which to sign the request.
  public var credential: SigningCredential
  /// The signing time according to the server's clock.
  public var date: Timestamp
  /// The target of the request, or `nil` if the target that the verifier parses is not compared.
  public var target: RequestTarget?
  /// The same credential with another secret, or `nil` if the scheme has no such credential.
  public var otherSecret: SigningCredential?
  /// The same credential with an expiration at the signing time, or `nil` if the scheme has no such credential.
  public var ended: SigningCredential?
  /// The secrets that must never occur in a request, a URL or an error; a session token is none, because it is sent.
  public var secrets: [String]

  /// Creates a sample with any type of credential; the parameters are the properties.
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
  /// Creates a sample with an access key, from which the key's variants and the secret are derived.
  ///
  /// Secrets shorter than eight bytes are not searched for, because they may occur by chance. `key` is the credential.
  /// The other parameters are the properties.
  public init(_ name: String, request: HTTPRequest, key: AccessKey, date: Timestamp, target: RequestTarget? = nil) {
    let secret = key.secret.reveal()
    self.init(
      name, request: request, credential: key, date: date, target: target,
      otherSecret: key.withOtherSecret,
      ended: AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: date),
      secrets: secret.utf8.count < 8 ? [] : [secret])
  }
}

extension SigningSample: Redacted {
  /// The name of the sample, without its credential.
  public var description: String { "SigningSample(\(name))" }
}

extension AccessKey {
  /// Returns a copy with a session token, or without one.
  func withToken(_ token: String?) -> AccessKey {
    AccessKey(id: id, secret: secret, sessionToken: token.map { Secret($0) })
  }

  var withOtherSecret: AccessKey {
    AccessKey(id: id, secret: Secret("x" + secret.reveal()), sessionToken: sessionToken)
  }

  /// Two copies: a temporary key for a permanent one or the reverse, and a key with another session token.
  var withOtherTokens: [(name: String, key: AccessKey)] {
    [
      ("another kind of key", withToken(sessionToken == nil ? "another token" : nil)),
      ("another token", withToken("yet another token")),
    ]
  }

  /// The access keys that cannot sign a request, with names that describe their defects.
  ///
  /// The defects are an empty ID or secret, line breaks, a trailing space, a NUL, and a non-ASCII character.
  public static let unusable: [(name: String, key: AccessKey)] = {
    let secret = "hostile0secret"
    return [
      ("an empty id", AccessKey(id: "", secret: secret)), ("an empty secret", AccessKey(id: "AKIDexample", secret: "")),
      ("an id with a line break", AccessKey(id: "AKID\r\nX-Injected: a", secret: secret)),
      ("an id with a space at its end", AccessKey(id: "AKIDexample ", secret: secret)),
      ("an id with a non-ASCII character", AccessKey(id: "AKID\u{e9}", secret: secret)),
      ("a secret with a line break at its end", AccessKey(id: "AKIDexample", secret: secret + "\n")),
      ("a token with a line break", AccessKey(id: "AKIDexample", secret: secret, sessionToken: "a\r\nX-Injected: b")),
      ("a token with a NUL", AccessKey(id: "AKIDexample", secret: secret, sessionToken: "a\0b")),
    ]
  }()
}
