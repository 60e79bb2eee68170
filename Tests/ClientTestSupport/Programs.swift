// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaClient
import Foundation
import StorageClient
import Subprocess
import XCTest

/// The programs that are built next to the tests.
package enum Programs {
  /// The result of a program's run.
  package struct Outcome {
    package let status: Int32
    package let output: String
    package let errors: String
  }

  /// The error of a program that a signal terminated.
  private struct Killed: Error {
    let status: TerminationStatus
  }

  private final class Marker {}

  private static let outputLimit = 1 << 20

  /// Returns the path of a program.
  package static func path(_ name: String) throws -> String {
    let places = [Bundle(for: Marker.self).bundleURL, Bundle.main.bundleURL].flatMap {
      [$0, $0.deletingLastPathComponent()]
    }
    let programs = places.map { $0.appendingPathComponent(name).path }
    return try XCTUnwrap(programs.first { FileManager.default.isExecutableFile(atPath: $0) }, "\(name) is not built")
  }

  /// Runs `storage-auth`.
  ///
  /// No thread is blocked: the servers that the program calls run in this process, on as many threads as it has cores.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - environment: The environment besides the path and a home directory without files.
  ///   - input: The contents of standard input.
  package static func storageAuth(
    _ arguments: [String], _ environment: [String: String] = [:], input: String = ""
  ) async throws -> Outcome {
    try await run(path("storage-auth"), arguments, environment, input: input)
  }

  /// Runs a script of bash, for which `$0` is the path of `storage-auth` and `$@` are the arguments.
  package static func shell(
    _ script: String, _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run("/bin/bash", ["-c", script, path("storage-auth")] + arguments, environment, input: "")
  }

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: The arguments.
  ///   - environment: The environment besides the path and a home directory without files.
  ///   - input: The contents of standard input.
  package static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:], input: String = ""
  ) async throws -> Outcome {
    var variables: [Environment.Key: String] = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
    for (name, value) in environment { variables[try XCTUnwrap(Environment.Key(rawValue: name))] = value }
    let ended = try await Subprocess.run(
      .path(FilePath(program)), arguments: Arguments(arguments), environment: .custom(variables),
      input: .string(input), output: .string(limit: outputLimit), error: .string(limit: outputLimit))
    guard case .exited(let status) = ended.terminationStatus else { throw Killed(status: ended.terminationStatus) }
    let outcome = Outcome(status: status, output: ended.standardOutput, errors: ended.standardError)
    SecretWatch.check(outcome.output + outcome.errors)
    return outcome
  }
}
