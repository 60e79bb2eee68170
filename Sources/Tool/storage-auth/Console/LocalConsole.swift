// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuthServer

/// A server on loopback with a web page that shows the buckets, the objects and the requests of a local cloud.
///
/// For a rejected signature, the page shows the strings to sign of both sides and the usual cause. Every program of
/// this machine can read the page, so it contains no secrets and no bytes of objects.
struct LocalConsole: Sendable {
  private static let heartbeatInterval = Duration.seconds(15)

  private let server: RunningServer
  private let log: RequestLog
  private let tasks: [Task<Void, Never>]

  var url: String { "http://127.0.0.1:\(server.port)/" }

  /// Starts a console, which shows the requests from now on; tests replace the `sleep` between two heartbeats.
  static func start(
    for cloud: LocalCloud, port: Int, limits: RequestLog.Limits = RequestLog.Limits(),
    sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async throws -> LocalConsole {
    let log = RequestLog(limits)
    let requests = cloud.requests(buffering: 1024)
    let server = try await CommandFailure.reportingListenErrors(of: "console", on: "127.0.0.1", port) {
      try await RunningServer(
        ConsoleRoutes(cloud: cloud, log: log).router, host: "127.0.0.1", port: port,
        limits: ConnectionLimits(connections: 64, writeTimeout: .seconds(10)))
    }
    let requestReader = Task { for await request in requests { log.append(RequestReport(request)) } }
    let heartbeat = Task {
      while (try? await sleep(heartbeatInterval)) != nil { log.sendHeartbeat() }
    }
    return LocalConsole(server: server, log: log, tasks: [requestReader, heartbeat])
  }

  func stop() async {
    log.finish()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    await server.stop()
  }
}
