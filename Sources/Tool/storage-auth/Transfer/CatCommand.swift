// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuth
internal import StorageClient

struct CatCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Writes objects to standard output, one after the other.",
    usage: "storage-auth cat <location> ... [<options>]",
    discussion: """
      Examples:
        storage-auth cat oss://photos/notes.txt --region cn-hangzhou
        storage-auth cat s3://logs/a.gz --region eu-central-1 | gunzip
      """)

  @Argument(help: ArgumentHelp("oss://bucket/key (or cos://, s3://).", valueName: "location"))
  var locations: [String]

  @OptionGroup(title: "Service") var options: StoreOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { for location in locations { try CopyPlan(options: options).validate([location, "-"]) } }

  func run() async throws {
    var run = CopyRun(plan: CopyPlan(options: options), output: output)
    for location in locations { try await run.run([location, "-"]) }
  }
}
