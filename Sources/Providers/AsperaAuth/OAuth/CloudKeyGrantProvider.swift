// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources

/// A credential provider that requests access tokens from IBM Cloud's identity service (IAM) with an API key.
///
/// The request is described on IBM's page ["Generating an IBM Cloud IAM token by using an API
/// key"](https://cloud.ibm.com/docs/account?topic=account-iamtoken_from_apikey). The tokens authorize requests to IBM
/// Cloud's services, such as Cloud Object Storage with its native bearer authorization.
///
/// Aspera transfers to Cloud Object Storage are not supported: their storage credentials, a delegated refresh token,
/// would be in the tags that ascp receives as an argument, which other users of the machine can read.
///
/// ```swift
/// let tokens = CredentialCache(CloudKeyGrantProvider(apiKey: key))
/// ```
public struct CloudKeyGrantProvider: CredentialProvider, Redacted {
  /// The token endpoint of IBM Cloud's identity service.
  public static let tokenURL = "https://iam.cloud.ibm.com/identity/token"

  /// The provider name that errors and events show.
  public var source: String { endpoint.source }

  private let apiKey: Secret
  private let endpoint: TokenEndpoint

  /// Creates a provider of access tokens.
  ///
  /// - Parameters:
  ///   - apiKey: The API key of a user or of a service ID.
  ///   - tokenURL: The URL of the token endpoint, with the scheme `https`, or `http` on this machine.
  public init(apiKey: Secret, tokenURL: String = Self.tokenURL) {
    self.apiKey = apiKey
    endpoint = TokenEndpoint(url: tokenURL)
  }

  /// Requests an access token, and returns it with the server's time.
  ///
  /// - Parameter context: The context of the call.
  /// - Throws: A `CredentialError`: `rejected` if the server refuses the API key, `malformedResponse` if the response
  ///   is malformed, `failed` if the API key is empty or the server cannot be reached, and `timeout` if it is too slow.
  public func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<OAuthBearer> {
    guard !apiKey.isEmpty else {
      throw CredentialError(.failed, source: source, "The API key is empty.", remedy: "Set the API key.")
    }
    let form = [
      FormPair("grant_type", "urn:ibm:params:oauth:grant-type:apikey"), FormPair("response_type", "cloud_iam"),
      FormPair("apikey", apiKey.reveal()),
    ]
    switch try await endpoint.requestToken(form, masks: [apiKey], in: context) {
    case .issued(let issued): return issued
    case .rejected(let response): throw response.error(for: source)
    }
  }

  /// A description that contains the provider name.
  public var description: String { "CloudKeyGrantProvider(\(source))" }
}
