// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct CopyCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cp", abstract: "Copies files to objects, objects to files, or objects to objects.",
    usage: "storage-auth cp <source> ... <destination> [<options>]",
    discussion: """
      Examples:
        storage-auth cp cat.jpg oss://photos/2026/cat.jpg --region cn-hangzhou
        storage-auth cp *.jpg oss://photos/2026/ --region cn-hangzhou --parallel 32
        storage-auth cp oss://photos/2026/cat.jpg downloads/ --region cn-hangzhou
        storage-auth cp -r photos oss://backup/photos/ --exclude '*.tmp'
        tar c photos | storage-auth cp - oss://backup/photos.tar
        storage-auth cp --resume video.mp4 oss://photos/2026/ --region cn-hangzhou
        storage-auth cp cat.jpg aspera://mia@aspera.example.com/2026/cat.jpg

      Several sources need a directory, or a key that ends in a slash, as destination. A failure does not stop the \
      other transfers. With --resume, the same command continues what was interrupted.
      """)

  @Argument(
    help: .text(
      "Files, - for standard input or output, oss://bucket/key (or cos://, s3://), aspera://node/key or "
        + "aspera://user@host/path; the last one is the destination.", value: "location"))
  var locations: [String]

  @Flag(name: .shortAndLong, help: "Copy a folder, or all objects below a prefix; replaces what exists.")
  var recursive = false

  @OptionGroup(title: "Whole folders") var folder: FolderOptions

  @Option(help: .text("Sources that are copied at a time (16; Aspera: 1), without -r.", value: "number"))
  var parallel: Int?

  @Flag(help: "Stop at the first failure instead of copying the other sources.") var failFast = false
  @Flag(help: "Continue what an earlier run with --resume left, and let the next one continue.") var resume = false
  @Option(help: .text("The media type; derived from the name by default.", value: "type")) var contentType: String?

  @Option(help: .text("Metadata to store with the object; repeatable.", value: "name=value"))
  var metadata: [MetadataArgument] = []

  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Aspera") var aspera: AsperaOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    // The maximum is the transport's number of connections per host.
    try (1...64).require(parallel, of: "--parallel")
    guard resume || recursive || folder.checkpoints == nil else {
      throw ValidationError("--checkpoints is for --resume and --recursive.")
    }
    if recursive {
      _ = try folderTransfer()
      return
    }
    guard !folder.isForFoldersOnly else {
      throw ValidationError("--include, --exclude, --jobs and --dry-run are for --recursive.")
    }
    try plan.validate(locations)
  }

  func run() async throws {
    if recursive {
      let transfer = try folderTransfer()
      try await transfer.requireFolder()
      return try await transfer.run()
    }
    var plan = plan
    if resume { plan.checkpoints = try CheckpointDirectory(folder.checkpoints) }
    var run = CopyRun(plan: plan, parallel: parallel, stopsAtFailure: failFast)
    try await run.copy(locations)
  }

  private func folderTransfer() throws -> FolderTransfer {
    guard locations.count == 2 else { throw ValidationError("--recursive needs one source and one destination.") }
    guard contentType == nil, metadata.isEmpty, parallel == nil, !failFast, !resume else {
      throw ValidationError(
        "--content-type, --metadata, --parallel, --fail-fast and --resume are not for --recursive; use --jobs, and "
          + "give the same command again after an interruption.")
    }
    return try FolderTransfer(
      from: locations[0], to: locations[1], folder: folder, stores: options, aspera: aspera,
      sync: SyncOptions(comparison: .none))
  }

  private var plan: CopyPlan {
    var plan = CopyPlan(options: options, aspera: aspera, origin: folder.origin)
    plan.uploadOptions = UploadOptions(
      contentType: contentType, metadata: Dictionary(metadata.map { ($0.name, $0.value) }) { _, last in last })
    plan.parallel = parallel ?? 1
    plan.resumes = resume
    return plan
  }
}

/// A metadata entry to store with an object, as `name=value`.
struct MetadataArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    (name, value) = (parts[0], parts[1])
  }
}

