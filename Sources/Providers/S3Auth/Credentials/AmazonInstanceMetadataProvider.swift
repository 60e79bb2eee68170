// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that requests temporary keys for an EC2 instance's role from the instance's metadata service.
///
/// The newer protocol, which requires a token (IMDSv2), is tried first. The older protocol is used if the service
/// issues no tokens or does not respond to the token request, as happens behind a container network. If the service
/// cannot be reached or the instance has no role, the error is `notConfigured`, so that a credential chain continues,
/// unless the service has responded before. The transport must not send these requests through a proxy. Page: "IMDS
/// credential provider" in the AWS SDKs and Tools Reference Guide.
public struct AmazonInstanceMetadataProvider: CredentialProvider {
  private static let rolesPath = "/latest/meta-data/iam/security-credentials/"
  /// The lifetime of a token in seconds: six hours, which is the maximum.
  private static let tokenLifetime = "21600"
  static let sourceName = "Amazon instance metadata"

  /// The provider's name, for error messages.
  public let source = Self.sourceName

  private let role: String?
  private let allowsV1: Bool
  private let service: MetadataService

  /// Creates a provider for the role of the EC2 instance on which the process runs.
  ///
  /// - Parameters:
  ///   - role: The role name, or `nil` to request the name from the metadata service.
  ///   - allowsV1: Whether requests without a token are allowed if the service issues no tokens.
  ///   - endpoint: The trusted URL of the service, such as `http://[fd00:ec2::254]`, which chooses the keys.
  public init(role: String? = nil, allowsV1: Bool = true, endpoint: String = "http://169.254.169.254") {
    self.init(role: role, allowsV1: allowsV1, endpoint: endpoint, presence: ServicePresence())
  }

  init(role: String?, allowsV1: Bool, endpoint: String, presence: ServicePresence) {
    self.role = role
    self.allowsV1 = allowsV1
    service = MetadataService(source: source, endpoint: endpoint, presence: presence)
  }

  /// Requests a temporary key from the metadata service and returns it with the service's time.
  ///
  /// - Throws: A `CredentialError`: `notConfigured` if the service cannot be reached or the instance has no role;
  ///   `failed`, `timeout` or `malformedResponse` if the service does not work correctly.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    // The service can forget a token, so a rejected token is replaced once.
    for _ in 0..<2 {
      let headers = try await tokenHeaders(in: context)
      if let issued = try await requestKey(with: headers, in: context) { return issued }
    }
    throw CredentialError(
      .failed, source: source, "The metadata service rejects the tokens that it issued (HTTP 401).",
      remedy: "Check the settings of the instance's metadata service.", isRetryable: true)
  }

  /// Returns a temporary key for the role, or `nil` if the service no longer accepts the token (HTTP 401).
  private func requestKey(
    with headers: HTTPFields, in context: ProviderContext
  ) async throws(CredentialError) -> IssuedCredential<AccessKey>? {
    var name = role
    if name == nil {
      guard let list = try await get(Self.rolesPath, headers: headers, in: context) else { return nil }
      name = try service.firstRole(in: list)
    }
    guard let name else { throw service.noRole }
    let path = Self.rolesPath + (try service.pathElement(ofRole: name))
    guard let response = try await get(path, headers: headers, in: context) else { return nil }
    guard response.status != 404 else { throw service.unknownRole(name) }
    return try service.reader.amazonKey(in: service.fields(of: response), tokenField: "Token", at: response.issuerTime)
  }

  /// Returns a response with a key, a role or the status 404, or `nil` if the service no longer accepts the token.
  private func get(
    _ path: String, headers: HTTPFields, in context: ProviderContext
  ) async throws(CredentialError) -> ServiceResponse? {
    let response = try await service.send(.get, path, headers: headers, in: context)
    if response.status == 401 { return nil }
    guard response.isSuccess || response.status == 404 else { throw service.refusal(response) }
    return response
  }

  /// Returns the headers with a token of the newer protocol, or none if only the older one works.
  private func tokenHeaders(in context: ProviderContext) async throws(CredentialError) -> HTTPFields {
    let response: ServiceResponse
    do {
      response = try await service.attempt(
        .put, MetadataService.tokenPath, headers: [.metadataTokenLifetime: Self.tokenLifetime], in: context)
    } catch {
      guard error.code == .timeout, allowsV1 else { throw service.notConfiguredIfAbsent(error) }
      return [:]
    }
    // A service without tokens refuses the request with one of these statuses; the vendor's SDKs then omit the token.
    let token = try service.token(in: response, unlessRefusedBy: [403, 404, 405], allowsV1: allowsV1)
    return token.map { [.metadataToken: $0] } ?? [:]
  }
}

extension HTTPField.Name {
  fileprivate static let metadataToken = known("x-aws-ec2-metadata-token")
  fileprivate static let metadataTokenLifetime = known("x-aws-ec2-metadata-token-ttl-seconds")
}

extension CredentialProvider where Self == AmazonInstanceMetadataProvider {
  /// Returns a provider of keys for an instance's role; ``AmazonInstanceMetadataProvider`` describes the parameters.
  public static func amazonInstance(role: String? = nil, allowsV1: Bool = true) -> AmazonInstanceMetadataProvider {
    AmazonInstanceMetadataProvider(role: role, allowsV1: allowsV1)
  }
}
