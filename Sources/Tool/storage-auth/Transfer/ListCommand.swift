// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct ListCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "Lists buckets, the objects of a bucket or a node, or those of a folder.",
    usage: "storage-auth ls <location> [<options>]",
    discussion: """
      Examples:
        storage-auth ls oss:// --region cn-hangzhou     # the buckets of the account
        storage-auth ls oss://photos/2026/ --region cn-hangzhou
        storage-auth ls -r cos://photos-1250000000 --region ap-guangzhou
        storage-auth ls s3://photos --endpoint http://127.0.0.1:9000 --json

      oss://photos/2026 stands for the object 2026 and the folder 2026/, and with --prefix for all keys that start \
      with 2026. Control characters of keys are printed as \\n or \\u{1B}; programs should read --json.
      """)

  @Argument(help: "oss://, oss://bucket/folder (or cos://, s3://) or aspera://node/folder.") var location: String
  @Flag(name: .shortAndLong, help: "List all keys of the folder, not only up to the next slash.") var recursive = false

  @Flag(help: "Read the location as the start of keys, which can end within a name, not as a folder.")
  var prefix = false

  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Aspera") var aspera: AsperaOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  static let dateWidth = 20
  private static let sizeWidth = 14

  func validate() throws {
    if !location.hasBytePrefix("aspera://") { try options.refuseAsperaOptions(aspera) }
    if cloudOfBuckets == nil {
      _ = try storeAndTarget()
    } else if recursive || prefix {
      throw ValidationError("--recursive and --prefix are for the objects of a bucket or a node.")
    }
  }

  func run() async throws {
    if let cloudOfBuckets { return show(try await cloudOfBuckets.cloud.buckets(options.buckets)) }
    let (store, target) = try storeAndTarget()
    if !prefix, let object = try await store.object(named: target) { show(.object(object)) }
    let keyPrefix = prefix ? target.key : target.folderPrefix
    for try await entry in store.list(prefix: keyPrefix, delimiter: recursive ? nil : "/") { show(entry) }
  }

  /// The cloud whose buckets are listed, if the location has no bucket.
  private var cloudOfBuckets: CloudName? {
    location.removingByteSuffix("://").flatMap { CloudName(argument: String($0)) }
  }

  private func show(_ buckets: [ListedBucket]) {
    for bucket in buckets {
      let (created, region) = (bucket.created?.iso8601, bucket.region ?? "")
      Terminal.printResult(
        "\((created ?? "").padded(to: Self.dateWidth)) \(region.padded(to: Self.sizeWidth)) \(bucket.name)",
        ["bucket": .string(bucket.name), "created": .text(created), "region": .text(bucket.region)])
    }
  }

  private func show(_ entry: ListEntry) {
    switch entry {
    case .object(let object):
      let (date, size) = (object.lastModified?.iso8601, String(object.size))
      let leadingBlanks = "".padded(to: Self.sizeWidth - size.count)
      Terminal.printResult(
        "\((date ?? "").padded(to: Self.dateWidth)) \(leadingBlanks)\(size) \(object.key)",
        ["key": .string(object.key), "size": .integer(object.size), "lastModified": .text(date)])
    case .commonPrefix(let prefix):
      Terminal.printResult(
        "".padded(to: Self.dateWidth + Self.sizeWidth + 2) + prefix, ["prefix": .string(prefix)])
    }
  }

  private func storeAndTarget() throws -> (store: any ObjectStore, target: Location) {
    let target = try Location(location)
    return (try options.listedStore(of: target, transfers: aspera.transferOptions(atATime: 1)), target)
  }
}

struct DiskUsageCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "du", abstract: "Counts the objects of a bucket, a node or a folder, and their bytes.",
    usage: "storage-auth du <location> [<options>]",
    discussion: """
      Examples:
        storage-auth du oss://photos --region cn-hangzhou
        storage-auth du oss://photos/2026/ --region cn-hangzhou

      oss://photos/2026 stands for the object 2026 and the folder 2026/, as for ls.
      """)

  @Argument(help: "oss://bucket/folder (or cos://, s3://) or aspera://node/folder.") var location: String
  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try options.listedStore(of: Location(location)) }

  func run() async throws {
    let target = try Location(location)
    let store = try options.listedStore(of: target)
    let object = try await store.object(named: target)
    var objectCount = object == nil ? 0 : 1
    var byteCount = object?.size ?? 0
    for try await entry in store.list(prefix: target.folderPrefix) {
      guard case .object(let object) = entry else { continue }
      objectCount += 1
      byteCount = byteCount.saturatingAdding(object.size)
    }
    Terminal.printResult(
      "\(objectCount) \(objectCount == 1 ? "object" : "objects"), \(byteCount) bytes (\(ByteText(byteCount)))",
      ["objects": .integer(objectCount), "bytes": .integer(byteCount)])
  }
}
