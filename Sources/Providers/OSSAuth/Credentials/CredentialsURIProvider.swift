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
  private let exchange: ServiceExchange

  /// Creates a provider that requests keys from a URL.
  ///
  /// - Parameters:
  ///   - url: The URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper on the network can then read
  ///     the keys.
  ///   - timeout: The time limit for one request and its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks that the provider uses.
  public init(
    _ url: String, allowsPlainHTTP: Bool = false, timeout: Duration = .seconds(10), transport: any HTTPTransport,
    time: any SigningClock = .system
  ) {
    source = ServiceURL(url).map { "credentials URI \($0.visible)" } ?? "credentials URI"
    self.url = url
    self.allowsPlainHTTP = allowsPlainHTTP
    exchange = ServiceExchange(source: source, transport: transport, time: time, timeout: timeout)
  }

  /// Requests a temporary key from the URL.
  ///
  /// - Returns: A temporary key.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the request, `malformedResponse` if the response has
  ///   no usable key, `failed` or `timeout` if the server cannot be reached.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the URL and reads the server's time from the response.
  ///
  /// - Returns: A temporary key and the server's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let address = try RequestCheck(source: source).address(url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(.get)
    let response = try await exchange.send { () async throws(CredentialError) in
      PreparedCall(call, masks: call.confidentialWords)
    }
    let refusal = response.alibabaRefusal
    guard response.isSuccess, refusal == nil else {
      throw RefusalRules.alibaba.error(
        for: response, refusal, source: source, fallback: "Check the address, and what serves it.")
    }
    let reader = CredentialReader(
      source: source, remedy: "Let it respond with AccessKeyId, AccessKeySecret, SecurityToken and Expiration.")
    return try reader.alibabaKey(in: try reader.object(response), at: response.issuerTime)
  }
}

extension CredentialsURIProvider: Redacted {
  /// A description that contains the URL without its query, because the query may contain credentials.
  public var description: String { "CredentialsURIProvider(\(source))" }
}
