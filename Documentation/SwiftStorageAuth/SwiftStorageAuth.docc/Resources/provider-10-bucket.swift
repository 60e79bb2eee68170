import CredentialSources
import StorageAuth
import StorageClient

/// A bucket of Acme Storage.
public struct AcmeBucket: BucketProvider {
  /// The name of the bucket.
  public let bucket: String
  /// The region of the bucket.
  public let region: String
  /// The signer of requests.
  public let signer = AcmeSigner()
  /// The short name of the service.
  public let name = "acme"

  /// The address of the region.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) { try ServiceEndpoint("https://\(region).storage.acme.example.com", style: .path) }
  }

  /// The names of the service's headers, and its way of paging.
  public var conventions: HeaderConventions { HeaderConventions(headerPrefix: "x-acme-", paging: .marker) }

  /// The environment variables with the key.
  public var defaultCredentials: CredentialChain<AccessKey> {
    CredentialChain(
      [EnvironmentCredentialProvider(id: "ACME_ID", secret: "ACME_SECRET", tokens: ["ACME_TOKEN"])], source: "Acme")
  }

  /// Returns the bucket and the percent-encoded key.
  public func copySource(_ source: CopySource) -> String {
    "/\(source.bucket ?? bucket)/\(ByteExactString(source.key).percentEncoded(keepingSlashes: true))"
  }
}
