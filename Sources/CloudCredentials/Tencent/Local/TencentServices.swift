internal import StorageAuth

/// Makes the providers that ask Tencent Cloud; a test puts others in their place.
struct TencentServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  /// Gets the token of an identity provider, anew for each credential.
  typealias TokenSource = @Sendable @concurrent () async throws(CredentialError) -> Secret

  /// The role of a pod.
  struct PodRole: Sendable, Hashable {
    var arn: String
    var providerID: String
    var region: String
  }

  var instanceRole: @Sendable (_ role: String?, ProviderContext) -> Provider
  var webIdentity: @Sendable (PodRole, _ token: @escaping TokenSource, ProviderContext) -> Provider

  /// The services of Tencent Cloud.
  static let real = TencentServices(
    instanceRole: { role, machine in
      TencentInstanceMetadataProvider(role: role, transport: machine.transport, time: machine.time)
    },
    webIdentity: { role, token, machine in
      TencentWebIdentityProvider(
        roleARN: role.arn, providerID: role.providerID, region: role.region, transport: machine.transport,
        time: machine.time, token: token)
    })
}
