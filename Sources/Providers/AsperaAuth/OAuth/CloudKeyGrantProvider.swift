// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import StorageAuth

/// A credential provider that requests access tokens from IBM Cloud's identity service (IAM) with an API key.
///
/// The request is described on IBM's page ["Generating an IBM Cloud IAM token by using an API
/// key"](https://cloud.ibm.com/docs/account?topic=account-iamtoken_from_apikey). The tokens authorize requests to IBM
/// Cloud's services, such as Cloud Object Storage with its native bearer authorization.
///
/// Transfers of Aspera to Cloud Object Storage are not supported. The storage credentials of such a transfer, a delegated
/// refresh token, would travel in the tags of the transfer specification, which ascp receives as a command-line argument
/// and other users of the machine can read.
///
/// ```swift
/// let tokens = CredentialCache(CloudKeyGrantProvider(apiKey: key, transport: transport))
/// ```
public struct CloudKeyGrantProvider: CredentialProvider {
  /// The token endpoint of IBM Cloud's identity service.
  public static let tokenURL = "https://iam.cloud.ibm.com/identity/token"

  /// The provider name that errors and events show.
  public let source: String

  private let apiKey: Secret
  private let endpoint: TokenEndpoint

  /// Creates a provider of access tokens.
  ///
  /// - Parameters:
  ///   - apiKey: The API key of a user or of a service ID.
  ///   - tokenURL: The URL of the token endpoint, with the scheme `https`, or `http` on this machine.
  ///   - timeout: The maximum time to wait for a response.
  ///   - transport: The transport that sends the requests.
  ///   - time: The clock from which the expiration of each token is calculated.
  public init(
    apiKey: Secret, tokenURL: String = Self.tokenURL, timeout: Duration = .seconds(30),
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    source = ServiceURL(tokenURL).map { "token endpoint \($0.visible)" } ?? "token endpoint"
    self.apiKey = apiKey
    endpoint = TokenEndpoint(source: source, url: tokenURL, timeout: timeout, transport: transport, time: time)
  }

  /// Requests an access token.
  ///
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the API key, `malformedResponse` if the response is
  ///   malformed, `failed` if the API key is empty or the server cannot be reached, and `timeout` if it does not respond
  ///   in time.
  public func credential() async throws(CredentialError) -> OAuthBearer {
    try await issue().credential
  }

  /// Requests an access token, and returns it with the server's time.
  ///
  /// - Throws: The same errors as ``credential()``.
  public func issue() async throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    guard !apiKey.isEmpty else {
      throw CredentialError(.failed, source: source, "The API key is empty.", remedy: "Set the API key.")
    }
    let form = [
      FormPair("grant_type", "urn:ibm:params:oauth:grant-type:apikey"), FormPair("response_type", "cloud_iam"),
      FormPair("apikey", apiKey.reveal()),
    ]
    switch try await endpoint.token(form, masks: [apiKey]) {
    case .issued(let issued): return issued
    case .refused(let refusal): throw refusal.error(for: source)
    }
  }
}

extension CloudKeyGrantProvider: Redacted {
  /// A description that contains the provider name.
  public var description: String { "CloudKeyGrantProvider(\(source))" }
}
