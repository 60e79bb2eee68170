// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Foundation
internal import StorageAuth

/// A program that replaces IBM's ascp on machines where it is not installed.
///
/// Demos and tests use the simulator to transfer files to and from a LocalCloud on the same machine. The simulator
/// accepts the arguments and environment variables of ascp and reports on a management port, but it uses HTTP instead
/// of FASP.
@main enum AscpSimulator {
  private static let about = "ascp-simulator: this is a simulator of ascp for LocalCloud, not IBM's ascp."

  static func main() async {
    let commandLine = CommandLineReader(Array(CommandLine.arguments.dropFirst()))
    if commandLine[.version] != nil, commandLine.problem == nil {
      StandardStream.print(about)
      return
    }
    do throws(Failure) {
      try await run(commandLine)
    } catch {
      endProcess(.failure(error))
    }
  }

  private static func run(_ commandLine: CommandLineReader) async throws(Failure) {
    let environment = ProcessInfo.processInfo.environment
    let port = try commandLine.port(.management)
    if commandLine[.mode] == Invocation.Mode.testLogin.rawValue {
      if let problem = commandLine.problem { throw problem }
      _ = try await TransferServerClient.open(Invocation(commandLine, environment))
      return
    }
    try await ManagementPort.withConnection(
      to: port,
      { reporter, commands throws(Failure) in
        if let problem = commandLine.problem { throw problem }
        let invocation = try Invocation(commandLine, environment)
        try await TransferRun(invocation: invocation, reporter: reporter, commands: commands).run()
      }, endingProcess: endProcess)
  }

  /// Ends the process with the exit status of a result, after writing the error of a failure.
  @Sendable private static func endProcess(_ result: Result<Void, Failure>) -> Never {
    guard case .failure(let failure) = result else { exit(0) }
    // Control characters in untrusted text are escaped for terminals.
    for line in [about, "ascp-simulator: \(failure.text) (code \(failure.code))"] {
      StandardStream.errors.put("\(DisplayText(line))\n")
    }
    exit(1)
  }
}
