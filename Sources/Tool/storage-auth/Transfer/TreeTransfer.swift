// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import StorageAuth
internal import StorageClient

/// A transfer of a whole folder, or of all objects below a prefix, with the output that the options ask for.
struct TreeTransfer {
  /// The number of concurrent transfers by default: Aspera servers limit logins.
  static let (bucketTransfers, asperaTransfers) = (16, 1)

  private let source: SyncLocation
  private let target: SyncLocation
  private let options: TreeOptions
  private var syncOptions: SyncOptions

  init(
    from source: String, to destination: String, tree options: TreeOptions, stores: StoreOptions,
    aspera: AsperaOptions, sync syncOptions: SyncOptions
  ) throws {
    let (from, to) = (try Location(source), try Location(destination))
    var configuration = Settings.client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, options.jobs ?? 0)
    let isAspera = from.isAspera || to.isAspera
    let jobs = options.jobs ?? (isAspera ? Self.asperaTransfers : Self.bucketTransfers)
    guard aspera.tags == nil else { throw ValidationError("A node determines the tags itself; leave --tags out.") }
    let transfers = isAspera ? try aspera.transferOptions(atATime: jobs) : AsperaTransferOptions()
    let isSameService = from.isInSameCloud(as: to) && options.fromEndpoint == nil && options.fromRegion == nil
    self.source = try Self.syncLocation(
      from, in: Self.sourceStores(stores, options, from: from, to: to), transfers: transfers, configuration,
      copiesInside: isSameService)
    target = try Self.syncLocation(to, in: stores, transfers: transfers, configuration, copiesInside: false)
    guard !from.isFile || !to.isFile else {
      throw ValidationError("One of the two must be oss://bucket/prefix (or cos://, s3://) or aspera://node/prefix.")
    }
    self.options = options
    self.syncOptions = syncOptions
    self.syncOptions.includes = options.include.map { PathPattern($0) }
    self.syncOptions.excludes = options.exclude.map { PathPattern($0) }
    self.syncOptions.transfersInFlight = jobs
  }

  /// Returns the options for the source: those without "from" are for the destination if the two are in different clouds.
  private static func sourceStores(
    _ stores: StoreOptions, _ options: TreeOptions, from: Location, to: Location
  ) -> StoreOptions {
    let isInOtherCloud = !from.isInSameCloud(as: to) && !to.isFile
    var stores = stores
    stores.buckets.endpoint = options.fromEndpoint ?? (isInOtherCloud ? nil : stores.buckets.endpoint)
    stores.buckets.region = options.fromRegion ?? (isInOtherCloud ? nil : stores.buckets.region)
    return stores
  }

  private static func syncLocation(
    _ location: Location, in stores: StoreOptions, transfers: AsperaTransferOptions,
    _ configuration: StorageClientConfiguration, copiesInside: Bool
  ) throws -> SyncLocation {
    switch location {
    case .file(let path): return .folder(path)
    case .object(let name, let bucket, _):
      let store = try name.cloud.store(bucket, stores.buckets, configuration)
      return .objects(in: store, below: location.folderPrefix, bucket: copiesInside ? bucket : nil)
    case .node:
      guard let (store, _) = try stores.store(of: location, transfers: transfers) else { break }
      return .objects(in: store, below: location.folderPrefix)
    case .account: break
    }
    throw ValidationError("An account of Aspera cannot list files; use a node, as aspera://node/prefix.")
  }

  /// Carries out the transfer, or prints what it would do.
  func run() async throws {
    let output = SyncOutput()
    guard !options.dryRun else {
      let preview = try await FolderSync(from: source, to: target, options: syncOptions).preview()
      output.show(preview)
      if !preview.kept.isEmpty { throw ExitCode.failure }
      return
    }
    var syncOptions = syncOptions
    syncOptions.stateFolder = try CheckpointDirectory(options.checkpoints).path
    let bar = output.showsActions ? nil : ProgressBar("objects")
    let start = ContinuousClock.now
    var handler: (@Sendable (SyncAction) -> Void)?
    if output.showsActions { handler = { output.show($0) } }
    let report = try await FolderSync(from: source, to: target, options: syncOptions).run(
      progress: bar?.pipelineHandler, didFinish: handler)
    bar?.finish()
    output.show(report.skipped, report.kept)
    for failure in report.transfers.failures + report.failedDeletions { output.show(failure.error, of: failure.name) }
    if let error = report.transfers.sourceError { output.show(error, of: "the listing") }
    let duration = ContinuousClock.now - start
    output.show(report.text(after: duration), ["summary": report.json(after: duration)])
    if !report.isComplete { throw ExitCode.failure }
  }
}
