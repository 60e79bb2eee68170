// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import LocalCloud
internal import LocalConsole

/// The command-line option for the web page about the local server.
struct ConsoleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The port of a web page that shows buckets, objects, requests and why signatures were rejected; 0 for any free port.",
      valueName: "port"))
  var console: Int?

  func validate() throws {
    if let console, !(0...65_535).contains(console) {
      throw ValidationError("\(console) is not a port for --console; use 0 to 65535.")
    }
  }

  /// Starts the console, or returns `nil` if the option is not used.
  ///
  /// - Throws: `ConsoleError` if the port cannot be used.
  func start(for cloud: LocalCloud) async throws -> LocalConsole? {
    guard let console else { return nil }
    return try await LocalConsole.start(for: cloud, port: console)
  }
}
