// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Logging
internal import NIOCore
internal import StorageAuthServer
internal import SystemPackage
internal import UnixSignals

extension TokenServerCommand {
  /// Serves the routes until the process receives SIGINT or SIGTERM.
  ///
  /// - Parameters:
  ///   - router: The routes.
  ///   - path: The path of the route that callers use, which the line about readiness contains.
  ///   - callers: The callers, which SIGHUP reads again.
  func serve<Context: RequestContext>(
    _ router: Router<Context>, at path: String, for callers: CallerFile
  ) async throws where Context.Source == ApplicationRequestContextSource {
    var quiet = Logger(label: "token-server")
    quiet.logLevel = .error
    let limits = limits.limits
    let certificate = try tls.certificate()
    let scheme = certificate == nil ? "http" : "https"
    let application = Application(
      router: router,
      server: certificate.map { .https(limits, certificate: $0.certificate, allowsHTTP2: tls.http2) } ?? .http1(limits),
      configuration: .init(
        address: .hostname(host, port: port), serverName: nil, availableConnectionsDelegate: limits.availableConnections
      ),
      services: [await ReloadService(callers, certificate)],
      onServerRunning: { [host, json] channel in
        let address = "\(scheme)://\(host):\(channel.localAddress?.port ?? 0)\(path)"
        if json { Terminal.json(#"{"url":"\#(address)"}"#) } else { Terminal.line(address) }
      }, logger: quiet)
    do {
      try await application.runService(gracefulShutdownSignals: [.sigint, .sigterm])
    } catch let error as IOError {
      throw Unreachable(address: "\(host):\(port)", reason: Errno(rawValue: error.errnoCode).description)
    } catch is SocketAddressError.UnknownHost {
      throw Unreachable(address: host, reason: "No such host")
    }
  }
}

/// The error if the token server cannot listen on an address.
private struct Unreachable: Error, CustomStringConvertible {
  let address: String
  let reason: String

  var description: String {
    "The server cannot listen on \(address): \(reason). Choose another --host or --port; port 0 selects a free one."
  }
}
