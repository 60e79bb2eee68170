// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import StorageAuth
import StorageAuthRedis
import StorageAuthServer
import UnixSignals
import VerifiedService

/// An example of a service behind the signature middleware, for manual requests and for attempts to attack the service.
@main
struct VerifiedServiceExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "VerifiedServiceExample",
    abstract: "Runs a service that verifies signatures of OSS and COS, until SIGINT or SIGTERM.",
    discussion: """
      It listens on loopback, stores files in memory, and prints one line of JSON when it is ready: its URL and two \
      accounts, whose secrets are random for each run. Sign PUT, GET and DELETE of URL/files/KEY with one of them.
      """)

  @Option(help: "The port; any free one by default.")
  var port = 0

  @Flag(help: "Require signatures as the strict mode of COS does: of the host, Content-Length and every parameter.")
  var strict = false

  @Option(help: "The URL of a Redis server with the used signatures of all instances; see also --secret.")
  var redis: String?

  @Flag(help: "The Redis server writes each change to its disk before it confirms the change.")
  var redisIsPersistent = false

  @Option(help: "The secret of both accounts, the same for all instances; for tests. A random one by default.")
  var secret: String?

  func run() async throws {
    let accounts = ["AKIDKexample1", "LTAIexample2"].map {
      AccessKey(id: $0, secret: Secret(secret ?? Self.randomText()))
    }
    let service = VerifiedService(accounts: accounts, isStrict: strict, replays: try replays())
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    var logger = Logger(label: "VerifiedServiceExample", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = .critical
    let limits = ConnectionLimits(connections: 256)
    let application = Application(
      router: service.router,
      server: .http1(limits),
      configuration: .init(
        address: .hostname("127.0.0.1", port: port), serverName: "VerifiedServiceExample",
        availableConnectionsDelegate: limits.availableConnections),
      onServerRunning: { channel in
        do {
          try Self.announce(port: channel.localAddress?.port ?? 0, accounts)
        } catch {
          Self.exit(withError: error)
        }
      }, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      group.addTask { for await _ in signals { return } }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Returns the store of used signatures.
  private func replays() throws -> any ReplayStore {
    guard let redis else { return MemoryReplayStore(limit: 5_000) }
    return RedisReplayStore(
      RedisPool(try RedisConfiguration(url: redis)), durability: redisIsPersistent ? .persistent : .volatile)
  }

  /// Prints the service's URL and accounts as one line of JSON, for a client program.
  private static func announce(port: Int, _ accounts: [AccessKey]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let ready = Ready(
      url: "http://127.0.0.1:\(port)", accounts: accounts.map { .init(id: $0.id.string, secret: $0.secret.reveal()) })
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(ready) + Data("\n".utf8))
  }

  private static func randomText() -> String {
    (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
  }
}

/// The JSON object that is printed when the service is ready.
private struct Ready: Encodable {
  struct Account: Encodable {
    let id: String
    let secret: String
  }

  let url: String
  let accounts: [Account]
}
