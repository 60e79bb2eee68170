// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient
internal import StorageJSON

/// The command `storage-auth ls`, which lists the objects in a bucket or on an Aspera node.
struct ListCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "Lists the objects of a bucket or a node, or those that start with a prefix.",
    discussion: """
      Control characters and invisible characters of keys are printed as \\n or \\u{1B}; programs that need the \
      exact keys must use --json.
      """)

  @Argument(help: "oss://bucket/prefix (or cos://, s3://) or aspera://node/prefix.")
  var location: String

  @OptionGroup var options: StoreOptions

  @Flag(name: .shortAndLong, help: "List all keys below the prefix, not only up to the next slash.")
  var recursive = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try place() }

  func run() async throws {
    let (store, prefix) = try place()
    for try await entry in store.list(prefix: prefix, delimiter: recursive ? nil : "/") {
      if output.json {
        Terminal.json(entry.json)
        continue
      }
      switch entry {
      case .object(let object):
        let date = object.lastModified?.iso8601 ?? String(repeating: " ", count: 20)
        let size = String(object.size)
        Terminal.line("\(date) \(String(repeating: " ", count: max(0, 14 - size.count)))\(size) \(object.key)")
      case .commonPrefix(let prefix):
        Terminal.line(String(repeating: " ", count: 36) + prefix)
      }
    }
  }

  private func place() throws -> (store: any ObjectStore, prefix: String) {
    guard let (store, prefix) = try options.store(of: Location(location)) else {
      throw ValidationError("Name a bucket or a node, as oss://bucket/prefix; an account of Aspera cannot list.")
    }
    return (store, prefix)
  }
}

extension ListEntry {
  /// The entry as a JSON object with `key`, `size` and `lastModified`, or with `prefix`.
  fileprivate var json: JSONValue {
    switch self {
    case .object(let object):
      [
        "key": .string(object.key), "size": .number(JSONNumber(object.size)),
        "lastModified": object.lastModified.map { .string($0.iso8601) } ?? .null,
      ]
    case .commonPrefix(let prefix): ["prefix": .string(prefix)]
    }
  }
}
