// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A credential for an Aspera server's Node API, whose secret `print`, `dump` and `Mirror` do not show.
public struct AsperaNodeAccess: Credential, Redacted {
  /// An authorization method with its credential.
  public enum Method: Sendable, Equatable {
    /// Basic authorization with the name and the password of a node user.
    case basic(user: String, password: Secret)
    /// Basic authorization with the identifier and the secret of an access key.
    case accessKey(id: String, secret: Secret)
    /// Bearer authorization with a bearer token and the identifier of its access key.
    case bearer(token: Secret, accessKey: String)
  }

  /// The authorization method with its credential.
  public let method: Method
  /// The time at which the credential expires by its issuer's clock, or `nil` if it does not, or the time is unknown.
  public let expiration: Timestamp?

  /// Creates a credential without validation.
  ///
  /// A credential that cannot be sent in a header is rejected only when a request is signed.
  ///
  /// - Parameters:
  ///   - method: The authorization method with its credential.
  ///   - expiration: The time at which the credential expires. If `nil`, the expiration that a bearer token contains.
  public init(_ method: Method, expiration: Timestamp? = nil) {
    self.method = method
    switch method {
    case .basic, .accessKey: self.expiration = expiration
    case .bearer(let token, _): self.expiration = expiration ?? BearerText.expiration(of: token.reveal())
    }
  }

  /// Creates the credential of a node user from the user's name and password.
  public static func basic(user: String, password: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.basic(user: user, password: password))
  }

  /// Creates the credential of an access key from its identifier and secret.
  public static func accessKey(id: String, secret: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.accessKey(id: id, secret: secret))
  }

  /// Creates a credential from an access key's bearer token, with or without the prefix `Bearer`.
  public static func bearer(_ token: Secret, accessKey: String) -> AsperaNodeAccess {
    AsperaNodeAccess(.bearer(token: token, accessKey: accessKey))
  }

  /// Creates the credential of a node user from the user's name and password.
  public static func basic(user: String, password: String) -> AsperaNodeAccess {
    .basic(user: user, password: Secret(password))
  }

  /// Creates the credential of an access key from its identifier and secret.
  public static func accessKey(id: String, secret: String) -> AsperaNodeAccess {
    .accessKey(id: id, secret: Secret(secret))
  }

  /// Creates a credential from an access key's bearer token, with or without the prefix `Bearer`.
  public static func bearer(_ token: String, accessKey: String) -> AsperaNodeAccess {
    .bearer(Secret(token), accessKey: accessKey)
  }

  /// The public part of the credential: the name of the node user or the identifier of the access key.
  public var identity: String {
    switch method {
    case .basic(let identity, _), .accessKey(let identity, _), .bearer(_, let identity): identity
    }
  }

  var secret: Secret {
    switch method {
    case .basic(_, let secret), .accessKey(_, let secret), .bearer(let secret, _): secret
    }
  }

  /// A description that contains the method, the identity and the expiration, but not the secret.
  public var description: String {
    let credential =
      switch method {
      case .basic(let user, _): "node user: \(user), password: \(Secret.mask)"
      case .accessKey(let id, _): "access key: \(id), secret: \(Secret.mask)"
      case .bearer(_, let id): "access key: \(id), bearer token: \(Secret.mask)"
      }
    return "AsperaNodeAccess(\(credential)\(expiration.map { ", expiration: \($0)" } ?? ""))"
  }
}
