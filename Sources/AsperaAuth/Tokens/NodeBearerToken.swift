public import StorageAuth
internal import StorageCrypto

/// A bearer token of a node: claims, signed with the key of an access key.
///
/// Whoever has the token has the right that it stands for: it is not shown by `print`, `dump` or `Mirror`.
///
/// ```swift
/// let claims = NodeBearerClaims(
///   userID: "mia", scope: NodeScope(accessKey: "my_key"), expiration: .now.advanced(by: .seconds(3600)))
/// let token = try NodeBearerToken(claims, signedWith: key)
/// ```
public struct NodeBearerToken: Sendable, Equatable {
  /// The most bytes of a token, packed or not: a token of a user in a thousand groups has a tenth of it.
  static let sizeLimit = 65_536

  /// The token, as it follows the word `Bearer`.
  public let secret: Secret

  /// What it says; only ``verify(with:)`` proves it.
  public let claims: NodeBearerClaims

  /// The bytes that are signed.
  let payload: [UInt8]

  /// The signature of them.
  let signature: [UInt8]

  init(secret: Secret, claims: NodeBearerClaims, payload: [UInt8], signature: [UInt8]) {
    self.secret = secret
    self.claims = claims
    self.payload = payload
    self.signature = signature
  }

  /// Whether the holder of a private key signed the token; its end is not looked at.
  ///
  /// - Parameter publicKeyPEM: The public half of the key (`token_verification_key` of the access key).
  /// - Throws: An ``AsperaError``: `malformedKey` or `unsupportedKey` for a text that is no public RSA key, `invalidToken`
  ///   if the signature is another.
  public func verify(with publicKeyPEM: String) throws(AsperaError) {
    let key: PublicKey
    do {
      key = try PublicKey(pem: publicKeyPEM)
    } catch {
      throw AsperaError(
        .malformedKey, "The key to verify bearer tokens with is not a public key in PEM.",
        remedy: "Register the public half of the key: openssl rsa -pubout prints it.")
    }
    guard case .rsa = key.kind else {
      throw AsperaError(
        .unsupportedKey, "The key to verify bearer tokens with is not an RSA key.",
        remedy: "Register the public half of an RSA key.")
    }
    guard key.verify(rsaSHA512: signature, of: payload) else {
      throw AsperaError(
        .invalidToken, "The signature of the bearer token is not one of the key.",
        remedy: "Sign the token with the key whose public half is registered with the access key.")
    }
  }
}

extension NodeBearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The user, the scope and the end.
  public var description: String {
    let parts = [
      claims.userID.map { "user: \($0)" }, claims.scope.map { "scope: \($0)" },
      claims.expiration.map { "expiration: \($0)" },
    ]
    return "NodeBearerToken(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the token and its signature.
  public var customMirror: Mirror { Mirror(self, children: ["claims": claims]) }
}
