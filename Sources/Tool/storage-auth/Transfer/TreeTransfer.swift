// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

/// A transfer of a whole folder, or of all objects below a prefix, with the output that the options ask for.
struct TreeTransfer {
  private let source: SyncLocation
  private let target: SyncLocation
  private let options: TreeOptions
  private let comparison: SyncOptions.Comparison
  private let deletions: Deletions
  private let jobs: Int

  /// The deletions that the transfer may make in the destination.
  struct Deletions {
    /// Whether files and objects are deleted that the source does not have.
    var deletes = false
    /// Whether they are deleted although a transfer failed.
    var evenAfterFailures = false
    /// Whether all of them are deleted if the source is empty.
    var evenFromEmptySource = false
  }

  /// Creates a transfer between two locations.
  ///
  /// - Throws: A `ValidationError` if a location cannot be a side of the transfer.
  init(
    _ source: String, _ destination: String, _ options: TreeOptions, _ stores: StoreOptions, _ aspera: AsperaOptions,
    comparison: SyncOptions.Comparison, deletions: Deletions = Deletions()
  ) throws {
    let (from, to) = (try Location(source), try Location(destination))
    var configuration = Settings.client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, options.jobs ?? 0)
    var fromStores = stores
    if let endpoint = options.fromEndpoint { fromStores.buckets.endpoint = endpoint }
    if let region = options.fromRegion { fromStores.buckets.region = region }
    // Options without "from" are for the destination if the two are in different clouds.
    if !from.isInSameCloud(as: to), !to.isFile {
      fromStores.buckets.endpoint = options.fromEndpoint
      fromStores.buckets.region = options.fromRegion
    }
    let isSameService = from.isInSameCloud(as: to) && options.fromEndpoint == nil && options.fromRegion == nil
    let isAspera = from.isAspera || to.isAspera
    jobs = options.jobs ?? (isAspera ? 1 : 16)
    guard aspera.tags == nil else { throw ValidationError("A node determines the tags itself; leave --tags out.") }
    let transfers = isAspera ? try aspera.transfers(atATime: jobs) : AsperaTransferOptions()
    self.source = try Self.side(from, fromStores, transfers, configuration, copiesInside: isSameService)
    target = try Self.side(to, stores, transfers, configuration, copiesInside: false)
    guard !from.isFile || !to.isFile else {
      throw ValidationError("One of the two must be oss://bucket/prefix (or cos://, s3://) or aspera://node/prefix.")
    }
    self.options = options
    self.comparison = comparison
    self.deletions = deletions
  }

  private static func side(
    _ location: Location, _ stores: StoreOptions, _ transfers: AsperaTransferOptions,
    _ configuration: StorageClientConfiguration, copiesInside: Bool
  ) throws -> SyncLocation {
    let prefix = location.key.isEmpty || location.key.hasByteSuffix("/") ? location.key : location.key + "/"
    switch location {
    case .file(let path): return .folder(path)
    case .object(let name, let bucket, _):
      let store = try name.cloud.store(bucket, stores.buckets, configuration)
      return .objects(in: store, below: prefix, bucket: copiesInside ? bucket : nil)
    case .node:
      guard let (store, _) = try stores.store(of: location, transfers: transfers) else { break }
      return .objects(in: store, below: prefix)
    case .account: break
    }
    throw ValidationError("An account of Aspera cannot list files; use a node, as aspera://node/prefix.")
  }

  /// Carries out the transfer, or prints what it would do.
  ///
  /// - Throws: `ExitCode.failure` if a transfer or a deletion failed, or something was not deleted because of that or
  ///   because the source skipped something.
  func run() async throws {
    let output = SyncOutput()
    var settings = SyncOptions(
      comparison: comparison, deletes: deletions.deletes, includes: options.include.map { PathPattern($0) },
      excludes: options.exclude.map { PathPattern($0) }, transfersInFlight: jobs)
    settings.deletesAfterFailures = deletions.evenAfterFailures
    settings.allowsEmptySource = deletions.evenFromEmptySource
    guard !options.dryRun else {
      let preview = try await FolderSync(from: source, to: target, options: settings).preview()
      output.show(preview)
      if !preview.kept.isEmpty { throw ExitCode.failure }
      return
    }
    settings.stateFolder = try CheckpointDirectory(options.checkpoints).path
    let bar = output.hasBar ? ProgressBar("objects") : nil
    let start = ContinuousClock.now
    var handler: (@Sendable (SyncAction) -> Void)?
    if output.showsActions { handler = { output.show($0) } }
    let report = try await FolderSync(from: source, to: target, options: settings).run(
      progress: bar?.pipelineHandler, didFinish: handler)
    bar?.finish()
    output.show(report.skipped)
    output.show(report.kept)
    for failure in report.transfers.failures + report.failedDeletions { output.show(failure.error, of: failure.name) }
    if let error = report.transfers.sourceError { output.show(error, of: "the listing") }
    output.show(SyncSummary(report, duration: ContinuousClock.now - start))
    if !report.isComplete { throw ExitCode.failure }
  }
}

/// The output of a transfer of a whole folder, as text or as lines of JSON.
struct SyncOutput {
  private let mode = Terminal.mode
  private var isJSON: Bool { mode.isJSON }

  /// Whether a line is printed for each transfer.
  var showsActions: Bool { isJSON || mode.isVerbose }

  /// Whether a progress bar replaces the lines.
  var hasBar: Bool { !showsActions }

  /// Shows what a synchronization would do, with the totals.
  func show(_ preview: SyncPreview) {
    for action in preview.actions { show(action, isDone: false) }
    show(preview.skipped)
    show(preview.kept)
    let totals = SyncTotals(preview)
    if isJSON {
      show(["summary": totals.json])
    } else {
      Terminal.note(totals.text)
    }
  }

  func show(_ action: SyncAction, isDone: Bool = true) {
    guard isJSON else {
      Terminal.line("\(isDone ? "" : "would ")\(action.kind.rawValue) \(action.path)")
      return
    }
    show([
      "action": .string(action.kind.rawValue), "path": .string(action.path),
      "bytes": .number(JSONNumber(action.byteCount)),
    ])
  }

  func show(_ skipped: [SyncReport.Skipped]) {
    for file in skipped {
      if isJSON {
        show(["action": "skip", "path": .string(file.path), "reason": .string(file.reason)])
      } else {
        Terminal.note("skipped \(file.path): \(file.reason)")
      }
    }
  }

  func show(_ kept: [SyncReport.Kept]) {
    for file in kept {
      if isJSON {
        show(["action": "keep", "path": .string(file.path), "reason": .string(file.reason)])
      } else {
        Terminal.note("not deleted: \(file.path): \(file.reason)")
      }
    }
  }

  func show(_ error: any Error, of name: String) {
    guard isJSON else {
      Terminal.error("\(name): \(error)")
      return
    }
    show(["action": "fail", "path": .string(name), "error": .string("\(error)")])
  }

  func show(_ summary: SyncSummary) {
    if isJSON {
      show(["summary": summary.json])
    } else {
      Terminal.note(summary.text)
    }
  }

  private func show(_ value: JSONValue) { Terminal.json(value) }
}
