// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct StatCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Shows the size, the type, the time and the metadata of an object.",
    usage: "storage-auth stat <location> [<options>]",
    discussion: """
      Examples:
        storage-auth stat oss://photos/2026/cat.jpg --region cn-hangzhou
        storage-auth stat s3://photos/cat.jpg --region eu-central-1 --json
      """)

  @Argument(help: "oss://bucket/key (or cos://, s3://) or aspera://node/key.") var location: String
  @OptionGroup(title: "Service") var options: StoreOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  private static let nameWidth = 10

  func validate() throws { _ = try storeAndKey() }

  func run() async throws {
    let (store, key) = try storeAndKey()
    let info = try await store.head(key)
    guard !output.json else { return Terminal.printJSON(info.json) }
    for (name, value) in info.facts {
      if let value { Terminal.printLine(name.padded(to: Self.nameWidth) + value) }
    }
  }

  private func storeAndKey() throws -> (store: any ObjectStore, key: String) {
    let target = try Location(location)
    if !target.isAspera { try options.refuseAsperaOptions() }
    guard let (store, key) = try options.store(of: target), !key.isEmpty else {
      throw ValidationError("Name an object of a bucket or a node, as oss://bucket/key.")
    }
    return (store, key)
  }
}

extension ObjectInfo {
  /// The metadata in a fixed order, which a dictionary does not have.
  private var sortedMetadata: [(key: String, value: String)] { metadata.sorted { $0.key < $1.key } }

  /// The lines of the text output; a value is `nil` if the service did not send it.
  fileprivate var facts: [(name: String, value: String?)] {
    [
      ("key", key), ("size", size.map { "\($0) (\(ByteText($0)))" }), ("type", contentType),
      ("modified", lastModified?.iso8601), ("etag", etag), ("version", versionID), ("class", storageClass),
    ] + sortedMetadata.map { ("metadata", "\($0.key)=\($0.value)") }
  }

  fileprivate var json: JSONValue {
    var metadata = JSONObject()
    for (name, value) in sortedMetadata { metadata[name] = .string(value) }
    return [
      "key": .string(key), "size": .integer(size), "contentType": .text(contentType),
      "lastModified": .text(lastModified?.iso8601), "etag": .text(etag), "versionId": .text(versionID),
      "storageClass": .text(storageClass), "metadata": .object(metadata),
    ]
  }
}
