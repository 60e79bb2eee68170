// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient

struct BucketOptions: ParsableArguments {
  @Option(
    help: .text(
      "The URL of the service, such as http://127.0.0.1:9000; by default the public one of the region, or for s3 that "
        + "of AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or ~/.aws/config.", value: "url"))
  var endpoint: String?

  @Option(
    help: ArgumentHelp(
      "The region; by default OSS_REGION, COS_REGION or AWS_REGION of the environment. Optional for a service on this "
        + "machine."))
  var region: String?

  @Option(help: "The version of the OSS signature: v4 or v1.") var signature: SignatureVersionArgument = .v4
  @OptionGroup var credentials: CredentialOptions

  /// Returns a client for the bucket of a location, which must not have a key.
  func bucket(at location: String) throws -> any BucketStore {
    guard case .object(let name, let bucket, key: "") = try Location(location) else {
      throw ValidationError("Name only a bucket, as oss://bucket.")
    }
    return try name.cloud.store(bucket, self)
  }
}

/// The options for a bucket, or for an Aspera node.
struct StoreOptions: ParsableArguments {
  private static let defaultNodePort = 9092

  @OptionGroup var buckets: BucketOptions

  @Option(
    help: .text(
      "The URL of the Node API; ASPERA_NODE_URL, or https to the host of the location, at its port or 9092, by "
        + "default.", value: "url"))
  var node: String?

  @Option(
    name: .customLong("root-file-id"),
    help: .text(
      "The ID of the folder on the node that paths are relative to; the root folder of the access key by default.",
      value: "id"))
  var rootFileID: String?

  /// Returns a client for a bucket or node, with the location's key, or `nil` for files and accounts.
  func store(
    of location: Location, transfers: AsperaTransferOptions = .init()
  ) throws -> (store: any ObjectStore, key: String)? {
    switch location {
    case .object(let name, let bucket, let key): (try name.cloud.store(bucket, buckets), key)
    case .node(let server, let key): (try nodeClient(server, transfers), key)
    case .account, .file, .standardStream: nil
    }
  }

  /// Throws an error for an option of the command line that is only for Aspera; a setting can be for other runs.
  func refuseAsperaOptions(_ aspera: AsperaOptions? = nil) throws {
    let options = [("node", node != nil), ("root-file-id", rootFileID != nil)] + (aspera?.presence ?? [])
    for (name, isPresent) in options where isPresent && !Settings.contains(name) {
      throw ValidationError("--\(name) is for aspera:// locations; leave it out.")
    }
  }

  func listedStore(of location: Location, transfers: AsperaTransferOptions = .init()) throws -> any ObjectStore {
    if !location.isAspera { try refuseAsperaOptions() }
    guard let (store, _) = try store(of: location, transfers: transfers) else {
      throw ValidationError("Name a bucket or a node, as oss://bucket/folder; an account of Aspera cannot list.")
    }
    return store
  }

  private func nodeClient(_ server: ServerAddress, _ transfers: AsperaTransferOptions) throws -> any ObjectStore {
    let network = buckets.credentials.network
    let context = try ProviderContext.commandLine(network)
    let nodeURL = node ?? context.environment("ASPERA_NODE_URL")
    let cache = CredentialCache(.asperaDefault, in: context)
    EventLog.traceEvents(of: cache.events)
    let client = StorageClient(
      .aspera(
        node: nodeURL ?? "https://\(server.authority(defaultPort: Self.defaultNodePort))", rootFileID: rootFileID,
        transfers: transfers),
      credentials: cache, configuration: Settings.client.configuration, transport: try network.transport)
    EventLog.noteRetries(client.events)
    return client
  }
}

/// The options for the service of the source, if the destination is in another.
struct OriginOptions: ParsableArguments {
  @Option(help: .text("The URL of the source's service, if the destination is in another.", value: "url"))
  var fromEndpoint: String?

  @Option(help: .text("The region of the source, if the destination is in another.", value: "region"))
  var fromRegion: String?

  /// Throws an error if an option is set, and one of the two locations is not in a bucket.
  func requireTwoServices(from source: Location, to destination: Location) throws {
    guard fromEndpoint != nil || fromRegion != nil, source.cloud == nil || destination.cloud == nil else { return }
    throw ValidationError("--from-endpoint and --from-region are for copies from one service to another.")
  }

  func isOtherService(than options: BucketOptions) -> Bool {
    fromEndpoint.map { $0 != options.endpoint } ?? false || fromRegion.map { $0 != options.region } ?? false
  }

  /// Returns the options for the source; in another cloud, the endpoint and the region of the destination do not apply.
  func sourceOptions(_ options: StoreOptions, from source: Location, to destination: Location) -> StoreOptions {
    let isInOtherCloud = !destination.isFile && source.cloud != destination.cloud && destination != .standardStream
    var options = options
    options.buckets.endpoint = fromEndpoint ?? (isInOtherCloud ? nil : options.buckets.endpoint)
    options.buckets.region = fromRegion ?? (isInOtherCloud ? nil : options.buckets.region)
    return options
  }
}

extension ObjectStore {
  /// Returns the object whose key is the folder's name without a slash.
  func object(named folder: Location) async throws -> ListedObject? {
    guard !folder.key.isEmpty, !folder.key.hasByteSuffix("/") else { return nil }
    // It is the first of the keys that start with this name.
    guard case .object(let object)? = try await list(prefix: folder.key, delimiter: "/").first(where: { _ in true }),
      object.key.isIdentical(to: folder.key)
    else { return nil }
    return object
  }
}
