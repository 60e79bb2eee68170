// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import StorageAuthServer
internal import UnixSignals

extension TokenServerCommand {
  /// Returns a router that logs and counts each response, and limits refusals to strangers.
  func router(for callers: CallerFile) -> Router<CallerContext> {
    let router = Router(context: CallerContext.self)
    router.add(middleware: ResponseLog(callers: callers))
    router.add(middleware: RequestMetricsMiddleware(factory: StatusServer.registry))
    router.add(middleware: UnauthenticatedLimitMiddleware())
    return router
  }

  /// Serves the routes until the process receives SIGINT or SIGTERM.
  ///
  /// - Parameters:
  ///   - routes: The routes, and what they need.
  ///   - path: The path of the route that callers use, which the line about readiness contains.
  ///   - callers: The callers, which SIGHUP reads again.
  func serve<Context: RequestContext>(
    _ routes: TokenServerRoutes<Context>, at path: String, for callers: CallerFile
  ) async throws where Context.Source == ApplicationRequestContextSource {
    var quiet = Logger(label: "token-server")
    quiet.logLevel = .error
    let limits = limits.limits
    let certificate = try tls.certificate()
    let scheme = certificate == nil ? "http" : "https"
    let status = try await StatusServer.start(status, routes.checks, observers: routes.metrics)
    let parts = [status, await ReloadService(callers, certificate), routes.service] as [(any Service)?]
    let application = Application(
      router: routes.router,
      server: certificate.map { .https(limits, certificate: $0.certificate, allowsHTTP2: tls.http2) } ?? .http1(limits),
      configuration: .init(
        address: .hostname(host, port: port), serverName: nil, availableConnectionsDelegate: limits.availableConnections
      ),
      services: parts.compactMap { $0 },
      onServerRunning: { [host, json = output.json] channel in
        let address = "\(scheme)://\(host):\(channel.localAddress?.port ?? 0)\(path)"
        if json {
          Terminal.json(status.map { #"{"status":"\#($0.url)","url":"\#(address)"}"# } ?? #"{"url":"\#(address)"}"#)
        } else {
          Terminal.line(address)
          if let status { Terminal.line("\(status.url)/metrics") }
        }
      }, logger: quiet)
    try await Unreachable.reporting(host, port) {
      try await application.runService(gracefulShutdownSignals: [.sigint, .sigterm])
    }
  }
}
