// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that requests temporary keys for a CVM instance's role from the instance's metadata service.
///
/// If the service cannot be reached or the instance has no role, the error is `notConfigured`, so that a credential
/// chain continues with its next source. Once the service has responded, it is assumed to exist. The transport must not
/// send these requests through a proxy.
public struct TencentInstanceMetadataProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source = "Tencent instance metadata"

  private let role: String?
  private let service: MetadataService

  /// Creates a provider for the role of the CVM instance on which the process runs.
  ///
  /// - Parameters:
  ///   - role: The role name, or `nil` to request the name from the metadata service.
  ///   - endpoint: The URL of the service. The URL can be set only in code, because an attacker who could set it would
  ///     choose the keys.
  ///   - timeout: The time limit for each request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks that the provider uses.
  public init(
    role: String? = nil, endpoint: String = "http://metadata.tencentyun.com", timeout: Duration = .seconds(1),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    service = MetadataService(
      source: source, endpoint: endpoint, timeout: timeout, transport: transport, time: time)
  }

  /// Requests a temporary key from the metadata service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `notConfigured` if the service cannot be reached or the instance has no role;
  ///   `failed`, `timeout` or `malformedResponse` if the service does not work correctly.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the metadata service and reads the service's time from the response.
  ///
  /// - Returns: A temporary key and the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    // The vendor's tools use either of two paths, and older images support only the second path.
    for path in ["/latest/meta-data", "/meta-data"].map({ $0 + "/cam/security-credentials/" }) {
      var name = role
      if name == nil { name = try service.firstRole(in: try await service.get(path)) }
      guard let name else { continue }
      let response = try await service.get(path + (try service.pathElement(ofRole: name)))
      guard response.status != 404 else { continue }
      return try service.reader.tencentKey(
        in: try service.fields(of: response), times: [try service.fields(of: response)], at: response.issuerTime)
    }
    if let role { throw service.unknownRole(role) }
    throw service.noRole
  }
}
