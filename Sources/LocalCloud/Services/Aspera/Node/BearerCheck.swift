// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// A verifier of bearer tokens, which uses the verification key of the access key that a token belongs to.
struct BearerCheck: Sendable {
  /// The reason why the node rejects a bearer token.
  enum Problem: Error {
    case unknownKey, noVerificationKey, unreadable, wrongSignature, foreignScope
    case expired(Timestamp)

    /// The reason why the bearer token is rejected, as a complete sentence.
    var message: String {
      switch self {
      case .unknownKey: "The access key of the bearer token is not known."
      case .noVerificationKey: "The access key of the bearer token has no token_verification_key."
      case .unreadable: "The bearer token is invalid: it cannot be read."
      case .wrongSignature: "The bearer token is invalid: its signature is not one of the token_verification_key."
      case .foreignScope: "The bearer token is invalid: its scope names another access key."
      case .expired(let end): "The bearer token has expired: it ended at \(end.iso8601)."
      }
    }
  }

  private let directory: NodeDirectory

  init(_ directory: NodeDirectory) {
    self.directory = directory
  }

  /// Returns the reason why a bearer token is invalid, or `nil` if it is valid.
  ///
  /// - Parameters:
  ///   - token: The bearer token.
  ///   - accessKey: The ID of the access key that the token must belong to.
  ///   - date: The current time.
  func problem(of token: String, for accessKey: String, at date: Timestamp) -> Problem? {
    guard let key = directory.accessKey(accessKey) else { return .unknownKey }
    guard let pem = key.tokenVerificationKey else { return .noVerificationKey }
    guard let bearer = try? NodeBearerToken(Secret(token)), let end = bearer.claims.expiration else {
      return .unreadable
    }
    guard (try? bearer.verify(with: pem)) != nil else { return .wrongSignature }
    guard bearer.claims.scope?.accessKey == accessKey else { return .foreignScope }
    return end > date ? nil : .expired(end)
  }
}
