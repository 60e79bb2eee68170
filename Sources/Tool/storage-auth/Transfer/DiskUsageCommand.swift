// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

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

  @Argument(help: "oss://bucket/folder (or cos://, s3://) or aspera://node/folder.")
  var location: String

  @OptionGroup(title: "Service") var options: StoreOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try options.listedStore(of: Location(location)) }

  func run() async throws {
    let target = try Location(location)
    let store = try options.listedStore(of: target)
    let object = try await store.object(named: target)
    var (objects, bytes) = (object == nil ? 0 : 1, object?.size ?? 0)
    for try await entry in store.list(prefix: target.folderPrefix) {
      guard case .object(let object) = entry else { continue }
      objects += 1
      bytes = bytes.saturatingAdding(object.size)
    }
    guard output.json else {
      return Terminal.line("\(objects) \(objects == 1 ? "object" : "objects"), \(bytes) bytes (\(ByteText(bytes)))")
    }
    Terminal.json(["objects": .number(JSONNumber(objects)), "bytes": .number(JSONNumber(bytes))])
  }
}
