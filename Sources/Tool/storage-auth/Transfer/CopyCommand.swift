// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
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
    if let parallel, !Self.parallels.contains(parallel) {
      throw ValidationError("--parallel must be from 1 to \(Self.parallels.upperBound).")
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
    for place in locations.dropLast() {
      let source = try Location(place)
      try plan.check(source, destination)
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
    let pipeline = TransferPipeline(transfersInFlight: parallel ?? (isAspera ? 1 : 16), stopsAtFailure: failFast)
    let bar = ProgressBar("\(transfers.count) objects")
    let report = try await pipeline.run(transfers, progress: bar?.pipelineHandler)
    bar?.finish()
    let rest = transfers.count - report.completedObjects - report.failedObjects
    for failure in report.failures { SyncOutput().show(failure.error, of: failure.name) }
    if output.json {
      Terminal.json([
        "summary": [
          "copied": .number(JSONNumber(report.completedObjects)), "failed": .number(JSONNumber(report.failedObjects)),
          "notCopied": .number(JSONNumber(rest)),
        ]
      ])
    }
    guard !report.isComplete else { return }
    if !output.json {
      Terminal.notes("\(report.completedObjects) copied, \(report.failedObjects) failed, \(rest) not copied")
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
    return try TreeTransfer(locations[0], locations[1], tree, options, aspera, SyncOptions(comparison: .none))
  }

  private var plan: CopyPlan {
    CopyPlan(
      options: options, aspera: aspera,
      upload: UploadOptions(
        contentType: contentType, metadata: Dictionary(metadata.map { ($0.name, $0.value) }) { _, last in last }),
      parallel: parallel ?? 1, resumes: resume)
  }

  /// The permitted values of `--parallel`, whose maximum is the transport's number of connections per host.
  private static let parallels = 1...64
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

/// The transfers of the command `cp`, and the clients, which locations in the same bucket or on the same server share.
struct CopyPlan {
  /// A client for a bucket, an Aspera node, or an account on an Aspera server.
  fileprivate enum Client {
    case bucket(any BucketStore)
    case node(any ObjectStore)
    case account(AccountTransfers)
  }

  let options: StoreOptions
  let aspera: AsperaOptions
  let upload: UploadOptions
  let parallel: Int
  let resumes: Bool
  /// The directory for the state of unfinished transfers, or `nil` if transfers cannot be continued.
  var checkpoints: CheckpointDirectory?
  fileprivate var clients: [Location: Client] = [:]

  /// The configuration of the clients, which permits as many requests as there are copies at a time.
  private var configuration: StorageClientConfiguration {
    var configuration = Settings.client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, parallel)
    return configuration
  }

  /// Checks without network access that a source can be copied to a destination.
  func check(_ source: Location, _ destination: Location) throws {
    if aspera.transferServer != nil, [source, destination].contains(where: \.isAccount) {
      throw ValidationError("--transfer-server is for aspera://host/path; aspera://user@host/path names the server.")
    }
    if aspera.tags != nil, ![source, destination].contains(where: \.isAccount) {
      throw ValidationError("--tags is for aspera://user@host/path; a node determines the tags itself.")
    }
    if resumes, source.isAspera || destination.isAspera {
      throw ValidationError("--resume is for buckets; ascp continues partial files itself.")
    }
    switch (source, destination) {
    case (.object, .object) where resumes:
      throw ValidationError("--resume is for files; a service copies an object by itself.")
    case (.file, .file):
      throw ValidationError("One of the two must be oss://bucket/key (or cos://, s3://) or aspera://….")
    case (.file, .account) where upload.contentType != nil || !upload.metadata.isEmpty:
      throw ValidationError("Aspera stores neither a media type nor metadata with a file.")
    case (.file, .account), (.account, .file): return
    case (.object(let from, let bucket, _), .object(let to, _, _)) where from == to:
      _ = try from.cloud.store(bucket, options.buckets)
    case (.file, let location), (let location, .file): _ = try options.store(of: location)
    default:
      throw ValidationError("Copy to a file first: services do not copy from each other, nor Aspera within a server.")
    }
  }

  /// Returns the transfer that copies a source to a destination.
  mutating func transfer(_ source: Location, to destination: Location) async throws -> ObjectTransfer {
    let (giver, taker) = (try await client(of: source), try await client(of: destination))
    if case .object(_, let bucket, let key) = source, case .bucket(let store) = taker {
      let target = destination.key(naming: key)
      return ObjectTransfer(target) { _ in
        _ = try await store.copy(CopySource(bucket: bucket, key: key), to: target, options: CopyOptions())
      }
    }
    if case .file(let file) = source, let taker { return send(file, to: destination, taker) }
    if case .file(let file) = destination, let giver { return fetch(source, to: file, giver) }
    throw ValidationError("Name an object, as oss://bucket/key.")
  }

  private func send(_ file: FilePath, to destination: Location, _ client: Client) -> ObjectTransfer {
    let target = destination.key(naming: file.string)
    let byteCount = LocalFiles.byteCount(file.string)
    return switch client {
    case .bucket(let store):
      if let location: CheckpointFile<UploadCheckpoint> = checkpoints?.location(
        "upload", file, store.identity(of: target))
      {
        ObjectTransfer(target, byteCount: byteCount) { [upload] progress in
          try await store.upload(file, to: target, checkpoint: location, options: upload, progress: progress)
        }
      } else {
        .upload(.file(file), to: target, in: store, byteCount: byteCount, options: upload)
      }
    case .node(let store): .upload(.file(file), to: target, in: store, byteCount: byteCount, options: upload)
    case .account(let transfers):
      ObjectTransfer(target, byteCount: byteCount) { try await transfers.upload(file, to: target, progress: $0) }
    }
  }

  /// Returns the transfer that downloads an object to a file, or into a directory under the last component of its key.
  private func fetch(_ source: Location, to file: FilePath, _ client: Client) -> ObjectTransfer {
    let key = source.key
    let target = Location.file(file).isFolder ? file.appending(source.lastName) : file
    return switch client {
    case .bucket(let store):
      if let location: CheckpointFile<DownloadCheckpoint> = checkpoints?.location(
        "download", target, store.identity(of: key))
      {
        ObjectTransfer(target.string) {
          try await store.download(key, to: target, checkpoint: location, progress: $0)
        }
      } else {
        ObjectTransfer(target.string) { try await store.download(key, to: target, progress: $0) }
      }
    case .node(let store): ObjectTransfer(target.string) { try await store.download(key, to: target, progress: $0) }
    case .account(let transfers):
      ObjectTransfer(target.string) { try await transfers.download(key, to: target, progress: $0) }
    }
  }

  /// Returns the client for a location, or `nil` for a file on this machine.
  private mutating func client(of location: Location) async throws -> Client? {
    let container = location.container
    if let known = clients[container] { return known }
    let client: Client
    switch location {
    case .file: return nil
    case .object(let name, let bucket, _):
      client = .bucket(try name.cloud.store(bucket, options.buckets, configuration))
    case .account(let server, _): client = .account(try await aspera.transfers(server, atATime: parallel))
    case .node:
      guard let (store, _) = try options.store(of: location, transfers: try aspera.transfers(atATime: parallel)) else {
        return nil
      }
      client = .node(store)
    }
    clients[container] = client
    return client
  }
}

/// The directory in which `cp --resume` keeps the checkpoints of unfinished transfers, one file per transfer.
struct CheckpointDirectory {
  let path: FilePath

  /// Creates the directory unless it exists.
  init(_ path: String?) throws {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasBytePrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { "\($0)/.local/state" }
    guard let path = path ?? state.map({ "\($0)/storage-auth/checkpoints" }) else {
      throw ValidationError("There is no home directory; name a directory with --checkpoints.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ValidationError("The directory \(path) for checkpoints cannot be created; name another with --checkpoints.")
    }
    self.path = FilePath(path)
  }

  /// Returns the place for the checkpoint of a transfer, or `nil` if the identity of the object is unknown.
  func location<Checkpoint>(
    _ direction: String, _ file: FilePath, _ object: ObjectIdentity?
  ) -> CheckpointFile<Checkpoint>? {
    let file = URL(filePath: file.string).standardizedFileURL.path
    return object.map { CheckpointFile(path.appending("\($0.fileName(with: file)).\(direction)")) }
  }
}
