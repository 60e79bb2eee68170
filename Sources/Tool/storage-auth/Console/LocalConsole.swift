// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import LocalCloud
internal import Logging
internal import NIOCore
internal import StorageAuth
internal import StorageAuthServer

/// A server on loopback with a web page that shows what a local cloud does.
///
/// The page shows the buckets, the objects, and the requests as they end, with their verdicts. For a rejected signature
/// it shows the strings to sign of both sides and the usual cause. Every program that reaches the
/// loopback interface has access, so it shows no secrets and no bytes of objects.
final class LocalConsole: Sendable {
  /// The port on which the console listens.
  let port: Int

  private let log: RequestLog
  private let work: [Task<Void, Never>]

  private init(port: Int, log: RequestLog, work: [Task<Void, Never>]) {
    self.port = port
    self.log = log
    self.work = work
  }

  /// The URL of the page.
  var url: String { "http://127.0.0.1:\(port)/" }

  /// Starts a console for a local cloud.
  ///
  /// - Parameters:
  ///   - cloud: The local cloud, whose requests appear from now on.
  ///   - port: The port on the loopback interface; 0 selects a free port.
  ///   - limits: The limits of the list of requests and of its listeners.
  ///   - sleep: The function that waits between two signs of life to the listeners; tests can replace it.
  /// - Returns: The running console; call ``stop()`` when it is no longer needed.
  /// - Throws: ``ConsoleError`` if the port cannot be used.
  static func start(
    for cloud: LocalCloud, port: Int, limits: RequestLog.Limits = RequestLog.Limits(),
    sleep: @escaping @Sendable @concurrent (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async throws -> LocalConsole {
    let log = RequestLog(limits)
    let requests = cloud.requests(buffering: 1024)
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let connections = ConnectionLimits(connections: 64, writeTimeout: .seconds(10))
    let application = Application(
      router: ConsoleRoutes(cloud: cloud, log: log).router, server: .http1(connections),
      configuration: .init(
        address: .hostname("127.0.0.1", port: port), serverName: nil,
        availableConnectionsDelegate: connections.availableConnections),
      onServerRunning: { channel in bound.yield(channel.localAddress?.port ?? 0) },
      logger: Logger(label: "console") { _ in SwiftLogNoOpLogHandler() })
    let server = Task { () -> (any Error)? in
      defer { bound.finish() }
      do {
        try await application.run()
        return nil
      } catch {
        return error
      }
    }
    guard let listening = await ports.first(where: { _ in true }) else {
      throw ConsoleError(port: port, cause: await server.value)
    }
    let reading = Task {
      for await request in requests { log.append(RequestReport(request)) }
    }
    let beating = Task {
      while (try? await sleep(.seconds(15))) != nil { log.beat() }
    }
    let serving = Task {
      await withTaskCancellationHandler {
        _ = await server.value
      } onCancel: {
        server.cancel()
      }
    }
    return LocalConsole(port: listening, log: log, work: [reading, beating, serving])
  }

  /// Stops the console and closes the connections of its pages.
  func stop() async {
    log.finish()
    for task in work { task.cancel() }
    for task in work { await task.value }
  }
}

/// An error that explains why a console cannot start, and how to fix it.
struct ConsoleError: Error, Sendable, CustomStringConvertible {
  /// The reason why the console cannot start, on a single line.
  let description: String

  init(port: Int, cause: (any Error)?) {
    let reason = (cause as? IOError).map { "the system reports the error \($0.errnoCode)" } ?? "it stopped at once"
    description =
      "The console cannot listen on port \(port) of 127.0.0.1: \(reason). Choose another --console port, or 0 for a free one."
  }
}
