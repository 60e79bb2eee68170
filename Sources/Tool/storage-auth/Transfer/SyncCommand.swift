// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

/// The command `storage-auth sync`, which gives a folder or the keys below a prefix the content of another.
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
