// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A credential for requests to the Node API of an Aspera server.
///
/// `print`, `dump` and `Mirror` do not show its secrets.
public struct AsperaNodeAccess: Credential {
  /// A method of authorization and its credential.
  public enum Method: Sendable, Equatable {
    /// A node user with a password, for Basic authorization.
    case basic(user: String, password: Secret)
    /// An access key with its secret, for Basic authorization.
    case accessKey(id: String, secret: Secret)
    /// A bearer token, with the access key that it belongs to.
    case bearer(token: Secret, accessKey: String)
  }

  /// The method of authorization and its credential.
  public let method: Method

  /// The time at which the credential expires, by its issuer's clock; `nil` if it does not expire or the time is not
  /// known.
  public let expiration: Timestamp?

  /// Creates a credential without validation.
  ///
  /// The signer rejects a credential that cannot be sent in a header.
  ///
  /// - Parameters:
  ///   - method: The method of authorization and its credential.
  ///   - expiration: The time at which the credential expires; if `nil`, the expiration that a bearer token contains.
  public init(_ method: Method, expiration: Timestamp? = nil) {
    self.method = method
    switch method {
    case .basic, .accessKey: self.expiration = expiration
    case .bearer(let token, _): self.expiration = expiration ?? BearerText.expiration(of: token.reveal())
    }
  }

  /// Creates the credential of a node user with a password.
  public static func basic(user: String, password: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.basic(user: user, password: password))
  }

  /// Creates the credential of an access key with its secret.
  public static func accessKey(id: String, secret: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.accessKey(id: id, secret: secret))
  }

  /// Creates a credential from a bearer token of an access key, with or without the word `Bearer` before it.
  public static func bearer(_ token: Secret, accessKey: String) -> AsperaNodeAccess {
    AsperaNodeAccess(.bearer(token: token, accessKey: accessKey))
  }

  /// The public part of the credential: the name of the user or the identifier of the access key.
  public var identity: String {
    switch method {
    case .basic(let user, _): user
    case .accessKey(let id, _), .bearer(_, let id): id
    }
  }

  /// The secret part of the credential, which is masked in errors.
  var secret: Secret {
    switch method {
    case .basic(_, let secret), .accessKey(_, let secret), .bearer(let secret, _): secret
    }
  }
}

extension AsperaNodeAccess: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description with the method, the identity and the expiration; never the secret.
  public var description: String {
    let parts: String
    switch method {
    case .basic(let user, _): parts = "node user: \(user), password: \(Secret.mask)"
    case .accessKey(let id, _): parts = "access key: \(id), secret: \(Secret.mask)"
    case .bearer(_, let id): parts = "access key: \(id), bearer token: \(Secret.mask)"
    }
    return "AsperaNodeAccess(\(parts)\(expiration.map { ", expiration: \($0)" } ?? ""))"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror with the identity and the expiration.
  public var customMirror: Mirror { Mirror(self, children: ["identity": identity, "expiration": expiration as Any]) }
}
