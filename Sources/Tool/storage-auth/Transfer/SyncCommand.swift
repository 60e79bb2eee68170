// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient
internal import SystemPackage

struct SyncCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Transfers the files or objects that differ between a folder, a bucket or a node, and another.",
    usage: "storage-auth sync <source> <destination> [<options>]",
    discussion: """
      Examples: storage-auth sync photos oss://backup/photos/ --region cn-hangzhou
                storage-auth sync oss://backup/photos/ photos --delete --dry-run --region cn-hangzhou
                storage-auth sync oss://photos/ cos://photos-1250000000/ --from-region cn-hangzhou --region ap-guangzhou

      Files and objects are equal if their sizes are equal and that of the source was not changed after the other. \
      After an interruption, the same command transfers what is missing. A failure does not stop the other transfers; \
      the failures are listed at the end, and the exit status is 1. Symbolic links are not followed.

      With --delete, all is kept if a transfer failed or the source is empty, and always what has the path of a file \
      that the source skipped, such as a symbolic link.
      """)

  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.")
  var source: String

  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.")
  var destination: String

  @Flag(help: "Delete files and objects of the destination that the source does not have.")
  var delete = false

  @Flag(help: "With --delete, delete although a transfer failed; by default all is kept then.")
  var deleteAfterFailures = false

  @Flag(help: "With --delete, delete everything if the source is empty; by default an empty source is an error.")
  var allowEmptySource = false

  @Flag(help: "Compare checksums instead of times, for which files are read.")
  var checksum = false

  @OptionGroup var selection: TreeOptions

  @OptionGroup var options: StoreOptions

  @OptionGroup(title: "Transfers of Aspera") var aspera: AsperaOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard delete || !deleteAfterFailures && !allowEmptySource else {
      throw ValidationError("--delete-after-failures and --allow-empty-source are for --delete.")
    }
    _ = try transfer()
  }

  func run() async throws { try await transfer().run() }

  private func transfer() throws -> TreeTransfer {
    try TreeTransfer(
      source, destination, selection, options, aspera, comparison: checksum ? .checksum : .sizeAndTime,
      deletions: .init(
        deletes: delete, evenAfterFailures: deleteAfterFailures, evenFromEmptySource: allowEmptySource))
  }
}

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

/// The summary of a synchronization, as a sentence and as JSON.
struct SyncSummary {
  private let report: SyncReport
  private let duration: Duration

  init(_ report: SyncReport, duration: Duration) {
    self.report = report
    self.duration = duration
  }

  private var failed: Int { report.transfers.failedObjects + report.failedDeletions.count }

  /// The counts, the bytes, the duration and the rate.
  var text: String {
    """
    \(report.created) created, \(report.updated) updated, \(report.deleted) deleted, \(report.unchanged) unchanged, \
    \(report.skipped.count) skipped, \(report.kept.count) kept, \(failed) failed; \(ByteText(report.bytes)) in \(duration.clockText) (\(ByteText(report.bytes, per: duration)))
    """
  }

  /// The same as a JSON object.
  var json: JSONValue {
    func count(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
    let (seconds, attoseconds) = duration.components
    return [
      "created": count(report.created), "updated": count(report.updated), "deleted": count(report.deleted),
      "unchanged": count(report.unchanged), "skipped": count(report.skipped.count), "kept": count(report.kept.count),
      "failed": count(failed),
      "bytes": .number(JSONNumber(report.bytes)),
      "milliseconds": .number(JSONNumber(seconds * 1000 + attoseconds / 1_000_000_000_000_000)),
    ]
  }
}

/// The totals of what a synchronization would do, as a sentence and as JSON.
struct SyncTotals {
  private let preview: SyncPreview

  init(_ preview: SyncPreview) {
    self.preview = preview
  }

  private func count(_ kind: SyncAction.Kind) -> Int { preview.actions.count { $0.kind == kind } }

  /// The number of bytes that would be transferred.
  private var bytes: Int64 {
    preview.actions.reduce(0) { $1.kind == .delete ? $0 : $0.saturatingAdding($1.byteCount) }
  }

  /// The counts and the bytes.
  var text: String {
    """
    dry run: \(count(.create)) would be created, \(count(.update)) updated, \(count(.delete)) deleted; \
    \(preview.unchanged) unchanged, \(preview.skipped.count) skipped, \(preview.kept.count) kept; \(ByteText(bytes))
    """
  }

  /// The same as a JSON object.
  var json: JSONValue {
    func number(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
    return [
      "dryRun": true, "created": number(count(.create)), "updated": number(count(.update)),
      "deleted": number(count(.delete)), "unchanged": number(preview.unchanged),
      "skipped": number(preview.skipped.count), "kept": number(preview.kept.count),
      "bytes": .number(JSONNumber(bytes)),
    ]
  }
}

/// The command-line options for transfers of whole folders.
struct TreeOptions: ParsableArguments {
  @Flag(
    name: .customLong("dry-run"), help: "Print what would be transferred and deleted, and change no file or object.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Only paths that match this pattern; repeatable. * and ? stand for characters other than a slash, ** for any; a "
        + "pattern without a slash is for names.",
      valueName: "pattern"))
  var include: [String] = []

  @Option(
    help: ArgumentHelp(
      "Not the paths that match this pattern, which are not deleted either; repeatable.", valueName: "pattern")
  )
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp("The number of concurrent transfers; 16 by default, or 1 with Aspera.", valueName: "number"))
  var jobs: Int?

  @Option(help: ArgumentHelp("The URL of the source's service, if the destination is in another.", valueName: "url"))
  var fromEndpoint: String?

  @Option(help: ArgumentHelp("The region of the source, if the destination is in another.", valueName: "region"))
  var fromRegion: String?

  @Option(
    help: ArgumentHelp(
      "The directory for the state of unfinished large transfers; storage-auth/checkpoints in XDG_STATE_HOME, or in "
        + "~/.local/state, by default.",
      valueName: "directory"))
  var checkpoints: String?

  /// Whether an option other than the directory for checkpoints was given.
  var isForTreesOnly: Bool {
    dryRun || !include.isEmpty || !exclude.isEmpty || jobs != nil || fromEndpoint != nil
      || fromRegion != nil
  }

  func validate() throws {
    guard jobs.map({ (1...64).contains($0) }) ?? true else { throw ValidationError("--jobs must be from 1 to 64.") }
    guard (include + exclude).allSatisfy({ !$0.isEmpty }) else { throw ValidationError("A pattern is empty.") }
  }
}
