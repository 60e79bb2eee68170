// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A provider that assumes a role with another key and returns the temporary keys that Alibaba Cloud's token service
/// (STS) issues.
///
/// The provider sends `AssumeRole` requests that are signed with ACS3-HMAC-SHA256. If the service rejects the signing
/// time, the provider takes the service's time from the response, signs the request again once, and uses that time for
/// later requests.
///
/// ```swift
/// let keys = AlibabaAssumeRoleProvider(
///   roleARN: "acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss)
/// ```
public struct AlibabaAssumeRoleProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let role: AlibabaRole
  private let externalID: String?
  private let endpoint: AlibabaSTSEndpoint
  private let service: SignedExchange

  /// Creates a provider that assumes a role.
  ///
  /// - Parameters:
  ///   - roleARN: The role's ARN: `acs:ram::<account>:role/<name>`.
  ///   - sessionName: The session name, which appears in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - credentials: The provider of the key that assumes the role. The key must not be the root account's key.
  ///   - duration: The lifetime of the keys: whole seconds from 900 to 43200, and at most the role's maximum.
  ///   - policy: A policy that restricts the keys' rights further, as JSON of at most 2048 bytes, or `nil` for all
  ///     rights of the role.
  ///   - externalID: The external ID that the role's trust policy requires, 2 to 1224 characters, or `nil` if it
  ///     requires no external ID.
  ///   - endpoint: The STS endpoint.
  public init(
    roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global
  ) {
    source = "Alibaba STS AssumeRole (\(ServiceText().shown(roleARN)))"
    role = AlibabaRole(arn: roleARN, sessionName: sessionName, duration: duration, policy: policy)
    self.externalID = externalID
    self.endpoint = endpoint
    service = SignedExchange(source: source, credentials: credentials, rules: .alibaba)
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
    var parameters = try role.parameters(check)
    if let externalID {
      guard (2...1224).contains(externalID.utf8.count) else {
        throw check.refused(
          "The external id has \(externalID.utf8.count) characters.", "Use the one that the role requires: 2 to 1224.")
      }
      parameters.append(FormPair("ExternalId", externalID))
    }
    let address = try check.address(endpoint.url).appending("/?" + FormPair.written(parameters))
    let response = try await service.response(signedWith: ACS3Signer(), refusal: \.alibabaRefusal, in: context) {
      var call = address.call(.post)
      call.request.headerFields[.acsAction] = "AssumeRole"
      call.request.headerFields[.acsVersion] = AlibabaRole.version
      call.request.headerFields[.acsNonce] = ServiceNonce.make()
      return call
    }
    return try CredentialReader.alibabaSTS(source).alibabaRoleKey(in: response)
  }
}

/// An endpoint of Alibaba Cloud's token service (STS).
public struct AlibabaSTSEndpoint: Sendable, Hashable {
  let url: String

  /// The global STS endpoint, which is reachable from everywhere: `sts.aliyuncs.com`.
  public static let global = AlibabaSTSEndpoint(url: "https://sts.aliyuncs.com")

  /// Returns the public STS endpoint for a region: `sts.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func region(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts.\(region).aliyuncs.com")
  }

  /// Returns the STS endpoint inside a region's private network (VPC): `sts-vpc.<region>.aliyuncs.com`.
  ///
  /// - Parameter region: The region ID, such as `cn-hangzhou`.
  public static func vpc(_ region: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: "https://sts-vpc.\(region).aliyuncs.com")
  }

  /// Returns a custom STS endpoint.
  ///
  /// - Parameter url: The endpoint's URL with scheme, host and port. The scheme is `https`, or `http` if the server
  ///   runs on this machine.
  public static func url(_ url: String) -> AlibabaSTSEndpoint {
    AlibabaSTSEndpoint(url: url)
  }
}

/// A generator of nonces, which are strings that are unique with overwhelming probability.
enum ServiceNonce {
  /// Returns a new nonce: 128 random bits as hexadecimal digits.
  static func make() -> String {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return String(writing: { $0.append(hex: bytes) })
  }
}

extension CredentialProvider where Self == AlibabaAssumeRoleProvider {
  /// Returns a provider of temporary keys for an Alibaba Cloud role that another key may assume.
  ///
  /// ```swift
  /// let credentials = CredentialCache(
  ///   .alibabaAssumeRole("acs:ram::1234567890123456:role/uploader", credentials: EnvironmentCredentialProvider.oss))
  /// ```
  ///
  /// - Parameters:
  ///   - roleARN: The resource name of the role: `acs:ram::<account>:role/<name>`.
  ///   - sessionName: The session name in the vendor's logs: 2 to 64 letters, digits and `.@-_`.
  ///   - credentials: The provider of the key that assumes the role.
  ///   - duration: The lifetime of the temporary key in whole seconds, from 900 to 43200, and no more than the role
  ///     allows.
  ///   - policy: The maximum permissions of the temporary key, as JSON, or `nil` for all permissions of the role.
  ///   - externalID: The external ID that the role requires from callers, or `nil` if the role requires none.
  ///   - endpoint: The endpoint of the token service.
  public static func alibabaAssumeRole(
    _ roleARN: String, sessionName: String = "swift-storage-auth", credentials: some CredentialProvider<AccessKey>,
    duration: Duration = .seconds(3600), policy: String? = nil, externalID: String? = nil,
    endpoint: AlibabaSTSEndpoint = .global
  ) -> AlibabaAssumeRoleProvider {
    AlibabaAssumeRoleProvider(
      roleARN: roleARN, sessionName: sessionName, credentials: credentials, duration: duration, policy: policy,
      externalID: externalID, endpoint: endpoint)
  }
}
