// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// A folder of a test with files that only their owner can read.
struct PrivateFolder {
  let url: URL

  /// Creates a folder, which is removed when the test ends.
  init(_ test: XCTestCase) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "token-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    test.addTeardownBlock { try FileManager.default.removeItem(at: url) }
    self.url = url
  }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ text: String, to name: String, permissions: Int = 0o600) throws -> String {
    let path = url.appending(path: name).path(percentEncoded: false)
    try Data(text.utf8).write(to: url.appending(path: name), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    return path
  }

  /// Returns the text of a certificate or of a key of the tests of connections.
  static func certificate(_ name: String) throws -> String {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: tests.appending(path: "StorageAuthServerTests/Certificates/\(name).pem"), encoding: .utf8)
  }
}

/// A process of `storage-auth token-server`, or of another server of the tool.
final class TokenServerProcess {
  private final class Marker {}

  private let process = Process()
  private let outputLines: AsyncStream<String>
  private let errorLines: AsyncStream<String>
  private let limit: Task<Void, any Error>

  /// Starts a process with a key for the cloud in its environment.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the name of the command.
  ///   - environment: The environment besides the path and a home directory without files.
  ///   - command: The name of the command.
  init(_ arguments: [String], _ environment: [String: String], command: String = "token-server") throws {
    let places = [Bundle(for: Marker.self).bundleURL, Bundle.main.bundleURL].flatMap {
      [$0, $0.deletingLastPathComponent()]
    }
    process.executableURL = try XCTUnwrap(
      places.map { $0.appending(path: "storage-auth") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) },
      "storage-auth is not built")
    process.arguments = [command] + arguments
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"].merging(environment) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    outputLines = Self.lines(output.fileHandleForReading)
    errorLines = Self.lines(errors.fileHandleForReading)
    try process.run()
    // A test that waits for a line in vain ends with the process.
    let identifier = process.processIdentifier
    limit = Task {
      try await Task.sleep(for: .seconds(60))
      kill(identifier, SIGKILL)
    }
  }

  deinit {
    limit.cancel()
    process.terminate()
  }

  /// Returns the lines that a process writes, until it closes the file.
  private static func lines(_ file: FileHandle) -> AsyncStream<String> {
    AsyncStream { continuation in
      let thread = Thread {
        var pending: [UInt8] = []
        while case let data = file.availableData, !data.isEmpty {
          pending += data
          while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: pending[..<end], as: UTF8.self))
            pending.removeSubrange(...end)
          }
        }
        continuation.finish()
      }
      thread.start()
    }
  }

  /// Waits until the server is ready, and returns its URL.
  func url() async throws -> String {
    let line = await outputLines.first { _ in true }
    return try XCTUnwrap(line, "The server has ended.")
  }

  /// Waits for a line on standard error that contains some words, and returns it.
  func line(containing words: String) async throws -> String {
    let line = await errorLines.first { $0.contains(words) }
    return try XCTUnwrap(line, "No line contains '\(words)'.")
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until the process ends, and returns its status and its text on standard error.
  func end() async -> (status: Int32, errors: String) {
    var errors = ""
    for await line in errorLines { errors += line + "\n" }
    process.waitUntilExit()
    return (process.terminationStatus, errors)
  }
}
