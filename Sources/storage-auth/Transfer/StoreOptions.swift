internal import ArgumentParser
internal import CloudCredentials
internal import Foundation
internal import StorageAuth
internal import StorageClient

/// How a bucket on the command line is reached.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The URL of the service, such as http://127.0.0.1:9000; the public one of the region if not given.",
      valueName: "url"))
  var endpoint: String?

  @Option(help: "The region; OSS_REGION or COS_REGION of the environment if not given.")
  var region: String?

  @Option(help: "The version of the OSS signature: v4 or v1.")
  var signature: SignatureVersionArgument = .v4

  @OptionGroup var credentials: CredentialOptions

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

  /// The region; on this machine any will do.
  private func region(of variable: String, local: String) throws -> String {
    if let region { return region }
    if let named = ProcessInfo.processInfo.environment[variable], !named.isEmpty { return named }
    if let endpoint, try ServiceEndpoint(endpoint).isLoopback { return local }
    throw ValidationError("Name the region with --region or \(variable).")
  }
}

/// How a bucket or a node on the command line is reached.
struct StoreOptions: ParsableArguments {
  @OptionGroup var buckets: BucketOptions

  @Option(
    help: ArgumentHelp(
      "The URL of the Node API; ASPERA_NODE_URL, or https to the host of the location, if not given.", valueName: "url")
  )
  var node: String?

  /// What a location is in, and the key in it; nothing for a file, or for an account, which can only copy.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - transfers: How a node moves files.
  func store(
    of location: Location, transfers: AsperaTransfers = AsperaTransfers()
  ) throws -> (store: any ObjectStore, key: String)? {
    switch location {
    case .object(let provider, let bucket, let key): (try buckets.store(provider, bucket), key)
    case .node(let server, let key): (store(server, transfers), key)
    case .account, .file: nil
    }
  }

  /// A client of a node.
  private func store(_ server: ServerAddress, _ transfers: AsperaTransfers) -> StorageClient<AsperaProvider> {
    let machine = MachineAccess.commandLine { Terminal.note("warning: \($0)") }
    let url = node ?? machine.environment(Self.nodeVariable)
    return StorageClient(
      .aspera(node: url ?? "https://\(server.authority(defaultPort: Self.defaultNodePort))", transfers: transfers),
      credentials: CredentialCache(.asperaDefault(machine)))
  }

  private static let nodeVariable = "ASPERA_NODE_URL"
  private static let defaultNodePort = 9092
}
