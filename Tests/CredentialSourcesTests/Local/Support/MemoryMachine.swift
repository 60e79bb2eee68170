// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting

@testable import CredentialSources

/// A machine in memory with the environment, files and commands of a test; requests without a scripted response fail.
final class MemoryMachine: Sendable {
  private struct File: Sendable {
    var bytes: [UInt8]
    var permissions: UInt16 = 0o600
    var problem: FileReadError?
  }

  private struct State: Sendable {
    var environment: [String: String] = [:]
    var files: [String: File] = [:]
    var command: Result<CommandResult, CommandError>?
    var commandLines: [[String]] = []
    var warnings: [CredentialWarning] = []
    var requests: [String] = []
    var replies: [(url: String, json: String)] = []
  }

  private let state: Lock<State>
  let time = ManualClock(now: Timestamp(unixSeconds: 1_795_161_600))

  init(environment: [String: String] = [:], files: [String: String] = [:]) {
    state = Lock(State(environment: environment, files: files.mapValues { File(bytes: Array($0.utf8)) }))
  }

  /// The context for the providers.
  var access: ProviderContext {
    var access = ProviderContext(
      environment: { [self] name in state.withLock { $0.environment[name] } }, home: "/home/mia",
      files: Files(machine: self),
      commands: Commands(machine: self), transport: Transport(machine: self), time: time)
    access.onWarning = { [self] warning in state.withLock { $0.warnings.append(warning) } }
    return access
  }

  var warnings: [CredentialWarning] { state.withLock { $0.warnings } }

  var commandLines: [[String]] { state.withLock { $0.commandLines } }
  /// The requests that were sent, as method and URL.
  var requests: [String] { state.withLock { $0.requests } }

  func set(_ name: String, to value: String?) {
    state.withLock { $0.environment[name] = value }
  }

  func put(_ path: String, _ text: String) {
    state.withLock { $0.files[path] = File(bytes: Array(text.utf8)) }
  }

  func put(_ path: String, bytes: [UInt8] = [], permissions: UInt16 = 0o600, problem: FileReadError? = nil) {
    state.withLock { $0.files[path] = File(bytes: bytes, permissions: permissions, problem: problem) }
  }

  /// Sets the output of the following commands.
  func answer(_ output: String, ending: CommandResult.Ending = .exited(0), errors: Int = 0) {
    let result = CommandResult(ending, standardOutput: Array(output.utf8), standardErrorLength: errors)
    state.withLock { $0.command = .success(result) }
  }

  /// Sets the response to URLs that start with `url`.
  func reply(to url: String, _ json: String) {
    state.withLock { $0.replies.append((url, json)) }
  }

  func failCommands(with error: CommandError) {
    state.withLock { $0.command = .failure(error) }
  }

  private struct Files: FileReader {
    let machine: MemoryMachine

    func read(_ path: String, limit: Int) throws(FileReadError) -> FileContents {
      guard let file = machine.state.withLock({ $0.files[path] }) else { throw .notFound }
      if let problem = file.problem { throw problem }
      guard file.bytes.count <= limit else { throw .tooLarge }
      return FileContents(file.bytes, permissions: file.permissions)
    }
  }

  private struct Commands: CommandRunner {
    let machine: MemoryMachine

    func run(
      _ arguments: [String], environment: [String: String], timeout: Duration, outputLimit: Int
    ) async throws(CommandError) -> CommandResult {
      let result = machine.state.withLock { state in
        state.commandLines.append(arguments)
        return state.command
      }
      guard let result else { throw .notFound }
      return try result.get()
    }
  }

  private struct Transport: HTTPTransport {
    let machine: MemoryMachine

    func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
      let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
      let reply = machine.state.withLock { state in
        state.requests.append("\(request.method) \(url)")
        return state.replies.last { url.hasPrefix($0.url) }
      }
      if let reply { return .json(reply.json) }
      throw TransportError(.connectionFailed, "There is no network.", remedy: "Do without.")
    }
  }
}
