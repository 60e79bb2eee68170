internal import ArgumentParser
internal import Foundation
internal import StorageAuth
internal import StorageClient

/// How a bucket on the command line is reached.
struct StoreOptions: ParsableArguments {
  @Option(help: "The URL of the service, such as http://127.0.0.1:9000; the public one of the region if not given.")
  var endpoint: String?

  @Option(help: "The region; OSS_REGION or COS_REGION of the environment if not given.")
  var region: String?

  @Option(help: "The version of the OSS signature: v4 or v1.")
  var signature: SignatureVersionArgument = .v4

  @OptionGroup var credentials: CredentialOptions

  @OptionGroup var aspera: AsperaOptions

  /// A client of OSS.
  func oss(_ bucket: String) throws -> StorageClient<OSSProvider> {
    StorageClient(
      .oss(
        bucket: bucket, region: try region(of: "OSS_REGION", local: "cn-hangzhou"), signature: signature.version,
        endpoint: endpoint), credentials: credentials.cache(for: .oss))
  }

  /// A client of COS.
  func cos(_ bucket: String) throws -> StorageClient<COSProvider> {
    StorageClient(
      .cos(bucket: bucket, region: try region(of: "COS_REGION", local: "ap-guangzhou"), endpoint: endpoint),
      credentials: credentials.cache(for: .cos))
  }

  /// A bucket, whoever the provider is.
  func store(_ provider: ProviderName, _ bucket: String) throws -> any BucketStore {
    switch provider {
    case .oss: try oss(bucket)
    case .cos: try cos(bucket)
    }
  }

  /// What a location is in, and the key in it; nothing for a file, or for an account, which can only copy.
  func store(of location: Location) throws -> (store: any ObjectStore, key: String)? {
    switch location {
    case .object(let provider, let bucket, let key): (try store(provider, bucket), key)
    case .node(let server, let key): (try aspera.store(server), key)
    case .account, .file: nil
    }
  }

  /// The region; on this machine any will do.
  private func region(of variable: String, local: String) throws -> String {
    if let region { return region }
    if let named = ProcessInfo.processInfo.environment[variable], !named.isEmpty { return named }
    if let endpoint, try ServiceEndpoint(endpoint).isLoopback { return local }
    throw ValidationError("Name the region with --region or \(variable).")
  }
}
