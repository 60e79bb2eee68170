// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import StorageAuth
internal import StorageClient

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
    name: .customLong("dry-run"), help: "Print what would be transferred and deleted, and change no file or object.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Only paths that match this pattern; repeatable. * and ? stand for characters other than a slash, ** for any; a "
        + "pattern without a slash is for names.", valueName: "pattern"))
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
        + "~/.local/state, by default.", valueName: "directory"))
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
