// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A verifier of bearer tokens, which uses the verification key of the access key that a token belongs to.
struct BearerCheck: Sendable {
  /// The reason why the node rejects a bearer token.
  enum Problem: Error {
    case unknownKey, noVerificationKey, unreadable, wrongSignature, foreignScope, unknownRole, noUser
    case expired(Timestamp)

    /// The reason why the bearer token is rejected, as a complete sentence.
    var message: String {
      switch self {
      case .unknownKey: "The access key of the bearer token is not known."
      case .noVerificationKey: "The access key of the bearer token has no token_verification_key."
      case .unreadable: "The bearer token is invalid: it cannot be read."
      case .wrongSignature: "The bearer token is invalid: its signature is not one of the token_verification_key."
      case .foreignScope: "The bearer token is invalid: its scope names another access key."
      case .unknownRole: "The bearer token is invalid: its scope ends neither in user:all nor in admin:all."
      case .noUser: "The bearer token is invalid: it has no user_id."
      case .expired(let end): "The bearer token has expired: it ended at \(end.iso8601)."
      }
    }
  }

  private let directory: NodeDirectory

  init(_ directory: NodeDirectory) {
    self.directory = directory
  }

  /// Verifies a bearer token and returns the access key and the user that the token authenticates.
  ///
  /// - Parameters:
  ///   - token: The bearer token.
  ///   - accessKey: The ID of the access key that the token must belong to.
  ///   - date: The current time.
  /// - Throws: The reason why the token is invalid.
  func caller(
    _ token: String, for accessKey: String, at date: Timestamp
  ) throws(Problem) -> (key: LocalCloud.NodeAccessKey, user: BearerUser) {
    guard let key = directory.accessKey(accessKey) else { throw .unknownKey }
    guard let pem = key.tokenVerificationKey else { throw .noVerificationKey }
    guard let bearer = try? NodeBearerToken(Secret(token)), let end = bearer.claims.expiration else {
      throw .unreadable
    }
    guard (try? bearer.verify(with: pem)) != nil else { throw .wrongSignature }
    guard let scope = bearer.claims.scope, scope.accessKey.utf8.elementsEqual(accessKey.utf8) else {
      throw .foreignScope
    }
    guard scope.role == NodeScope.user || scope.role == NodeScope.admin else { throw .unknownRole }
    guard let user = bearer.claims.userID, !user.isEmpty else { throw .noUser }
    guard end > date else { throw .expired(end) }
    return (
      key,
      BearerUser(id: user, groupIDs: bearer.claims.groupIDs, isAdministrator: scope.role == NodeScope.admin)
    )
  }
}
