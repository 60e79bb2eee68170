// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

struct MoveCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv", abstract: "Moves files and objects: copies each, and then deletes the source.",
    usage: "storage-auth mv <source> ... <destination> [<options>]",
    discussion: """
      Examples:
        storage-auth mv oss://photos/cat.jpg oss://photos/2026/ --region cn-hangzhou
        storage-auth mv oss://photos/cat.jpg cat.jpg --region cn-hangzhou

      A source whose copy failed remains. For a folder, use cp -r and then rm -r.
      """)

  @Argument(
    help: ArgumentHelp("Files and objects, as for cp; the last one is the destination.", valueName: "location"))
  var locations: [String]

  @OptionGroup var origin: OriginOptions

  @OptionGroup(title: "Service") var options: StoreOptions

  @OptionGroup(title: "Aspera") var aspera: AsperaOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try plan.validate(locations) }

  func run() async throws {
    var run = CopyRun(plan: plan, output: output)
    try await run.run(locations)
  }

  private var plan: CopyPlan {
    var plan = CopyPlan(options: options)
    plan.aspera = aspera
    plan.origin = origin
    plan.moves = true
    return plan
  }
}
