// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CloudCredentials
internal import Foundation
internal import StorageAuth
internal import StorageClient

/// The options for access to a bucket.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The URL of the service, such as http://127.0.0.1:9000; the public one of the region by default.",
      valueName: "url"))
  var endpoint: String?

  @Option(help: "The region; OSS_REGION, COS_REGION or AWS_REGION of the environment by default.")
  var region: String?

  @Option(help: "The version of the OSS signature: v4 or v1.")
  var signature: SignatureVersionArgument = .v4

  @OptionGroup var credentials: CredentialOptions

  /// Returns the region of the options, the environment or the configuration, or a default for a service on this
  /// machine.
  ///
  /// - Parameters:
  ///   - variables: The environment variables that may contain the region, in order of precedence.
  ///   - configured: The region from a configuration file of the cloud's tools, or `nil` if there is none.
  ///   - local: The region for a service on this machine, which accepts any.
  ///   - address: The URL of the service, or `nil` for ``endpoint``.
  /// - Throws: A `ValidationError` if no region is known.
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

/// The options for access to a bucket or a node.
struct StoreOptions: ParsableArguments {
  @OptionGroup var buckets: BucketOptions

  @Option(
    help: ArgumentHelp(
      "The URL of the Node API; ASPERA_NODE_URL, or https to the host of the location, by default.", valueName: "url")
  )
  var node: String?

  /// Returns the store of a location and the key in it, or `nil` for a file or an account, which support only copying.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - transfers: The way in which a node transfers files.
  func store(
    of location: Location, transfers: AsperaTransfers = AsperaTransfers()
  ) throws -> (store: any ObjectStore, key: String)? {
    switch location {
    case .object(let name, let bucket, let key): (try name.cloud.store(bucket, buckets), key)
    case .node(let server, let key): (store(server, transfers), key)
    case .account, .file: nil
    }
  }

  /// Returns a client of a node.
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