struct MoveCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv", abstract: "Moves files and objects: copies each, and then deletes the source.",
    usage: "storage-auth mv <source> ... <destination> [<options>]",
    discussion: """
      Examples:
        storage-auth mv oss://photos/cat.jpg oss://photos/2026/ --region cn-hangzhou
        storage-auth mv oss://photos/cat.jpg cat.jpg --region cn-hangzhou

      A source whose copy failed remains. For a folder, use cp -r and then rm -r.
      """)

  @Argument(help: .text("Files and objects, as for cp; the last one is the destination.", value: "location"))
  var locations: [String]

  @OptionGroup var origin: OriginOptions
  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Aspera") var aspera: AsperaOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try plan.validate(locations) }

  func run() async throws {
    var run = CopyRun(plan: plan)
    try await run.copy(locations)
  }

  private var plan: CopyPlan {
    var plan = CopyPlan(options: options, aspera: aspera, origin: origin)
    plan.moves = true
    return plan
  }
}

struct CatCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Writes objects to standard output, one after the other.",
    usage: "storage-auth cat <location> ... [<options>]",
    discussion: """
      Examples:
        storage-auth cat oss://photos/notes.txt --region cn-hangzhou
        storage-auth cat s3://logs/a.gz --region eu-central-1 | gunzip
      """)

  @Argument(help: .text("oss://bucket/key (or cos://, s3://).", value: "location")) var locations: [String]
  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { for location in locations { try CopyPlan(options: options).validate([location, "-"]) } }

  func run() async throws {
    var run = CopyRun(plan: CopyPlan(options: options))
    for location in locations { try await run.copy([location, "-"]) }
  }
}

/// A run of the transfers of `cp`, `mv` or `cat`, with its output.
struct CopyRun {
  var plan: CopyPlan
  var parallel: Int?
  var stopsAtFailure = false

  mutating func copy(_ arguments: [String]) async throws {
    let locations = try arguments.map { try Location($0) }
    guard let destination = locations.last else { return }
    var transfers: [ObjectTransfer] = []
    for source in locations.dropLast() {
      let transfer = try await plan.transfer(source, to: destination)
      let isReported = Terminal.mode.isJSON && destination != .standardStream
      transfers.append(isReported ? transfer.reported(as: plan.moves ? "move" : "copy") : transfer)
    }
    if transfers.count == 1, let transfer = transfers.first {
      // The bytes of an object on the terminal would overwrite the bar.
      let bar = destination == .standardStream ? nil : ProgressBar(transfer.name)
      defer { bar?.finish() }
      return try await transfer.run(progress: bar?.handler)
    }
    let defaultCount = FolderTransfer.defaultConcurrency(isAspera: locations.contains(where: \.isAspera))
    try await run(transfers, atATime: parallel ?? defaultCount)
  }

  private func run(_ transfers: [ObjectTransfer], atATime count: Int) async throws {
    let pipeline = TransferPipeline(transfersInFlight: count, stopsAtFailure: stopsAtFailure)
    let bar = ProgressBar("\(transfers.count) objects")
    let report = try await pipeline.run(transfers, progress: bar?.pipelineHandler)
    bar?.finish()
    SyncOutput().show(failures: report.failures.map { ($0.name, $0.error) })
    let (copied, failed) = (report.completedObjects, report.failedObjects)
    let notCopied = transfers.count - copied - failed
    if Terminal.mode.isJSON {
      Terminal.printJSON([
        "summary": ["copied": .integer(copied), "failed": .integer(failed), "notCopied": .integer(notCopied)]
      ])
    } else if !report.isComplete {
      Terminal.printErrorLines("\(copied) copied, \(failed) failed, \(notCopied) not copied")
    }
    guard report.isComplete else { throw ExitCode.failure }
  }
}

extension ObjectTransfer {
  /// Returns the transfer, which then prints a line of JSON when it is complete.
  fileprivate func reported(as action: String) -> ObjectTransfer {
    ObjectTransfer(name, byteCount: byteCount) { progress in
      try await run(progress: progress)
      Terminal.printJSON(["action": .string(action), "path": .string(name), "bytes": .integer(byteCount)])
    }
  }
}
