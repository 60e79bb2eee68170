import Foundation
import StorageClient
import XCTest

/// The programs that are built next to the tests.
enum Programs {
  /// How a program ended.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  private final class Marker {}

  /// The path of a program.
  static func path(_ name: String) throws -> String {
    let places = [Bundle(for: Marker.self).bundleURL, Bundle.main.bundleURL].flatMap {
      [$0, $0.deletingLastPathComponent()]
    }
    let programs = places.map { $0.appendingPathComponent(name).path }
    return try XCTUnwrap(programs.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(name) is not built")
  }

  /// Runs `storage-auth`.
  ///
  /// It blocks no thread: the servers that the program talks to run in this process, on as few threads as it has cores.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: All that is in its environment besides the path and a home without files.
  static func storageAuth(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try path("storage-auth"))
    process.arguments = arguments
    process.environment = environment.merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { own, _ in own }
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError, process.standardInput) = (output, errors, FileHandle.nullDevice)
    let ended = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in ended.continuation.finish() }
    try process.run()
    async let complaints = text(of: errors)
    let printed = await text(of: output)
    for await _ in ended.stream {}
    let outcome = Outcome(status: process.terminationStatus, output: printed, errors: await complaints)
    SecretWatch.check(outcome.output + outcome.errors)
    return outcome
  }

  private static func text(of pipe: Pipe) async -> String {
    let (parts, continuation) = AsyncStream<Data>.makeStream()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let part = handle.availableData
      guard !part.isEmpty else {
        handle.readabilityHandler = nil
        return continuation.finish()
      }
      continuation.yield(part)
    }
    return String(decoding: await parts.reduce(into: Data()) { $0 += $1 }, as: UTF8.self)
  }
}
