// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A plan to obtain an access key, as a profile of Alibaba Cloud's tools describes it.
indirect enum AlibabaPlan: Sendable {
  case key(AccessKey)
  /// A key for a role of the instance, or for the instance's own role, from the metadata service.
  case instanceRole(String?)
  /// A key for a role, which the key of another plan assumes.
  case role(AlibabaRole, with: AlibabaPlan)
  case webIdentity(AlibabaRole, providerARN: String, tokenFile: String)
  case command(CredentialCommand, timeout: Duration)
  case uri(String)

  /// Returns the provider that carries out the plan; `location` is that of the profile.
  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .instanceRole(let name):
      let allowsV1 = !context.isTrue(AlibabaInstanceRoleProvider.v1DisablingVariable)
      return services.instanceRole(name, allowsV1, ServicePresence())
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let providerARN, let tokenFile):
      return services.webIdentity(role, providerARN, context.token(in: tokenFile, for: location))
    case .command(let command, let timeout): return ProcessCredentialProvider(command, timeout: timeout)
    case .uri(let url): return services.uri(url)
    }
  }

  /// Returns a key from the plan, whose errors name the profile's location.
  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}

/// The providers that request keys from Alibaba Cloud's services, each created by a closure that tests can replace.
struct AlibabaServices: Sendable {
  typealias Provider = any CredentialProvider<AccessKey>

  var instanceRole: @Sendable (_ role: String?, _ allowsV1: Bool, ServicePresence) -> Provider
  var role: @Sendable (AlibabaRole, _ keys: Provider) -> Provider
  var webIdentity: @Sendable (AlibabaRole, _ providerARN: String, _ token: @escaping IdentityTokenSource) -> Provider
  var uri: @Sendable (String) -> Provider

  static let real = AlibabaServices(
    instanceRole: { AlibabaInstanceMetadataProvider(role: $0, allowsV1: $1, presence: $2) },
    role: { AlibabaAssumeRoleProvider($0, credentials: $1) },
    webIdentity: { AlibabaOIDCProvider($0, providerARN: $1, token: $2) },
    uri: { CredentialsURIProvider($0) })
}

extension SettingTable {
  /// The names of the settings of a role in a file format; `nil` stands for a setting that the format does not have.
  struct RoleNames {
    var arn: String
    var sessionName: String
    var seconds: String?
    var policy: String?
    var externalID: String?
    var region: String?
    var usesPrivateNetwork: String?
  }

  /// Returns the role in the settings with the given names; a duration of zero stands for the default.
  func role(_ names: RoleNames) throws(CredentialError) -> AlibabaRole {
    var role = AlibabaRole(arn: try required(names.arn), endpoint: .global)
    if let name = try text(names.sessionName) { role.sessionName = name }
    if let name = names.seconds, let seconds = try integer(name), seconds != 0 { role.duration = .seconds(seconds) }
    role.policy = try names.policy.flatMap(text)
    role.externalID = try names.externalID.flatMap(text)
    if let name = names.region, let region = try text(name) {
      let isPrivate = try names.usesPrivateNetwork.map(flag) ?? false
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.malformed("has an invalid region in “\(name)”")
      }
      role.endpoint = endpoint
    }
    return role
  }
}
