// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys of a role from Amazon's token service (STS): `AssumeRole`, signed with another key.
///
/// The request is signed with Signature Version 4. If the service rejects the time of the signature, the provider takes
/// the service's time from the response, signs the request again once, and uses that time for later requests. Sources:
/// "AssumeRole" in the STS API reference and "Create a signed AWS API request" in the IAM User Guide.
///
/// ```swift
/// let keys = AmazonAssumeRoleProvider(
///   roleARN: "arn:aws:iam::123456789012:role/uploader", credentials: EnvironmentCredentialProvider.aws,
///   transport: transport)
/// ```
public struct AmazonAssumeRoleProvider: CredentialProvider {
  private static let action = "AssumeRole"

  /// The name of the provider, for errors.
  public let source: String

  private let role: AmazonRole
  private let externalID: String?
  private let endpoint: AmazonSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider for a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role: `arn:aws:iam::<account>:role/<name>`.
  ///   - sessionName: The name of the session in the vendor's logs: 2 to 64 letters, digits and `_+=,.@-`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime: whole seconds from 900 to 43200, at most the maximum that the role allows; at most an
  ///     hour if the signing key itself is that of a role.
  ///   - policy: A policy that restricts the key further, as JSON of at most 2048 bytes, or `nil` for all rights of the
  ///     role.
  ///   - externalID: The external ID that the role requires from callers of other accounts: 2 to 1224 characters.
  ///   - endpoint: The endpoint of the service.
  ///   - timeout: The timeout for one request and its response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clocks.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AmazonSTSEndpoint = .global, timeout: Duration = .seconds(10), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = "Amazon STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = AmazonRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.externalID = externalID
    self.endpoint = endpoint
    service = SignedExchange(
      exchange: ServiceExchange(source: source, transport: transport, time: time, timeout: timeout),
      credentials: credentials,
      rules: .amazon)
  }

  /// Assumes the role.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `failed` if a parameter is outside of the service's limits or the service cannot be
  ///   reached; `rejected` if the service refuses; `malformedAnswer`; `timeout`; or the code of the error with which
  ///   `credentials` failed to supply the signing key.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Assumes the role and reads the service's time.
  ///
  /// - Returns: A temporary key with the service's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
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
    let answer = try await service.answer(signedWith: signer, refusal: \.amazonRefusal) { call }
    return try AnswerReader.amazonSTS(source).amazonRoleKey(in: answer, to: Self.action)
  }
}
