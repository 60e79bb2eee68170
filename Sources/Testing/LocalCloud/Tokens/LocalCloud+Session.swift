// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// An issued temporary credential, without its secret and session token, and the request for which it was issued.
  public struct Session: Sendable, Hashable {
    /// The access key ID of the temporary credential.
    public let keyID: AccessKeyID

    /// The storage service that accepts the temporary credential.
    public let provider: Provider

    /// The ARN of the assumed role, or `nil` if the credential was issued by GetFederationToken.
    public let role: String?

    /// The session name that the caller chose.
    public let name: String

    /// The session policy as JSON, or `nil` if the credential has no session policy.
    public let policy: String?

    /// The expiration of the temporary credential, according to the server's clock.
    public let expiration: Timestamp

    /// The number of requests to the storage service that contained the key ID, including rejected requests.
    public let requests: Int
  }
}
