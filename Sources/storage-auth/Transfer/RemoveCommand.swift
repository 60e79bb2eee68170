// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient
internal import StorageJSON

/// The command `storage-auth rm`, which deletes one object or all objects whose keys start with a prefix.
struct RemoveCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Deletes an object, or with --recursive all objects whose keys start with a prefix.")

  @Argument(help: "oss://bucket/key (or cos://, s3://) or aspera://node/key.")
  var location: String

  @OptionGroup var options: StoreOptions

  @Flag(name: .shortAndLong, help: "Delete all objects whose keys start with the given one.")
  var recursive = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { _ = try place() }

  func run() async throws {
    let (store, key) = try place()
    guard recursive else {
      try await store.delete(key)
      show(deleted: [key])
      return
    }
    var keys: [String] = []
    for try await entry in store.list(prefix: key) { keys.append(entry.name) }
    let report = try await store.delete(keys)
    show(deleted: report.deleted)
    for failure in report.failures {
      guard output.json else {
        Terminal.notes("\(failure.key): \(failure.code): \(failure.message)")
        continue
      }
      Terminal.json([
        "action": "fail", "key": .string(failure.key), "code": .string(failure.code),
        "message": .string(failure.message),
      ])
    }
    if !output.json { Terminal.note("\(report.deleted.count) deleted") }
    if !report.failures.isEmpty { throw ExitCode.failure }
  }

  /// Prints a line of JSON for each deleted object, with `--json`.
  private func show(deleted keys: [String]) {
    guard output.json else { return }
    for key in keys { Terminal.json(["action": "delete", "key": .string(key)]) }
  }

  private func place() throws -> (store: any ObjectStore, key: String) {
    guard let (store, key) = try options.store(of: Location(location)) else {
      throw ValidationError("Name an object, as oss://bucket/key; an account of Aspera cannot delete.")
    }
    guard recursive || !key.isEmpty else {
      throw ValidationError("Name an object; use --recursive to delete all objects of a bucket.")
    }
    return (store, key)
  }
}
