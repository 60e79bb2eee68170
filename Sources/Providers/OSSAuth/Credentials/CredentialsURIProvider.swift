// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys from a URL, such as the URL that `ALIBABA_CLOUD_CREDENTIALS_URI` specifies.
///
/// The response contains `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`. The server's time is read
/// from the response's `Date` header.
public struct CredentialsURIProvider: CredentialProvider {
  /// The provider's name, for error messages.
  public let source: String

  private let url: String
  private let allowsPlainHTTP: Bool

  /// Creates a provider that requests keys from a URL.
  ///
  /// - Parameters:
  ///   - url: The URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper on the network can then read
  ///     the keys.
  public init(_ url: String, allowsPlainHTTP: Bool = false) {
    source = ServiceURL(url).map { "credentials URI \($0.visible)" } ?? "credentials URI"
    self.url = url
    self.allowsPlainHTTP = allowsPlainHTTP
  }

  /// Requests a temporary key from the URL and reads the server's time from the response.
  ///
  /// - Parameter context: The context of the call.
  /// - Returns: A temporary key and the server's time.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the request, `malformedResponse` if the response has
  ///   no usable key, `failed` or `timeout` if the server cannot be reached.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let exchange = try ServiceExchange(source: source, in: context, timeout: .seconds(10))
    let address = try RequestCheck(source: source).address(url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(.get)
    let response = try await exchange.send { () async throws(CredentialError) in
      PreparedCall(call, masks: call.confidentialValues)
    }
    try RefusalRules.alibaba.requireSuccess(
      of: response, response.alibabaRefusal, source: source, fallbackRemedy: "Check the address, and what serves it.")
    let reader = CredentialReader(
      source: source, remedy: "Let it respond with AccessKeyId, AccessKeySecret, SecurityToken and Expiration.")
    return try reader.alibabaKey(in: try reader.object(response), at: response.issuerTime)
  }
}

extension CredentialsURIProvider: Redacted {
  /// A description that contains the URL without its query, because the query may contain credentials.
  public var description: String { "CredentialsURIProvider(\(source))" }
}

extension CredentialProvider where Self == CredentialsURIProvider {
  /// Returns a provider that requests temporary keys from a URL in the response format of
  /// `ALIBABA_CLOUD_CREDENTIALS_URI`.
  ///
  /// - Parameter url: The URL: `https`, or `http` on this machine.
  public static func credentialsURI(_ url: String) -> CredentialsURIProvider {
    CredentialsURIProvider(url)
  }
}
