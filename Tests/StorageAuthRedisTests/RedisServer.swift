// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuthRedis
import XCTest

/// A `redis-server` on a socket in a folder of its own, which tests stop, kill and start again.
final class RedisServer {
  /// The URL of the server.
  let url: String
  private let folder: URL
  private let arguments: [String]
  private var process: Process?

  /// Starts a server that listens on a socket in the file system.
  ///
  /// - Throws: An `XCTSkip` where there is no `redis-server`; where `STORAGE_AUTH_REQUIRE_REDIS` is set, the test fails.
  convenience init(_ arguments: String...) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "redis-\(UInt32.random(in: .min ... .max))")
    let socket = folder.appending(path: "s").path(percentEncoded: false)
    try self.init(
      folder, url: "unix://\(socket)", ["--port", "0", "--unixsocket", socket] + arguments)
  }

  /// Starts a server with all of its arguments besides those for the folder and against snapshots.
  init(_ folder: URL, url: String, _ arguments: [String]) throws {
    guard Self.path != nil else {
      let required = ProcessInfo.processInfo.environment["STORAGE_AUTH_REQUIRE_REDIS"] != nil
      if required { XCTFail("There is no redis-server, and STORAGE_AUTH_REQUIRE_REDIS is set.") }
      print("=== SKIPPED: a test of StorageAuthRedis: redis-server is missing (apt-get install redis-server) ===")
      throw XCTSkip("There is no redis-server.")
    }
    self.url = url
    self.folder = folder
    self.arguments = arguments
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  private static var path: String? {
    ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/redis-server" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts the server and waits until it accepts connections.
  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: try XCTUnwrap(Self.path))
    process.arguments = ["--save", "", "--dir", folder.path(percentEncoded: false)] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    self.process = process
    var printed = ""
    while !printed.contains("eady to accept connections") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw XCTSkip("redis-server ended: \(printed)") }
      printed += String(decoding: data, as: UTF8.self)
    }
  }

  /// Kills the server without giving it time to save anything.
  func kill() {
    signal(SIGKILL)
    process?.waitUntilExit()
    process = nil
  }

  /// Stops the server, which keeps its connections and does not answer.
  func stop() { signal(SIGSTOP) }

  /// Lets a stopped server go on.
  func proceed() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    if let process { Foundation.kill(process.processIdentifier, number) }
  }

  /// Returns a new pool of connections, as another instance has it.
  func pool(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> RedisPool {
    var configuration = try RedisConfiguration(url: url)
    configuration.longestPause = .milliseconds(50)
    // A machine under load may answer late.
    configuration.commandTimeout = .seconds(5)
    configuration.connectTimeout = .seconds(5)
    change(&configuration)
    return RedisPool(configuration)
  }
}

/// Repeats an operation until it throws no error, for at most ten seconds.
func eventually<Value>(_ body: () async throws -> Value) async throws -> Value {
  let end = ContinuousClock.now + .seconds(10)
  while true {
    do {
      return try await body()
    } catch  where ContinuousClock.now < end {
      await Task.yield()
    }
  }
}
