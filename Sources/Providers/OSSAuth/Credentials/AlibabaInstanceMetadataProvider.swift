// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that requests temporary keys for an ECS instance's role from the instance's metadata service.
///
/// The newer protocol, which requires a token, is tried first. If the service cannot be reached or the instance has no
/// role, the error is `notConfigured`, so that a credential chain continues, unless the service has responded before.
/// The transport must not send these requests through a proxy.
public struct AlibabaInstanceMetadataProvider: CredentialProvider {
  private static let rolesPath = "/latest/meta-data/ram/security-credentials/"
  /// The lifetime of a token in seconds: six hours, which is the maximum.
  private static let tokenLifetime = "21600"
  static let sourceName = "Alibaba instance metadata"

  /// The provider's name, for error messages.
  public let source = Self.sourceName

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Creates a provider for the role of the ECS instance on which the process runs.
  ///
  /// - Parameters:
  ///   - role: The role name, or `nil` to request the name from the metadata service.
  ///   - allowsV1: Whether requests without a token are allowed if the service issues no tokens.
  ///   - endpoint: The URL of the service, which chooses the keys, so it can be set only in code.
  public init(role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://100.100.100.200") {
    self.init(role: role, allowsV1: allowsV1, endpoint: endpoint, presence: ServicePresence())
  }

  init(role: String?, allowsV1: Bool, endpoint: String = "http://100.100.100.200", presence: ServicePresence) {
    self.role = role
    self.allowsV1 = allowsV1
    service = MetadataService(source: source, endpoint: endpoint, presence: presence)
  }

  /// Requests a temporary key from the metadata service and returns it with the service's time.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the service cannot be reached or the instance has no role;
  ///   `failed`, `timeout` or `malformedResponse` if the service does not work correctly.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let headers = try await tokenHeaders(in: context)
    var name = role
    if name == nil {
      name = try service.firstRole(in: try await service.get(Self.rolesPath, headers: headers, in: context))
    }
    guard let name else { throw service.noRole }
    let path = Self.rolesPath + (try service.pathElement(ofRole: name))
    let response = try await service.get(path, headers: headers, in: context)
    guard response.status != 404 else { throw service.unknownRole(name) }
    return try service.reader.alibabaKey(in: service.fields(of: response), at: response.issuerTime)
  }

  /// Returns the headers with a token of the newer protocol, or none if only the older one works.
  private func tokenHeaders(in context: ProviderContext) async throws(CredentialError) -> HTTPFields {
    let response = try await service.send(
      .put, MetadataService.tokenPath, headers: [.metadataTokenLifetime: Self.tokenLifetime], in: context)
    let token = try service.token(in: response, unlessRefusedBy: [400, 403, 404, 405, 501], allowsV1: allowsV1)
    return token.map { [.metadataToken: $0] } ?? [:]
  }
}

extension HTTPField.Name {
  fileprivate static let metadataToken = known("X-aliyun-ecs-metadata-token")
  fileprivate static let metadataTokenLifetime = known("X-aliyun-ecs-metadata-token-ttl-seconds")
}

extension CredentialProvider where Self == AlibabaInstanceMetadataProvider {
  /// Returns a provider of keys for an instance's role; ``AlibabaInstanceMetadataProvider`` describes the parameters.
  public static func alibabaInstance(role: String? = nil, allowsV1: Bool = true) -> AlibabaInstanceMetadataProvider {
    AlibabaInstanceMetadataProvider(role: role, allowsV1: allowsV1)
  }
}
