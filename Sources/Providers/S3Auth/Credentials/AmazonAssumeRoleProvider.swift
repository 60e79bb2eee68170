// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider that assumes a role with another key and returns the temporary keys that Amazon's token service (STS)
/// issues.
///
/// The provider sends `AssumeRole` requests that are signed with Signature Version 4. If the service rejects the
/// signing time, the provider takes the service's time from the response, signs the request again once, and uses that
/// time for later requests. Pages: "AssumeRole" in the STS API reference and "Create a signed AWS API request" in the
/// IAM User Guide.
///
/// ```swift
/// let keys = AmazonAssumeRoleProvider(
///   roleARN: "arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws)
/// ```
public struct AmazonAssumeRoleProvider: CredentialProvider {
  private static let action = "AssumeRole"

  /// The provider's name, for error messages.
  public let source: String

  private let role: AmazonRole
  private let externalID: String?
  private let endpoint: AmazonSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider that assumes a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum. If the
  ///     signing key itself belongs to a role, the maximum is one hour.
  ///   - policy: A policy that restricts the keys' rights further, as JSON of at most 2048 bytes, or `nil` for all
  ///     rights of the role.
  ///   - externalID: The external ID that the role requires from callers in other accounts, 2 to 1224 characters, or
  ///     `nil` if it requires no external ID.
  ///   - endpoint: The STS endpoint.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) {
    source = "Amazon STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.externalID = externalID
    self.endpoint = endpoint
    service = SignedExchange(source: source, credentials: credentials, rules: .amazon)
  }

  /// Assumes the role and returns a temporary key with the service's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses the request; `malformedResponse` if the response has no usable key;
  ///   `timeout` if the service does not respond in time; or the code of the error with which `credentials` failed to
  ///   supply the signing key.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let check = RequestCheck(source: source)
    var form = try role.parameters(of: Self.action, check)
    if let externalID {
      guard (2...1224).contains(externalID.utf8.count) else {
        throw check.refused(
          "The external id has \(externalID.utf8.count) characters.", "Use the one that the role requires: 2 to 1224.")
      }
      form.append(FormPair("ExternalId", externalID))
    }
    let call = try endpoint.address(check).amazonCall(form)
    let signer = SigV4Signer(region: endpoint.region, service: "sts")
    let response = try await service.response(signedWith: signer, refusal: \.amazonRefusal, in: context) { call }
    return try CredentialReader.amazonSTS(source).amazonRoleKey(in: response, to: Self.action)
  }
}

extension CredentialProvider where Self == AmazonAssumeRoleProvider {
  /// Returns a provider of temporary keys for an AWS role that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .amazonAssumeRole("arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - externalID: The external ID that the role requires from callers of other accounts, or `nil` if the role
  ///     requires none.
  ///   - endpoint: The endpoint of the token service.
  public static func amazonAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global
  ) -> AmazonAssumeRoleProvider {
    AmazonAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint)
  }
}
