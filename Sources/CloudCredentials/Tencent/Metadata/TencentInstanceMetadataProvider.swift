// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys of an instance's role (CVM) from the metadata service.
///
/// If the service cannot be reached or the instance has no role, the error is `notConfigured`, so that a credential
/// chain continues with its next source; a service that has responded once is assumed to exist from then on. The
/// transport must not send these requests through a proxy.
public struct TencentInstanceMetadataProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source = "Tencent instance metadata"

  private let role: String?
  private let service: MetadataService

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - role: The role, or `nil` to request its name from the service.
  ///   - endpoint: The URL of the service. It can be set only in code, because an attacker who could set it would
  ///     choose the keys.
  ///   - timeout: The timeout for each request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks.
  public init(
    role: String? = nil, endpoint: String = "http://metadata.tencentyun.com", timeout: Duration = .seconds(1),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    service = MetadataService(
      source: source, endpoint: endpoint, timeout: timeout, transport: transport, time: time)
  }

  /// Requests a temporary key from the service.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `notConfigured` if there is no service or no role, `failed`, `timeout` or
  ///   `malformedAnswer` if the service does not work correctly.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the service and reads its time.
  ///
  /// - Returns: A temporary key with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    // The vendor's tools use either of two paths; older images support only the second.
    for path in ["/latest/meta-data", "/meta-data"].map({ $0 + "/cam/security-credentials/" }) {
      var name = role
      if name == nil { name = try service.firstRole(in: try await service.get(path)) }
      guard let name else { continue }
      let answer = try await service.get(path + (try service.pathElement(ofRole: name)))
      guard answer.status != 404 else { continue }
      return try service.reader.tencentKey(
        in: try service.fields(of: answer), times: [try service.fields(of: answer)], at: answer.issuerTime)
    }
    if let role { throw service.unknownRole(role) }
    throw service.noRole
  }
}
