// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import StorageAuth
internal import StorageClient

struct SyncCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Transfers what differs between a folder, a bucket or a node, and another.",
    usage: "storage-auth sync <source> <destination> [<options>]",
    discussion: """
      Examples:
        storage-auth sync photos oss://backup/photos/ --region cn-hangzhou
        storage-auth sync oss://backup/photos/ photos --delete --dry-run
        storage-auth sync oss://a s3://b --from-region cn-beijing --region us-east-1

      Files and objects are equal if their sizes are equal and that of the source was not changed after the other. \
      After an interruption or a failure, the same command transfers what is missing. Symbolic links are not followed.
      """)

  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.")
  var source: String

  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.")
  var destination: String

  @Flag(help: "Delete files and objects of the destination that the source does not have.")
  var delete = false

  @Flag(help: "With --delete, delete although a transfer failed.")
  var deleteAfterFailures = false

  @Flag(help: "With --delete, delete everything if the source is empty.")
  var allowEmptySource = false

  @Flag(help: "Compare checksums instead of times, for which files are read.")
  var checksum = false

  @OptionGroup var selection: TreeOptions

  @OptionGroup(title: "Service") var options: StoreOptions

  @OptionGroup(title: "Aspera") var aspera: AsperaOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard delete || !deleteAfterFailures && !allowEmptySource else {
      throw ValidationError("--delete-after-failures and --allow-empty-source are for --delete.")
    }
    _ = try transfer()
  }

  func run() async throws { try await transfer().run() }

  private func transfer() throws -> TreeTransfer {
    var syncOptions = SyncOptions(comparison: checksum ? .checksum : .sizeAndTime, deletes: delete)
    syncOptions.deletesAfterFailures = deleteAfterFailures
    syncOptions.allowsEmptySource = allowEmptySource
    return try TreeTransfer(
      from: source, to: destination, tree: selection, stores: options, aspera: aspera, sync: syncOptions)
  }
}

/// The command-line options for transfers of whole folders.
struct TreeOptions: ParsableArguments {
  @Flag(
    name: .customLong("dry-run"), help: "Print what would be transferred and deleted, and keep all as it is.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Only paths that match, such as '*.jpg' or 'a/**'; repeatable.", valueName: "pattern"))
  var include: [String] = []

  @Option(
    help: ArgumentHelp(
      "Not the paths that match, which are not deleted either; repeatable.", valueName: "pattern")
  )
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp("Concurrent transfers of whole folders (16; Aspera: 1).", valueName: "number"))
  var jobs: Int?

  @OptionGroup var origin: OriginOptions

  @Option(
    help: ArgumentHelp(
      "Where the state of unfinished transfers is (XDG_STATE_HOME).", valueName: "directory"))
  var checkpoints: String?

  /// Whether an option was given that has a meaning only for whole folders.
  var isForTreesOnly: Bool { dryRun || !include.isEmpty || !exclude.isEmpty || jobs != nil }

  func validate() throws {
    guard jobs.map({ (1...64).contains($0) }) ?? true else { throw ValidationError("--jobs must be from 1 to 64.") }
    guard (include + exclude).allSatisfy({ !$0.isEmpty }) else { throw ValidationError("A pattern is empty.") }
  }
}
