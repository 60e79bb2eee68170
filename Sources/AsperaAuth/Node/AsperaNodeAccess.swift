public import StorageAuth

/// What requests to a Node API are authorized with.
///
/// It is not shown by `print`, `dump` or `Mirror`.
public struct AsperaNodeAccess: Credential {
  /// The ways to authorize.
  public enum Method: Sendable, Equatable {
    /// A node user.
    case basic(user: String, password: Secret)
    /// An access key.
    case accessKey(id: String, secret: Secret)
    /// A bearer token of an access key.
    case bearer(token: Secret, accessKey: String)
  }

  /// How it authorizes.
  public let method: Method

  /// When it ends, in its issuer's time; nothing for what does not end by itself.
  public let expiration: Timestamp?

  /// Takes over what authorizes.
  ///
  /// Nothing is checked here: what cannot be sent is refused when it is to sign.
  ///
  /// - Parameters:
  ///   - method: How it authorizes.
  ///   - expiration: When it ends; a bearer token says that itself if it can be read.
  public init(_ method: Method, expiration: Timestamp? = nil) {
    self.method = method
    switch method {
    case .basic, .accessKey: self.expiration = expiration
    case .bearer(let token, _): self.expiration = expiration ?? BearerText.expiration(of: token.reveal())
    }
  }

  /// A node user with a password.
  public static func basic(user: String, password: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.basic(user: user, password: password))
  }

  /// An access key.
  public static func accessKey(id: String, secret: Secret) -> AsperaNodeAccess {
    AsperaNodeAccess(.accessKey(id: id, secret: secret))
  }

  /// A bearer token of an access key; with or without the word `Bearer` before it.
  public static func bearer(_ token: Secret, accessKey: String) -> AsperaNodeAccess {
    AsperaNodeAccess(.bearer(token: token, accessKey: accessKey))
  }

  /// The name that is no secret: the user or the access key.
  public var identity: String {
    switch method {
    case .basic(let user, _): user
    case .accessKey(let id, _), .bearer(_, let id): id
    }
  }

  /// What must not be seen of it in an error.
  var secret: Secret {
    switch method {
    case .basic(_, let secret), .accessKey(_, let secret), .bearer(let secret, _): secret
    }
  }
}

extension AsperaNodeAccess: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The way, the identity and the end.
  public var description: String {
    let parts: String
    switch method {
    case .basic(let user, _): parts = "node user: \(user), password: \(Secret.mask)"
    case .accessKey(let id, _): parts = "access key: \(id), secret: \(Secret.mask)"
    case .bearer(_, let id): parts = "access key: \(id), bearer token: \(Secret.mask)"
    }
    return "AsperaNodeAccess(\(parts)\(expiration.map { ", expiration: \($0)" } ?? ""))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror of what is no secret.
  public var customMirror: Mirror { Mirror(self, children: ["identity": identity, "expiration": expiration as Any]) }
}
