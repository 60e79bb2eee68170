// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import StorageAuth
import StorageAuthTesting
import XCTest

@testable import AsperaTransfer
@testable import StoragePrograms

/// A program that executes scripted steps, and the folder that it shares with its test.
final class FakeAscp: Sendable {
  /// One scripted action.
  struct Step: Sendable {
    let words: [any Sendable]

    static let connect = Step(words: ["connect"])
    static func send(_ frames: String...) -> Step { Step(words: ["send", frames.joined()]) }
    static func trickle(_ frames: String...) -> Step { Step(words: ["trickle", frames.joined()]) }
    static func noise(_ count: Int) -> Step { Step(words: ["noise", count]) }
    static func expect(_ text: String) -> Step { Step(words: ["expect", text]) }
    static func expect(_ text: String, into file: String) -> Step { Step(words: ["expect", text, file]) }
    static let expectEnd = Step(words: ["expect_end"])
    static let close = Step(words: ["close"])
    static let closeOutput = Step(words: ["close_output"])
    static func print(_ text: String) -> Step { Step(words: ["print_error", text]) }
    static func flood(_ count: Int) -> Step { Step(words: ["flood", count]) }
    static let ignoreTermination = Step(words: ["ignore_termination"])
    static func noteTermination(in file: String) -> Step { Step(words: ["note_termination", file]) }
    static func spawn(notingIn file: String) -> Step { Step(words: ["spawn", file]) }
    static let share = Step(words: ["share"])
    static func describe(in file: String) -> Step { Step(words: ["describe", file]) }
    static func note(_ text: String, in file: String) -> Step { Step(words: ["write", file, text]) }
    static let pause = Step(words: ["pause"])
    static func exit(_ status: Int) -> Step { Step(words: ["leave", status]) }
    static let crash = Step(words: ["crash"])
  }

  /// The arguments, environment and files with which the program was started.
  struct Start: Decodable {
    struct File: Decodable {
      let text: String
      let mode: Int
      let folder: Int
    }

    let pid: Int32
    let group: Int32
    let arguments: [String]
    let environment: [String: String]
    let input: String
    /// The files that the arguments name.
    let files: [String: File]
  }

  /// The system's Python, or the first one of the PATH.
  private static let python =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "/usr/bin/env python3"

  let folder: URL
  let program: String
  /// The engine's folder for temporary files.
  let temporaryFiles: String

  init(_ test: XCTestCase, _ steps: (FakeAscp) -> [Step]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "fake-ascp-\(UUID().uuidString)")
    temporaryFiles = folder.appending(path: "temporary").path
    program = folder.appending(path: "ascp").path
    try FileManager.default.createDirectory(atPath: temporaryFiles, withIntermediateDirectories: true)
    test.addTeardownBlock { [folder] in try FileManager.default.removeItem(at: folder) }
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "fake-ascp.py").path
    try JSONSerialization.data(withJSONObject: steps(self).map(\.words)).write(to: folder.appending(path: "steps.json"))
    let text = """
      #!\(Self.python)
      import runpy, sys
      sys.argv.insert(1, "\(folder.path)/steps.json")
      runpy.run_path("\(script)", run_name="__main__")
      """
    try Data(text.utf8).write(to: URL(filePath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
  }

  convenience init(_ test: XCTestCase, _ steps: Step...) throws {
    try self.init(test) { _ in steps }
  }

  func file(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns the contents of a file that the program writes, as soon as it exists.
  func text(of name: String) async throws -> String {
    let path = file(name)
    try await Patience.until { FileManager.default.fileExists(atPath: path) }
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// Returns how the program was started, from its file `started`.
  func start() async throws -> Start {
    try JSONDecoder().decode(Start.self, from: Data(try await text(of: "started").utf8))
  }

  /// The names of the remaining temporary files of the engine.
  var leftovers: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: temporaryFiles) }
  }

  func engine(
    limits: AscpLimits = AscpLimits(), time: any SigningClock = ManualClock(), environment: [String: String]? = nil
  ) -> AscpEngine {
    let environment = environment ?? ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    return AscpEngine(ascp: program, limits: limits, time: time, temporaryFiles: temporaryFiles) { environment[$0] }
  }
}
