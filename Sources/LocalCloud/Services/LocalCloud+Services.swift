// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension LocalCloud {
  /// The configuration of the token services, the app server and the instance metadata.
  ///
  /// They share one port; paths and headers distinguish them.
  public struct Services: Sendable {
    /// The port; 0 selects a free port.
    public var port: Int

    /// The roles that callers can assume; the app server and the instance metadata use the first role of each vendor.
    public var roles: [Role]

    /// The lifetime of every issued credential regardless of the request, or `nil` for the requested lifetime.
    ///
    /// It overrides the services' limits, such as the minimum of 900 seconds. It must be at least one second.
    public var tokenLifetime: Duration?

    /// The bearer token that callers of the app server must send, or `nil` to accept all callers.
    public var appToken: Secret?

    /// The OIDC identity tokens that callers can exchange for credentials; every role trusts them.
    public var identityTokens: [Secret]

    /// Whether metadata services that have tokens require one.
    ///
    /// A client obtains a metadata token with a PUT request (IMDSv2).
    public var requiresMetadataToken: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - port: The port; 0 selects a free port.
    ///   - roles: The roles that callers can assume.
    ///   - tokenLifetime: The lifetime of every issued credential, or `nil` for the requested lifetime.
    ///   - appToken: The bearer token that callers of the app server must send, or `nil` to accept all callers.
    ///   - identityTokens: The OIDC identity tokens that callers can exchange for credentials.
    ///   - requiresMetadataToken: Whether the metadata services require a token, if they have tokens.
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
