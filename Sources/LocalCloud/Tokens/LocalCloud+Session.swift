// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// An issued temporary credential without its secret and session token, and the request that issued it.
  public struct Session: Sendable, Hashable {
    /// The id of the key.
    public let keyID: AccessKeyID

    /// The service that the credential is for.
    public let provider: Provider

    /// The ARN of the assumed role, or `nil` for a credential from GetFederationToken.
    public let role: String?

    /// The session name that the caller chose.
    public let name: String

    /// The session policy as JSON, or `nil` if there is none.
    public let policy: String?

    /// The expiration of the credential, by the server's clock.
    public let expiration: Timestamp

    /// The number of requests to the storage service that named the key, including rejected ones.
    public let requests: Int
  }
}
