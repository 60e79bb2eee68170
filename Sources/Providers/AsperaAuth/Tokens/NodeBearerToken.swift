// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageKeys

/// A node's bearer token, which contains claims signed with the private key of an access key.
///
/// Any client that has the token can use its rights. `print`, `dump` and `Mirror` do not show the token.
///
/// ```swift
/// let claims = NodeBearerClaims(
///   userID: "mia", scope: NodeScope(accessKey: "my_key"), expiration: .now.advanced(by: .seconds(3600)))
/// let token = try NodeBearerToken(claims, signedWith: key)
/// ```
public struct NodeBearerToken: Sendable, Equatable {
  /// The maximum size of a token in bytes, both compressed and uncompressed.
  ///
  /// A token for a user in a thousand groups takes a tenth of this size.
  static let sizeLimit = 65_536

  /// The token, without the prefix `Bearer`.
  public let secret: Secret

  /// The token's claims, which are trustworthy only after ``verify(with:)`` succeeds.
  public let claims: NodeBearerClaims

  /// The signed bytes of the token: its claims in JSON.
  let payload: [UInt8]

  /// The RSA signature of the token's claims.
  let signature: [UInt8]

  init(secret: Secret, claims: NodeBearerClaims, payload: [UInt8], signature: [UInt8]) {
    self.secret = secret
    self.claims = claims
    self.payload = payload
    self.signature = signature
  }

  /// Verifies the token's signature, without checking the expiration.
  ///
  /// - Parameter publicKeyPEM: The public key in PEM: the access key's `token_verification_key`.
  /// - Throws: An ``AsperaError``: `malformedKey` if the text is not a public key, `unsupportedKey` if the key is not
  ///   an RSA key, and `invalidToken` if the signature does not match.
  public func verify(with publicKeyPEM: String) throws(AsperaError) {
    let key: PublicKey
    do {
      key = try PublicKey(pem: publicKeyPEM)
    } catch {
      throw AsperaError(
        .malformedKey, "The key to verify bearer tokens with is not a public key in PEM.",
        remedy: "Register the public key of the key pair: openssl rsa -pubout prints it.")
    }
    guard case .rsa = key.kind else {
      throw AsperaError(
        .unsupportedKey, "The key to verify bearer tokens with is not an RSA key.",
        remedy: "Register the public key of an RSA key pair.")
    }
    guard key.verify(signature, of: payload, with: .rsaPKCS1(.sha512)) else {
      throw AsperaError(
        .invalidToken, "The signature of the bearer token does not match the key.",
        remedy: "Sign the token with the private key whose public key is registered with the access key.")
    }
  }
}

extension NodeBearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description that contains the user, the scope and the expiration, but not the token.
  public var description: String {
    let parts = [
      claims.userID.map { "user: \($0)" }, claims.scope.map { "scope: \($0)" },
      claims.expiration.map { "expiration: \($0)" },
    ]
    return "NodeBearerToken(\(parts.compactMap(\.self).joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that contains the claims, but neither the token nor its signature.
  public var customMirror: Mirror { Mirror(self, children: ["claims": claims]) }
}
