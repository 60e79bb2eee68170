// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct RemoveCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Deletes an object, or with --recursive all objects below a folder.",
    usage: "storage-auth rm <location> [<options>]",
    discussion: """
      Examples:
        storage-auth rm oss://photos/2026/cat.jpg --region cn-hangzhou
        storage-auth rm -r oss://photos/2026/ --dry-run --region cn-hangzhou
        storage-auth rm -r oss://photos --yes           # all of the bucket

      With --recursive, oss://photos/2026 is the folder 2026/, as for cp and sync: neither the object 2026 nor \
      20261120.jpg is deleted. All objects are listed before the first is deleted.
      """)

  @Argument(help: "oss://bucket/key (or cos://, s3://) or aspera://node/key.") var location: String
  @OptionGroup(title: "Service") var options: StoreOptions

  @Flag(name: .shortAndLong, help: "Delete all objects below the location, which is read as a folder.")
  var recursive = false

  @Flag(help: "Print what would be deleted, without deleting it.") var dryRun = false
  @Flag(help: "Delete all objects of a bucket or a node without a question.") var yes = false
  @OptionGroup(title: "Output") var output: OutputOptions

  /// The number of objects that are deleted before their results are printed.
  private static let groupSize = 1000

  func validate() throws {
    let (_, target) = try storeAndTarget()
    guard recursive, target.folderPrefix.isEmpty, !yes, !dryRun else { return }
    guard !output.json, Terminal.canAsk else {
      throw ValidationError(
        "\(location) is a whole bucket or node. Add --yes to delete all of its objects, or --dry-run to see them.")
    }
  }

  func run() async throws {
    let (store, target) = try storeAndTarget()
    guard recursive else { return try await deleteObject(at: target, from: store) }
    let prefix = target.folderPrefix
    // The access key may not permit listing.
    if let object = try? await store.object(named: target) {
      Terminal.printNote("The object \(object.key) is not below \(prefix) and is kept; delete it without --recursive.")
    }
    let objects = try await objects(below: prefix, in: store)
    let size = ByteText(objects.reduce(0) { $0.saturatingAdding($1.size) })
    if dryRun {
      for object in objects { showDeletion(of: object.key, byteCount: object.size) }
      return Terminal.printSummary(
        "\(objects.count) objects would be deleted (\(size))", summary(deleted: objects.count, failed: 0))
    }
    if prefix.isEmpty, !yes, !objects.isEmpty {
      let question = "Delete all \(objects.count) objects (\(size)) of \(location)? Write yes to delete them: "
      guard Terminal.ask(question) == "yes" else {
        Terminal.printNote("No object was deleted.")
        throw ExitCode.failure
      }
    }
    try await delete(objects, from: store)
  }

  /// Deletes one object, and prints a note about objects below it, which the user may have meant.
  private func deleteObject(at target: Location, from store: any ObjectStore) async throws {
    guard !dryRun else {
      showDeletion(of: target.key)
      return Terminal.printNote("1 object would be deleted if it exists")
    }
    try await store.delete(target.key)
    if output.json { showDeletion(of: target.key) } else { Terminal.printNote("deleted \(target.key)") }
    // The access key may not permit listing.
    guard !target.key.hasByteSuffix("/"),
      (try? await store.list(prefix: target.folderPrefix).first { _ in true }) != nil
    else { return }
    Terminal.printNote("The objects below \(target.folderPrefix) were not deleted; add --recursive for them.")
  }

  /// Lists all objects below a prefix, and throws an error if the service lists any other object.
  private func objects(below prefix: String, in store: any ObjectStore) async throws -> [ListedObject] {
    var objects: [ListedObject] = []
    for try await entry in store.list(prefix: prefix) {
      guard case .object(let object) = entry, object.key.hasBytePrefix(prefix) else {
        throw StorageError(
          .malformedResponse, "The service listed \(entry.name), which is not below \(prefix). No object was deleted.",
          remedy: "Check the endpoint; the service is at fault.")
      }
      objects.append(object)
    }
    return objects
  }

  /// Deletes objects, and prints how many were deleted even if an error ends the deletion.
  private func delete(_ objects: [ListedObject], from store: any ObjectStore) async throws {
    var (remainingObjects, deleted, failed) = (objects[...], 0, 0)
    defer { Terminal.printSummary("\(deleted) deleted, \(failed) failed", summary(deleted: deleted, failed: failed)) }
    while !remainingObjects.isEmpty {
      let group = remainingObjects.prefix(Self.groupSize)
      remainingObjects = remainingObjects.dropFirst(group.count)
      let report = try await store.delete(group.map(\.key))
      deleted += report.deleted.count
      failed += report.failures.count
      if output.json { for key in report.deleted { showDeletion(of: key) } }
      for failure in report.failures { show(failure) }
    }
    if failed > 0 { throw ExitCode.failure }
  }

  /// Prints a deletion as JSON, or as a line of a dry run; there is no other text output for single objects.
  private func showDeletion(of key: String, byteCount: Int64? = nil) {
    guard output.json else { return Terminal.printLine("would delete \(key)") }
    var line: JSONObject = ["action": "delete", "key": .string(key)]
    if dryRun {
      line["bytes"] = .integer(byteCount)
      line["dryRun"] = true
    }
    Terminal.printJSON(.object(line))
  }

  private func show(_ failure: DeletionReport.Failure) {
    guard output.json else {
      return Terminal.printErrorLines("\(failure.key): \(failure.code): \(failure.message)".onOneLine)
    }
    Terminal.printJSON([
      "action": "fail", "key": .string(failure.key), "code": .string(failure.code), "message": .string(failure.message),
    ])
  }

  private func summary(deleted: Int, failed: Int) -> JSONValue {
    ["summary": ["deleted": .integer(deleted), "failed": .integer(failed), "dryRun": .bool(dryRun)]]
  }

  private func storeAndTarget() throws -> (store: any ObjectStore, target: Location) {
    let target = try Location(location)
    if !target.isAspera { try options.refuseAsperaOptions() }
    guard let (store, key) = try options.store(of: target) else {
      throw ValidationError("Name an object, as oss://bucket/key; an account of Aspera cannot delete.")
    }
    guard recursive || !key.isEmpty else {
      throw ValidationError("Name an object; use --recursive to delete all objects of a bucket.")
    }
    return (store, target)
  }
}
