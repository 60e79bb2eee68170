import AsperaTransfer
import Foundation
import Synchronization

/// Stands in for the programs of OpenSSH: answers from a script and remembers what it was asked to run.
final class ScriptedProbeRunner: ProbeCommandRunner {
  /// What a program finds in its folder and leaves there.
  struct Folder {
    let path: String

    /// The permission bits of a file, or of the folder itself.
    func permissions(of name: String = "") -> Int? {
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return attributes?[.posixPermissions] as? Int
    }

    /// The text of a file.
    func read(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    /// Writes what the server was asked, or what it is known by.
    func write(_ text: String, to name: String) {
      _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8))
    }

    /// Leaves the sign that the server has accepted the account.
    func accept() { write("", to: "accepted") }

    /// Leaves the questions that were asked.
    func ask(_ questions: String...) { write(questions.map { "\($0)\u{1e}" }.joined(), to: "questions") }
  }

  typealias Script = @Sendable (String, Folder) throws -> ProbeCommandResult

  private let script: Script
  private let recorded = Mutex<[ProbeCommand]>([])

  /// Makes a runner; the script is given the name of the program and its folder.
  init(_ script: @escaping Script) {
    self.script = script
  }

  /// What was run, in order.
  var commands: [ProbeCommand] { recorded.withLock { $0 } }

  func run(_ command: ProbeCommand) async throws(ProbeCommandError) -> ProbeCommandResult {
    recorded.withLock { $0.append(command) }
    do {
      return try script(command.arguments.first ?? "", Folder(path: command.folder))
    } catch {
      throw error as? ProbeCommandError ?? .notStarted
    }
  }
}
