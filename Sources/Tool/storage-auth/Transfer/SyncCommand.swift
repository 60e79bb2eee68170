// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct SyncCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Transfers what differs between a folder, a bucket or a node, and another.",
    usage: "storage-auth sync <source> <destination> [<options>]",
    discussion: """
      Examples:
        storage-auth sync photos oss://backup/photos/ --region cn-hangzhou
        storage-auth sync oss://backup/photos/ photos --delete --dry-run
        storage-auth sync oss://a s3://b --from-region cn-beijing --region us-east-1

      Files and objects are equal if their sizes are equal and the source was not changed after the destination. \
      After an interruption or a failure, the same command transfers what is missing. Symbolic links are not followed.
      """)

  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.") var source: String
  @Argument(help: "A folder, oss://bucket/prefix (or cos://, s3://), or aspera://node/prefix.") var destination: String
  @Flag(help: "Delete files and objects of the destination that the source does not have.") var delete = false
  @Flag(help: "With --delete, delete although a transfer failed.") var deleteAfterFailures = false
  @Flag(help: "With --delete, delete everything if the source is empty.") var allowEmptySource = false
  @Flag(help: "Compare checksums instead of times, for which files are read.") var checksum = false
  @OptionGroup var folder: FolderOptions
  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Aspera") var aspera: AsperaOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard delete || !(deleteAfterFailures || allowEmptySource) else {
      throw ValidationError("--delete-after-failures and --allow-empty-source are for --delete.")
    }
    _ = try transfer()
  }

  func run() async throws { try await transfer().run() }

  private func transfer() throws -> FolderTransfer {
    var syncOptions = SyncOptions(comparison: checksum ? .checksum : .sizeAndTime, deletes: delete)
    syncOptions.deletesAfterFailures = deleteAfterFailures
    syncOptions.allowsEmptySource = allowEmptySource
    return try FolderTransfer(
      from: source, to: destination, folder: folder, stores: options, aspera: aspera, sync: syncOptions)
  }
}
