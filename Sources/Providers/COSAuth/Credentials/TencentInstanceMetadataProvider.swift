// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A provider that requests temporary keys for a CVM instance's role from the instance's metadata service.
///
/// If the service cannot be reached or the instance has no role, the error is `notConfigured`, so that a credential
/// chain continues, unless the service has responded before. The transport must not use a proxy for these requests.
public struct TencentInstanceMetadataProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source = "Tencent instance metadata"

  /// The paths of the list of roles, both of which the vendor's tools use; older images have only the second path.
  private static let rolePaths = ["/latest/meta-data", "/meta-data"].map { $0 + "/cam/security-credentials/" }
  private let role: String?
  private let service: MetadataService

  /// Creates a provider for the role of the CVM instance on which the process runs.
  ///
  /// - Parameters:
  ///   - role: The role name, or `nil` to request the name from the metadata service.
  ///   - endpoint: The URL of the service, which chooses the keys, so it can be set only in code.
  public init(role: String? = nil, endpoint: String = "http://metadata.tencentyun.com") {
    self.role = role
    service = MetadataService(source: source, endpoint: endpoint)
  }

  /// Requests a temporary key from the metadata service and returns it with the service's time.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the service cannot be reached or the instance has no role;
  ///   `failed`, `timeout` or `malformedResponse` if the instance lacks the role or the service does not work.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    var name = role
    for path in Self.rolePaths {
      if name == nil { name = try service.firstRole(in: try await service.get(path, in: context)) }
      guard let name else { continue }
      let response = try await service.get(path + (try service.pathElement(ofRole: name)), in: context)
      guard response.status != 404 else { continue }
      let fields = try service.fields(of: response)
      return try service.reader.tencentKey(in: fields, expirationIn: fields, at: response.issuerTime)
    }
    if let name { throw service.unknownRole(name) }
    throw service.noRole
  }
}

extension CredentialProvider where Self == TencentInstanceMetadataProvider {
  /// Returns a provider of temporary keys for the role of a Tencent Cloud instance (CVM).
  ///
  /// - Parameter role: The role name. If `nil`, the provider requests the name from the metadata service.
  public static func tencentInstance(role: String? = nil) -> TencentInstanceMetadataProvider {
    TencentInstanceMetadataProvider(role: role)
  }
}
