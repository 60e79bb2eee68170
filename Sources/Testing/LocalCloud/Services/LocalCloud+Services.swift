// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// The configuration of the token services, the app server and the instance metadata service.
  ///
  /// All of them share one port; paths and headers distinguish their requests.
  public struct Services: Sendable {
    /// The port of the token services, the app server and the instance metadata service; 0 selects a free port.
    public var port: Int

    /// The roles that callers can assume.
    ///
    /// The app server and the instance metadata service use the first role of each vendor.
    public var roles: [Role]

    /// The lifetime of every issued temporary credential, or `nil` to use the requested lifetime.
    ///
    /// The lifetime must be at least one second. It overrides the requested lifetime and the limits of the services,
    /// such as the minimum of 900 seconds.
    public var tokenLifetime: Duration?

    /// The bearer token that callers of the app server must send, or `nil` to accept all callers.
    public var appToken: Secret?

    /// The OIDC identity tokens that callers can exchange for temporary credentials; every role trusts these tokens.
    public var identityTokens: [Secret]

    /// A Boolean value that indicates whether requests for instance metadata must contain a metadata token.
    ///
    /// A client obtains the token with a PUT request (IMDSv2). The value has no effect for vendors whose metadata
    /// service has no tokens.
    public var requiresMetadataToken: Bool

    /// Creates a configuration of the token services, the app server and the instance metadata service.
    ///
    /// - Parameters:
    ///   - port: The port that all of them share; 0 selects a free port.
    ///   - roles: The roles that callers can assume.
    ///   - tokenLifetime: The lifetime of every issued temporary credential, or `nil` to use the requested lifetime.
    ///   - appToken: The bearer token that callers of the app server must send, or `nil` to accept all callers.
    ///   - identityTokens: The OIDC identity tokens that callers can exchange for temporary credentials.
    ///   - requiresMetadataToken: A Boolean value that indicates whether requests for instance metadata must contain a
    ///     token, for vendors whose metadata service has tokens.
    public init(
      port: Int = 0, roles: [Role] = [.alibaba, .tencent, .amazon], tokenLifetime: Duration? = nil,
      appToken: Secret? = nil,
      identityTokens: [Secret] = [], requiresMetadataToken: Bool = false
    ) {
      self.port = port
      self.roles = roles
      self.tokenLifetime = tokenLifetime
      self.appToken = appToken
      self.identityTokens = identityTokens
      self.requiresMetadataToken = requiresMetadataToken
    }

    func check() throws(LocalCloudError) {
      for role in roles {
        guard role.provider != nil else {
          throw LocalCloudError(
            "\"\(role.arn)\" is not a role; write acs:ram::ACCOUNT:role/NAME, qcs::cam::uin/ACCOUNT:roleName/NAME or "
              + "arn:aws:iam::ACCOUNT:role/NAME.")
        }
        guard role.maximumDuration >= .seconds(1) else {
          throw LocalCloudError("The maximum lifetime of the role \"\(role.arn)\" is less than one second.")
        }
      }
      if let twice = roles.first(where: { role in roles.count { $0.arn == role.arn } > 1 }) {
        throw LocalCloudError("The role \"\(twice.arn)\" is listed twice; list it once.")
      }
      if let tokenLifetime, tokenLifetime < .seconds(1) {
        throw LocalCloudError("Tokens must be valid for a second; use requestsPerToken to expire them at once.")
      }
    }
  }
}
