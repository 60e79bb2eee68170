// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys from a URL, such as the URL that `ALIBABA_CLOUD_CREDENTIALS_URI` specifies.
///
/// The response contains `AccessKeyId`, `AccessKeySecret`, `SecurityToken`, `Expiration`, and the header `Date`.
public struct CredentialsURIProvider: CredentialProvider, Redacted {
  /// The provider's name, for error messages.
  public let source: String

  /// A description with the URL, but without its query, which may contain credentials.
  public var description: String { "CredentialsURIProvider(\(source))" }

  private let url: String
  private let allowsPlainHTTP: Bool

  /// Creates a provider that requests keys from a URL.
  ///
  /// - Parameters:
  ///   - url: The URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed, which lets eavesdroppers read the keys.
  public init(_ url: String, allowsPlainHTTP: Bool = false) {
    source = ServiceURL(url).map { "credentials URI \($0.visible)" } ?? "credentials URI"
    self.url = url
    self.allowsPlainHTTP = allowsPlainHTTP
  }

  /// Requests a temporary key from the URL and returns it with the server's time.
  ///
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the request, `malformedResponse` if the response
  ///   has no usable key, `failed` or `timeout` if the server cannot be reached.
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

extension CredentialProvider where Self == CredentialsURIProvider {
  /// Returns a provider that requests temporary keys from a URL with `https`, or with `http` on this machine.
  public static func credentialsURI(_ url: String) -> CredentialsURIProvider { CredentialsURIProvider(url) }
}
