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
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: All that is in its environment besides the path and a home without files.
  @concurrent
  static func storageAuth(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try path("storage-auth"))
    process.arguments = arguments
    process.environment = environment.merging(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]) { own, _ in own }
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError, process.standardInput) = (output, errors, FileHandle.nullDevice)
    try process.run()
    async let complaints = read(errors)
    let printed = await read(output)
    process.waitUntilExit()
    let outcome = Outcome(status: process.terminationStatus, output: printed, errors: await complaints)
    SecretWatch.check(outcome.output + outcome.errors)
    return outcome
  }

  @concurrent
  private static func read(_ pipe: Pipe) async -> String {
    String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
