// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuthServer

/// The options that limit the connections of a token server.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The maximum number of open connections; further ones wait until one is closed.", valueName: "count"))
  var maxConnections: Int = 500

  @Option(
    help: ArgumentHelp("The maximum time for the TLS handshake, and for the head of a request.", valueName: "seconds"))
  var headTimeout: Int = 10

  @Option(
    help: ArgumentHelp("The maximum time for which a connection may be open without a request.", valueName: "seconds"))
  var idleTimeout: Int = 60

  func validate() throws {
    guard (1...1_000_000).contains(maxConnections) else {
      throw ValidationError("--max-connections must be from 1 to 1000000.")
    }
    guard (1...3600).contains(headTimeout) else { throw ValidationError("--head-timeout must be from 1 to 3600.") }
    guard (1...86_400).contains(idleTimeout) else { throw ValidationError("--idle-timeout must be from 1 to 86400.") }
  }

  /// The limits, with those of the library for what no option sets.
  var limits: ConnectionLimits {
    ConnectionLimits(
      connections: maxConnections, headTimeout: .seconds(headTimeout), idleTimeout: .seconds(idleTimeout))
  }
}
