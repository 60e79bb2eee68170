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
    if output.json { return Terminal.printJSON(info.json) }
    let facts: [(String, String?)] = [
      ("key", info.key), ("size", info.size.map { "\($0) (\(ByteText($0)))" }), ("type", info.contentType),
      ("modified", info.lastModified?.iso8601), ("etag", info.etag), ("version", info.versionID),
      ("class", info.storageClass),
    ]
    for (name, value) in facts + info.sortedMetadata.map({ ("metadata", "\($0.key)=\($0.value)") }) {
      guard let value else { continue }
      Terminal.printLine(name + String(repeating: " ", count: Self.nameWidth - name.count) + value)
    }
  }

  private func storeAndKey() throws -> (store: any ObjectStore, key: String) {
    guard let (store, key) = try options.store(of: Location(location)), !key.isEmpty else {
      throw ValidationError("Name an object of a bucket or a node, as oss://bucket/key.")
    }
    return (store, key)
  }
}

extension ObjectInfo {
  fileprivate var sortedMetadata: [(key: String, value: String)] { metadata.sorted { $0.key < $1.key } }

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
