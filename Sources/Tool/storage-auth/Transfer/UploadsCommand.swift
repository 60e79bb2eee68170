// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct UploadsCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "uploads", abstract: "Lists or aborts uploads in parts that were not completed.",
    usage: "storage-auth uploads <location> [<options>]",
    discussion: """
      Examples:
        storage-auth uploads oss://photos/2026/ --region cn-hangzhou
        storage-auth uploads oss://photos --older-than 168 --abort

      Providers charge for the parts of unfinished uploads. An upload that `cp --resume` can continue is listed too. \
      The location is an object, or a folder: oss://photos/2026 are the uploads of the object 2026 and below 2026/.
      """)

  @Argument(help: "oss://bucket/folder or oss://bucket/key (or cos://, s3://).") var location: String
  @Flag(help: "Abort the listed uploads, which removes their parts.") var abort = false

  @Option(help: .text("Only uploads that were started at least this many hours ago.", value: "hours"))
  var olderThan: Int?

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Service") var options: BucketOptions

  func validate() throws {
    _ = try storeAndTarget()
    // The maximum is more than a century, for which the calculation cannot overflow.
    try (0...1_000_000).require(olderThan, of: "--older-than", " hours")
  }

  func run() async throws {
    let (store, target) = try storeAndTarget()
    let latestStart = olderThan.map { SystemTime().now.advanced(by: .zero - .seconds($0 * 3600)) }
    var uploads: [UnfinishedUpload] = []
    for try await upload in store.unfinishedUploads(prefix: target.key) {
      // The prefix of the request is only the start of a key, such as that of another object.
      guard upload.key.hasBytePrefix(target.folderPrefix) || upload.key.isIdentical(to: target.key) else { continue }
      // An upload of unknown age is not old enough.
      if let latestStart, upload.started.map({ $0 > latestStart }) ?? true { continue }
      uploads.append(upload)
    }
    for upload in uploads {
      if abort { try await store.abort(upload) }
      show(upload)
    }
    if abort { Terminal.printNote("\(uploads.count) aborted") }
  }

  private func show(_ upload: UnfinishedUpload) {
    let started = upload.started?.iso8601
    Terminal.printResult(
      "\((started ?? "").padded(to: ListCommand.dateWidth)) \(upload.uploadID) \(upload.key)",
      [
        "key": .string(upload.key), "uploadId": .string(upload.uploadID), "started": .text(started),
        "isAborted": .bool(abort),
      ])
  }

  private func storeAndTarget() throws -> (store: any BucketStore, target: Location) {
    let target = try Location(location)
    guard case .object(let name, let bucket, _) = target else {
      throw ValidationError("Name a bucket, as oss://bucket/folder; Aspera has no uploads in parts.")
    }
    return (try name.cloud.store(bucket, options), target)
  }
}
