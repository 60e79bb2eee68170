// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that requests temporary keys for an ECS instance's role from the instance's metadata service.
///
/// The newer protocol, which requires a token, is tried first. If the service cannot be reached or the instance has no
/// role, the error is `notConfigured`, so that a credential chain continues with its next source. Once the service has
/// responded, it is assumed to exist. The transport must not send these requests through a proxy.
public struct AlibabaInstanceMetadataProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source = "Alibaba instance metadata"

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Creates a provider for the role of the ECS instance on which the process runs.
  ///
  /// - Parameters:
  ///   - role: The role name, or `nil` to request the name from the metadata service.
  ///   - allowsV1: Whether requests without a token are allowed if the service issues no tokens.
  ///   - endpoint: The URL of the service. The URL can be set only in code, because an attacker who could set it would
  ///     choose the keys.
  ///   - timeout: The time limit for each request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks that the provider uses.
  public init(
    role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://100.100.100.200",
    timeout: Duration = .seconds(1), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    self.allowsV1 = allowsV1
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
    let headers = try await tokenHeaders()
    let path = "/latest/meta-data/ram/security-credentials/"
    var name = role
    if name == nil { name = try service.firstRole(in: try await service.get(path, headers: headers)) }
    guard let name else { throw service.noRole }
    let response = try await service.get(path + (try service.pathElement(ofRole: name)), headers: headers)
    guard response.status != 404 else { throw service.unknownRole(name) }
    let fields = try service.fields(of: response)
    return try service.reader.alibabaKey(in: fields, at: response.issuerTime)
  }

  /// Requests a token of the newer protocol and returns the headers with the token.
  ///
  /// Returns no headers if the service supports only the older protocol.
  private func tokenHeaders() async throws(CredentialError) -> HTTPFields {
    let response = try await service.send(.put, "/latest/api/token", headers: [.metadataTokenLifetime: "21600"])
    if response.isSuccess {
      let token = String(decoding: response.body, as: UTF8.self).trimmingBlanks()
      guard !token.isEmpty, token.utf8.count <= 4096, token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw service.reader.malformed("The metadata service responded without a token.") }
      return [.metadataToken: token]
    }
    guard [400, 403, 404, 405, 501].contains(response.status) else { throw service.refusal(response) }
    guard allowsV1 else {
      throw CredentialError(
        .failed, source: source,
        "The metadata service issues no token (HTTP \(response.status)), and requests without one are not allowed.",
        remedy: "Switch the instance to the newer metadata service, or allow the older one.")
    }
    return [:]
  }
}

extension HTTPField.Name {
  fileprivate static let metadataToken = known("X-aliyun-ecs-metadata-token")
  fileprivate static let metadataTokenLifetime = known("X-aliyun-ecs-metadata-token-ttl-seconds")
}
