// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A request to sign, with its credential and its time: one input of a conformance suite.
public struct SigningSample<SigningCredential: Credential>: Sendable {
  /// The name of the sample in reports.
  public var name: String

  /// The request, without an authorization.
  public var request: HTTPRequest

  /// The credential to sign with.
  public var credential: SigningCredential

  /// The time of signing, in the service's time.
  public var date: Timestamp

  /// The target of the request, or `nil` if a verifier's reading of it is not compared.
  public var target: RequestTarget?

  /// The same credential with another secret, or `nil` if the scheme has none.
  public var otherSecret: SigningCredential?

  /// The same credential with an expiration at the time of signing, or `nil` if the scheme has none.
  public var ended: SigningCredential?

  /// The secrets that must never occur in a request, a URL or an error; a session token is not one, because it is sent.
  public var secrets: [String]

  /// Creates a sample.
  ///
  /// - Parameters:
  ///   - name: The name of the sample in reports.
  ///   - request: The request, without an authorization.
  ///   - credential: The credential to sign with.
  ///   - date: The time of signing, in the service's time.
  ///   - target: The target of the request, or `nil` if a verifier's reading of it is not compared.
  ///   - otherSecret: The same credential with another secret, or `nil` if the scheme has none.
  ///   - ended: The same credential with an expiration at the time of signing, or `nil` if the scheme has none.
  ///   - secrets: The secrets that must never occur in a request, a URL or an error.
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
  /// Creates a sample for an access key, from which its variants and its secret are derived.
  ///
  /// A secret of less than eight bytes is not searched for, because it may occur by chance.
  ///
  /// - Parameters:
  ///   - name: The name of the sample in reports.
  ///   - request: The request, without an authorization.
  ///   - key: The access key to sign with.
  ///   - date: The time of signing, in the service's time.
  ///   - target: The target of the request, or `nil` if a verifier's reading of it is not compared.
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
  /// The name of the sample.
  public var description: String { "SigningSample(\(name))" }

  /// A mirror of the name only.
  public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
