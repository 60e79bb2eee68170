// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import Foundation

/// The options of `sync`, and of `cp` for whole folders.
struct FolderOptions: ParsableArguments {
  @Flag(help: "Print what would be transferred and deleted, and keep all as it is.") var dryRun = false

  @Option(help: .text("Only paths that match, such as '*.jpg' or 'a/**'; repeatable.", value: "pattern"))
  var include: [String] = []

  @Option(help: .text("Not the paths that match, which are not deleted either; repeatable.", value: "pattern"))
  var exclude: [String] = []

  @Option(help: .text("Concurrent transfers of whole folders (16; Aspera: 1).", value: "number")) var jobs: Int?
  @OptionGroup var origin: OriginOptions

  @Option(help: .text("Where the state of unfinished transfers is (XDG_STATE_HOME).", value: "directory"))
  var checkpoints: String?

  /// Whether an option is set that single objects do not have.
  var isForFoldersOnly: Bool { dryRun || !include.isEmpty || !exclude.isEmpty || jobs != nil }

  func validate() throws {
    try (1...64).require(jobs, of: "--jobs")
    guard (include + exclude).allSatisfy({ !$0.isEmpty }) else { throw ValidationError("A pattern is empty.") }
  }
}

/// A transfer of a folder, or of all objects below a prefix, with its output.
struct FolderTransfer {
  /// Returns the default number of concurrent transfers, which is one for Aspera because its servers limit logins.
  static func defaultConcurrency(isAspera: Bool) -> Int { isAspera ? 1 : 16 }

  private let sourceLocation: Location
  private let source: SyncLocation
  /// The client of the source, or `nil` for a folder.
  private let sourceStore: (any ObjectStore)?
  private let target: SyncLocation
  private let options: FolderOptions
  private var syncOptions: SyncOptions

  init(
    from source: String, to target: String, folder options: FolderOptions, stores: StoreOptions,
    aspera: AsperaOptions, sync syncOptions: SyncOptions
  ) throws {
    let sourceLocation = try Location(source)
    let targetLocation = try Location(target)
    let configuration = Settings.clientConfiguration(forAtLeast: options.jobs ?? 0)
    let isAspera = sourceLocation.isAspera || targetLocation.isAspera
    let jobs = options.jobs ?? Self.defaultConcurrency(isAspera: isAspera)
    try options.origin.requireTwoServices(from: sourceLocation, to: targetLocation)
    if !isAspera { try stores.refuseAsperaOptions(aspera) }
    if isAspera, aspera.tags != nil { throw ValidationError("A node determines the tags itself; leave --tags out.") }
    let transfers = isAspera ? try aspera.transferOptions(atATime: jobs) : AsperaTransferOptions()
    let isSameService =
      sourceLocation.cloud != nil && sourceLocation.cloud == targetLocation.cloud
      && !options.origin.isOtherService(than: stores.buckets)
    let sourceOptions = options.origin.sourceOptions(stores, from: sourceLocation, to: targetLocation)
    (self.source, sourceStore) = try Self.syncLocation(
      sourceLocation, in: sourceOptions, transfers: transfers, configuration, copiesInside: isSameService)
    (self.target, _) = try Self.syncLocation(
      targetLocation, in: stores, transfers: transfers, configuration, copiesInside: false)
    guard !sourceLocation.isFile || !targetLocation.isFile else {
      throw ValidationError("One of the two must be oss://bucket/prefix (or cos://, s3://) or aspera://node/prefix.")
    }
    self.sourceLocation = sourceLocation
    self.options = options
    self.syncOptions = syncOptions
    self.syncOptions.includes = options.include.map { PathPattern($0) }
    self.syncOptions.excludes = options.exclude.map { PathPattern($0) }
    self.syncOptions.transfersInFlight = jobs
  }

  /// Returns a location for `FolderSync`, and its client; with `copiesInside`, the service itself copies its objects.
  private static func syncLocation(
    _ location: Location, in stores: StoreOptions, transfers: AsperaTransferOptions,
    _ configuration: StorageClientConfiguration, copiesInside: Bool
  ) throws -> (SyncLocation, (any ObjectStore)?) {
    switch location {
    case .file(let path): return (.folder(FilePath(path)), nil)
    case .object(let name, let bucket, _):
      let store = try name.cloud.store(bucket, stores.buckets, configuration: configuration)
      return (.objects(in: store, below: location.folderPrefix, bucket: copiesInside ? bucket : nil), store)
    case .node:
      guard let (store, _) = try stores.store(of: location, transfers: transfers) else { break }
      return (.objects(in: store, below: location.folderPrefix), store)
    case .standardStream: throw ValidationError("- is for single objects; name a folder.")
    case .account: break
    }
    throw ValidationError("An account of Aspera cannot list files; use a node, as aspera://node/prefix.")
  }

  /// Throws an error if the source has no objects, or is a single object or file.
  func requireFolder() async throws {
    switch sourceLocation {
    case .file(let path):
      // The dot at the end makes a symbolic link to a folder count as a folder.
      guard !LocalFiles.isDirectory("\(path)/."), FileManager.default.fileExists(atPath: path) else { return }
      throw ValidationError("\(path.onOneLine) is a file, not a folder; leave out --recursive.")
    case .object, .node:
      guard let store = sourceStore else { return }
      let prefix = sourceLocation.folderPrefix
      guard try await store.list(prefix: prefix, delimiter: nil).first(where: { _ in true }) == nil else { return }
      let object = try? await store.head(sourceLocation.key)
      throw StorageError(
        .emptySource, "There are no objects below \(prefix.isEmpty ? "the bucket" : prefix).",
        remedy: object == nil
          ? "Check the location with ls." : "\(sourceLocation.key) is an object; leave out --recursive.")
    case .account, .standardStream: return
    }
  }

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
    var actionHandler: (@Sendable (SyncAction) -> Void)?
    if output.showsActions { actionHandler = { output.show($0) } }
    let report = try await FolderSync(from: source, to: target, options: syncOptions).run(
      progress: bar?.pipelineHandler, didFinish: actionHandler)
    bar?.finish()
    output.show(skipped: report.skipped, kept: report.kept)
    output.show(failures: (report.transfers.failures + report.failedDeletions).map { ($0.name, $0.error) })
    if let error = report.transfers.sourceError { output.show(failures: [("the listing", error)]) }
    let duration = ContinuousClock.now - start
    Terminal.printSummary(report.text(after: duration), ["summary": report.json(after: duration)])
    if !report.isComplete { throw ExitCode.failure }
  }
}
