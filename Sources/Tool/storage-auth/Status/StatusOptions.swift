// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import NIOCore
internal import StorageAuth

/// The options of a server for the address at which its operators see its state.
struct StatusOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Serve /healthz, /readyz and /metrics (for Prometheus) on this port, without a login; 0 for any free port.",
      valueName: "port"))
  var statusPort: Int?

  @Option(
    help: ArgumentHelp(
      """
      The address of --status-port, which only the operators should reach. At an address of this machine alone, only \
      requests for localhost or 127.0.0.1 are answered; at another one, those for every host name.
      """, valueName: "address"))
  var statusHost = "127.0.0.1"

  /// Whether the address can be reached from this machine only, so that every request must name this machine.
  ///
  /// At other addresses, the operators choose the names, and a firewall decides who reaches them. A name is resolved as
  /// the server does it, because it can be another spelling of a loopback address; the call blocks.
  var isLocal: Bool {
    if LoopbackHost.isNamed(by: statusHost) || LoopbackHost.isNamed(by: "[\(statusHost)]") { return true }
    guard let address = try? SocketAddress.makeAddressResolvingHost(statusHost, port: 0).ipAddress else { return false }
    return LoopbackHost.isNamed(by: address) || LoopbackHost.isNamed(by: "[\(address)]")
  }

  func validate() throws {
    guard let statusPort else {
      guard statusHost == "127.0.0.1" else {
        throw ValidationError("--status-host has an effect only with --status-port.")
      }
      return
    }
    guard (0...65_535).contains(statusPort) else {
      throw ValidationError("\(statusPort) is not a port; use 0 to 65535.")
    }
  }
}
