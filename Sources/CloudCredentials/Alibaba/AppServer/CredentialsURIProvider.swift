// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A provider of temporary keys from a URL that returns `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and
/// `Expiration`.
///
/// `ALIBABA_CLOUD_CREDENTIALS_URI` names such a URL. The response's `Date` header supplies the server's time.
public struct CredentialsURIProvider: CredentialProvider {
  /// The name of the provider, for errors.
  public let source: String

  private let url: String
  private let allowsPlainHTTP: Bool
  private let exchange: ServiceExchange

  /// Creates a provider for a URL.
  ///
  /// - Parameters:
  ///   - url: The URL; `https`, or `http` on this machine.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed, where an eavesdropper on the network can read
  ///     the keys.
  ///   - timeout: The timeout for one request and its response.
  ///   - transport: The transport that sends the request.
  ///   - time: The clocks.
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
  /// - Throws: A `CredentialError`: `rejected` if the server refuses, `malformedAnswer` if the response has no usable
  ///   key, `failed` or `timeout` if the server cannot be reached.
  public func credential() async throws(CredentialError) -> AccessKey {
    try await issue().credential
  }

  /// Requests a temporary key from the URL and reads the server's time.
  ///
  /// - Returns: A temporary key with the server's time.
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<AccessKey> {
    let address = try RequestCheck(source: source).address(url, allowsPlainHTTP: allowsPlainHTTP)
    let call = address.call(.get)
    let answer = try await exchange.send { () async throws(CredentialError) in
      PreparedCall(call, masks: call.confidentialWords)
    }
    let refusal = answer.alibabaRefusal
    guard answer.isSuccess, refusal == nil else {
      throw RefusalRules.alibaba.error(
        for: answer, refusal, source: source, fallback: "Check the address, and what serves it.")
    }
    let reader = AnswerReader(
      source: source, remedy: "Let it respond with AccessKeyId, AccessKeySecret, SecurityToken and Expiration.")
    return try reader.alibabaKey(in: try reader.object(answer), at: answer.issuerTime)
  }
}

extension CredentialsURIProvider: CustomStringConvertible, CustomReflectable {
  /// The URL without its query, which may contain a login.
  public var description: String { "CredentialsURIProvider(\(source))" }

  /// A mirror that does not show the query.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
