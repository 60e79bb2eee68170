// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys of an instance's role (ECS) from the metadata service.
///
/// The newer protocol, which requires a token, is tried first. If the service cannot be reached or the instance has no
/// role, the error is `notConfigured`, so that a credential chain continues with its next source; a service that has
/// responded once is assumed to exist from then on. The transport must not send these requests through a proxy.
public struct AlibabaInstanceMetadataProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source = "Alibaba instance metadata"

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - role: The role, or `nil` to request its name from the service.
  ///   - allowsV1: Whether requests without a token are allowed if the service issues none.
  ///   - endpoint: The URL of the service. It can be set only in code, because an attacker who could set it would
  ///     choose the keys.
  ///   - timeout: The timeout for each request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks.
  public init(
    role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://100.100.100.200",
    timeout: Duration = .seconds(1), transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.role = role
    self.allowsV1 = allowsV1
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
    let headers = try await tokenHeaders()
    let path = "/latest/meta-data/ram/security-credentials/"
    var name = role
    if name == nil { name = try service.firstRole(in: try await service.get(path, headers: headers)) }
    guard let name else { throw service.noRole }
    let answer = try await service.get(path + (try service.pathElement(ofRole: name)), headers: headers)
    guard answer.status != 404 else { throw service.unknownRole(name) }
    let fields = try service.fields(of: answer)
    return try service.reader.alibabaKey(in: fields, at: answer.issuerTime)
  }

  /// Returns the headers with the token of the newer protocol, or no headers if the service supports only the older
  /// protocol.
  private func tokenHeaders() async throws(CredentialError) -> HTTPFields {
    let answer = try await service.send(.put, "/latest/api/token", headers: [.metadataTokenLifetime: "21600"])
    if answer.isSuccess {
      let token = String(decoding: answer.body, as: UTF8.self).trimmingBlanks()
      guard !token.isEmpty, token.utf8.count <= 4096, token.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7f })
      else { throw service.reader.malformed("The metadata service responded without a token.") }
      return [.metadataToken: token]
    }
    guard [400, 403, 404, 405, 501].contains(answer.status) else { throw service.refusal(answer) }
    guard allowsV1 else {
      throw CredentialError(
        .failed, source: source,
        "The metadata service issues no token (HTTP \(answer.status)), and requests without one are not allowed.",
        remedy: "Switch the instance to the newer metadata service, or allow the older one.")
    }
    return [:]
  }
}

extension HTTPField.Name {
  fileprivate static let metadataToken = known("X-aliyun-ecs-metadata-token")
  fileprivate static let metadataTokenLifetime = known("X-aliyun-ecs-metadata-token-ttl-seconds")
}
