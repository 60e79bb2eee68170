// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaTransfer
import Foundation
import StorageAuth
import StoragePrograms

/// Replaces the programs of OpenSSH: returns scripted results and records the commands.
final class ScriptedProbeRunner: ProbeProgramRunner {
  /// The folder of a program.
  struct Folder {
    let path: String

    /// The permission bits of a file, or of the folder itself.
    func permissions(of name: String = "") -> Int? {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return attributes?[.posixPermissions] as? Int
    }

    /// Returns the contents of a file, or `nil` if it cannot be read.
    func read(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    /// Writes the prompts of the server, or its host key.
    func write(_ text: String, to name: String) {
      _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8))
    }

    /// Creates the file that indicates that the server accepted the account.
    func accept() { write("", to: "accepted") }

    /// Writes the prompts of the server.
    func ask(_ questions: String...) { write(questions.map { "\($0)\u{1e}" }.joined(), to: "prompts") }
  }

  typealias Script = @Sendable (String, Folder) throws -> ProbeProgramResult

  private let script: Script
  private let recorded = Lock<[ProbeProgram]>([])

  /// Creates a runner whose script receives the name of the program and its folder.
  init(_ script: @escaping Script) {
    self.script = script
  }

  /// The commands that were run, in order.
  var commands: [ProbeProgram] { recorded.withLock { $0 } }

  func run(_ command: ProbeProgram) async throws(ProbeProgramError) -> ProbeProgramResult {
    recorded.withLock { $0.append(command) }
    do {
      return try script(command.arguments.first ?? "", Folder(path: command.folder))
    } catch {
      throw error as? ProbeProgramError ?? .notStarted
    }
  }
}
