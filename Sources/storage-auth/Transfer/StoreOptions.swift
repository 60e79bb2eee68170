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

  @Option(help: "The region; OSS_REGION, COS_REGION or AWS_REGION of the environment if not given.")
  var region: String?

  @Option(help: "The version of the OSS signature: v4 or v1.")
  var signature: SignatureVersionArgument = .v4

  @OptionGroup var credentials: CredentialOptions

  /// Returns the region that was named; on this machine any will do.
  ///
  /// - Parameters:
  ///   - variables: The variables of the environment that name one, in their order.
  ///   - configured: The region of a file that the cloud's tools read, or `nil` if there is none.
  ///   - local: The region for a service on this machine.
  ///   - address: The URL of the service; ``endpoint`` if `nil`.
  /// - Throws: A `ValidationError` if there is none.
  func region(
    fromEnvironment variables: [String], configured: String? = nil, local: String, endpoint address: String? = nil
  ) throws -> String {
    if let region { return region }
    let environment = ProcessInfo.processInfo.environment
    if let named = variables.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) { return named }
    if let configured { return configured }
    if let address = address ?? endpoint, try ServiceEndpoint(address).isLoopback { return local }
    throw ValidationError("Name the region with --region or \(variables.first ?? "").")
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
    case .object(let name, let bucket, let key): (try name.cloud.store(bucket, buckets), key)
    case .node(let server, let key): (store(server, transfers), key)
    case .account, .file: nil
    }
  }

  /// A client of a node.
  private func store(_ server: ServerAddress, _ transfers: AsperaTransfers) -> StorageClient<AsperaProvider> {
    let machine = ProviderContext.commandLine { Terminal.note("warning: \($0)") }
    let url = node ?? machine.environment(Self.nodeVariable)
    return StorageClient(
      .aspera(node: url ?? "https://\(server.authority(defaultPort: Self.defaultNodePort))", transfers: transfers),
      credentials: CredentialCache(.asperaDefault(machine)))
  }

  private static let nodeVariable = "ASPERA_NODE_URL"
  private static let defaultNodePort = 9092
}
