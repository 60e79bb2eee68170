// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuth
internal import StorageClient

struct CopyCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cp",
    abstract: "Copies files to objects, objects to files, or objects to objects.",
    usage: "storage-auth cp <source> ... <destination> [<options>]",
    discussion: """
      Examples: storage-auth cp cat.jpg oss://photos/2026/cat.jpg --region cn-hangzhou
                storage-auth cp *.jpg oss://photos/2026/ --region cn-hangzhou --parallel 32
                storage-auth cp aspera://node.example.com:9092/2026/cat.jpg cat.jpg
                storage-auth cp -r photos oss://backup/photos/ --region cn-hangzhou --exclude '*.tmp'
                storage-auth cp --resume video.mp4 oss://photos/2026/ --region cn-hangzhou
                ASPERA_SCP_PASS=… storage-auth cp cat.jpg aspera://mia@aspera.example.com/2026/cat.jpg

      Several sources require a directory, or a key that ends in a slash, as destination. A failure does not stop the \
      other transfers; the failures are listed at the end, and the exit status is 1.

      With --resume, a transfer that was interrupted is continued when the same command is given again. A file or an \
      object that has changed since then is transferred anew.
      """)

  @Argument(
    help: ArgumentHelp(
      "Files, oss://bucket/key (or cos://, s3://), aspera://node/key or aspera://user@host/path; the last one is the "
        + "destination. In a directory, or below a key that ends in a slash, copies keep the names of the sources.",
      valueName: "location"))
  var locations: [String]

  @Option(
    help: ArgumentHelp(
      "The number of sources that are copied at a time; 16 by default, or 1 with Aspera.", valueName: "number"))
  var parallel: Int?

  @Flag(help: "Stop at the first failure instead of copying the other sources.")
  var failFast = false

  @Flag(
    name: .shortAndLong,
    help: """
      Copy a folder with its subfolders, or all objects below a prefix; with the options of sync. Existing files and \
      objects are replaced.
      """)
  var recursive = false

  @OptionGroup(title: "Recursive copies") var tree: TreeOptions

  @Flag(
    help: """
      Continue transfers that an earlier run with --resume left unfinished, and leave unfinished ones for the next run.
      """)
  var resume = false

  @OptionGroup var options: StoreOptions

  @OptionGroup(title: "Transfers of Aspera") var aspera: AsperaOptions

  @Option(help: ArgumentHelp("The media type; derived from the name by default.", valueName: "type"))
  var contentType: String?

  @Option(help: ArgumentHelp("Metadata to store with the object, as name=value; repeatable.", valueName: "name=value"))
  var metadata: [MetadataArgument] = []

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard locations.count > 1, let destination = try locations.last.map({ try Location($0) }) else {
      throw ValidationError("Name a source and a destination.")
    }
    if let parallel, !Self.permittedParallels.contains(parallel) {
      throw ValidationError("--parallel must be from 1 to \(Self.permittedParallels.upperBound).")
    }
    guard resume || recursive || tree.checkpoints == nil else {
      throw ValidationError("--checkpoints is for --resume and --recursive.")
    }
    if recursive {
      _ = try folderTransfer()
      return
    }
    guard !tree.isForTreesOnly else {
      throw ValidationError(
        "Of the options for recursive copies, only --checkpoints has a meaning without --recursive.")
    }
    let plan = plan
    var names: Set<[UInt8]> = []
    for argument in locations.dropLast() {
      let source = try Location(argument)
      try plan.requireSupport(from: source, to: destination)
      guard locations.count > 2 else { return }
      guard destination.isFolder else {
        throw ValidationError("Several sources need a directory, or a key that ends in a slash, as destination.")
      }
      guard !source.lastName.isEmpty, names.insert(Array(source.lastName.utf8)).inserted else {
        throw ValidationError("Several sources need names that differ; copy \(source.lastName) by itself.")
      }
    }
  }

  func run() async throws {
    if recursive { return try await folderTransfer().run() }
    guard let destination = try locations.last.map({ try Location($0) }) else { return }
    let sources = try locations.dropLast().map { try Location($0) }
    var plan = plan
    if resume { plan.checkpoints = try CheckpointDirectory(tree.checkpoints) }
    var transfers: [ObjectTransfer] = []
    for source in sources {
      let transfer = try await plan.transfer(source, to: destination)
      transfers.append(output.json ? transfer.reported : transfer)
    }
    guard transfers.count > 1 else {
      for transfer in transfers {
        let bar = ProgressBar(transfer.name)
        defer { bar?.finish() }
        try await transfer.run(progress: bar?.handler)
      }
      return
    }
    let isAspera = (sources + [destination]).contains(where: \.isAspera)
    let pipeline = TransferPipeline(
      transfersInFlight: parallel ?? (isAspera ? TreeTransfer.asperaTransfers : TreeTransfer.bucketTransfers),
      stopsAtFailure: failFast)
    let bar = ProgressBar("\(transfers.count) objects")
    let report = try await pipeline.run(transfers, progress: bar?.pipelineHandler)
    bar?.finish()
    let notCopied = transfers.count - report.completedObjects - report.failedObjects
    for failure in report.failures { SyncOutput().show(failure.error, of: failure.name) }
    if output.json {
      Terminal.json([
        "summary": [
          "copied": .number(JSONNumber(report.completedObjects)), "failed": .number(JSONNumber(report.failedObjects)),
          "notCopied": .number(JSONNumber(notCopied)),
        ]
      ])
    }
    guard !report.isComplete else { return }
    if !output.json {
      Terminal.notes("\(report.completedObjects) copied, \(report.failedObjects) failed, \(notCopied) not copied")
    }
    throw ExitCode.failure
  }

  private func folderTransfer() throws -> TreeTransfer {
    guard locations.count == 2 else { throw ValidationError("--recursive needs one source and one destination.") }
    guard contentType == nil, metadata.isEmpty, parallel == nil, !failFast, !resume else {
      throw ValidationError(
        "--content-type, --metadata, --parallel, --fail-fast and --resume are not for --recursive; use --jobs, and "
          + "give the same command again after an interruption.")
    }
    return try TreeTransfer(
      from: locations[0], to: locations[1], tree: tree, stores: options, aspera: aspera,
      sync: SyncOptions(comparison: .none))
  }

  private var plan: CopyPlan {
    CopyPlan(
      options: options, aspera: aspera,
      upload: UploadOptions(
        contentType: contentType, metadata: Dictionary(metadata.map { ($0.name, $0.value) }) { _, last in last }),
      parallel: parallel ?? 1, resumes: resume)
  }

  /// The permitted values of `--parallel`, whose maximum is the transport's number of connections per host.
  private static let permittedParallels = 1...64
}

extension ObjectTransfer {
  /// The transfer, which prints a line of JSON when it is complete.
  fileprivate var reported: ObjectTransfer {
    ObjectTransfer(name, byteCount: byteCount) { progress in
      try await run(progress: progress)
      let bytes = byteCount.map { JSONValue.number(JSONNumber($0)) } ?? .null
      Terminal.json(["action": "copy", "path": .string(name), "bytes": bytes])
    }
  }
}

/// An argument `name=value` that specifies a metadata entry to store with an object.
struct MetadataArgument: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    (name, value) = (parts[0], parts[1])
  }
}
