// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

/// The command-line options for transfers of whole folders.
struct TreeOptions: ParsableArguments {
  @Flag(
    name: .customLong("dry-run"), help: "Print what would be transferred and deleted, and change no file or object.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Only paths that match this pattern; repeatable. * and ? stand for characters other than a slash, ** for any; a "
        + "pattern without a slash is for names.",
      valueName: "pattern"))
  var include: [String] = []

  @Option(
    help: ArgumentHelp(
      "Not the paths that match this pattern, which are not deleted either; repeatable.", valueName: "pattern")
  )
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp("The number of concurrent transfers; 16 by default, or 1 with Aspera.", valueName: "number"))
  var jobs: Int?

  @Option(help: ArgumentHelp("The URL of the source's service, if the destination is in another.", valueName: "url"))
  var fromEndpoint: String?

  @Option(help: ArgumentHelp("The region of the source, if the destination is in another.", valueName: "region"))
  var fromRegion: String?

  @Option(
    help: ArgumentHelp(
      "The directory for the state of unfinished large transfers; storage-auth/checkpoints in XDG_STATE_HOME, or in "
        + "~/.local/state, by default.",
      valueName: "directory"))
  var checkpoints: String?

  /// Whether an option other than the directory for checkpoints was given.
  var isForTreesOnly: Bool {
    dryRun || !include.isEmpty || !exclude.isEmpty || jobs != nil || fromEndpoint != nil
      || fromRegion != nil
  }

  func validate() throws {
    guard jobs.map({ (1...64).contains($0) }) ?? true else { throw ValidationError("--jobs must be from 1 to 64.") }
    guard (include + exclude).allSatisfy({ !$0.isEmpty }) else { throw ValidationError("A pattern is empty.") }
  }
}
