// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import StorageAuth

/// A plan to obtain an access key, as a profile of Alibaba Cloud's tools describes it.
indirect enum AlibabaPlan: Sendable {
  case key(AccessKey)
  /// A key for a role of the instance, or for the instance's own role, from the metadata service.
  case instanceRole(String?)
  case role(AlibabaRole, with: AlibabaPlan)
  case webIdentity(AlibabaRole, providerARN: String, tokenFile: String)
  case command(CredentialCommand, timeout: Duration)
  case uri(String)

  func provider(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) -> any CredentialProvider<AccessKey> {
    switch self {
    case .key(let key): return StaticCredentialProvider(key, source: location.source)
    case .instanceRole(let name):
      return services.instanceRole(
        name, !context.isTrue(AlibabaInstanceRoleProvider.v1DisablingVariable), ServicePresence())
    case .role(let role, let plan):
      return services.role(role, plan.provider(at: location, in: context, through: services))
    case .webIdentity(let role, let providerARN, let tokenFile):
      return services.webIdentity(role, providerARN, context.token(in: tokenFile, for: location))
    case .command(let command, let timeout):
      return ProcessCredentialProvider(command, timeout: timeout)
    case .uri(let url): return services.uri(url)
    }
  }

  func issue(
    at location: SettingLocation, in context: ProviderContext, through services: AlibabaServices
  ) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    if case .key(let key) = self { return IssuedCredential(key) }
    return try await provider(at: location, in: context, through: services).issue(for: location, in: context)
  }
}

extension SettingTable {
  /// The names of the settings that describe a role, or `nil` for settings that a file format does not have.
  struct RoleNames {
    var arn: String
    var sessionName: String
    var seconds: String?
    var policy: String?
    var externalID: String?
    var region: String?
    var usesPrivateNetwork: String?
  }

  func role(_ names: RoleNames) throws(CredentialError) -> AlibabaRole {
    func text(_ name: String?) throws(CredentialError) -> String? {
      guard let name else { return nil }
      return try self.text(name)
    }
    var role = AlibabaRole(arn: try required(names.arn), endpoint: .global)
    if let name = try text(names.sessionName) { role.sessionName = name }
    if let name = names.seconds, let seconds = try integer(name), seconds != 0 { role.duration = .seconds(seconds) }
    role.policy = try text(names.policy)
    role.externalID = try text(names.externalID)
    if let region = try text(names.region) {
      let isPrivate = try names.usesPrivateNetwork.map(flag) ?? false
      guard let endpoint = AlibabaSTSEndpoint(region: region, isPrivate: isPrivate) else {
        throw location.malformed("has no region in “\(names.region ?? "")”")
      }
      role.endpoint = endpoint
    }
    return role
  }
}

extension AlibabaSTSEndpoint {
  /// Creates the endpoint for a region, unless the region contains a character that could change the host.
  init?(region: String, isPrivate: Bool) {
    guard region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else { return nil }
    self = isPrivate ? .vpc(region) : .region(region)
  }
}
