// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
internal import StorageCrypto

extension AsperaToken {
  /// Creates a basic token, which contains the Base64-encoded identifier and secret of an access key.
  ///
  /// The token does not expire and grants everything that the access key grants. Give it only to clients that are also
  /// allowed to know the secret. The form is described in IBM's documentation of the High-Speed Transfer Server, "Basic
  /// Tokens".
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - secret: The secret of the access key.
  /// - Throws: An ``AsperaError`` with the code `invalidToken` if the identifier contains a colon, or if the identifier
  ///   or the secret is empty or contains a control character.
  public static func basic(accessKey: String, secret: Secret) throws(AsperaError) -> AsperaToken {
    let value: String
    do {
      value = try BasicAuthorization.value(user: accessKey, password: secret, .accessKey)
    } catch {
      throw AsperaError(.invalidToken, error.message, remedy: error.remedy)
    }
    return try AsperaToken(Secret(value))
  }
}
