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
@main
enum AscpSimulator {
  private static let about = "ascp-simulator: this is a simulator of ascp for LocalCloud, not IBM's ascp."

  static func main() async {
    let line = CommandLineReader(Array(CommandLine.arguments.dropFirst()))
    if line[.version] != nil, line.problem == nil {
      StandardStream.print(about)
      return
    }
    do throws(Failure) {
      try await run(line)
    } catch {
      end(.failure(error))
    }
  }

  private static func run(_ line: CommandLineReader) async throws(Failure) {
    let environment = ProcessInfo.processInfo.environment
    let port = try line.port(.management)
    if line[.mode] == Invocation.Mode.testLogin.rawValue {
      if let problem = line.problem { throw problem }
      _ = try await DeskClient.open(Invocation(line, environment))
      return
    }
    try await ManagementPort.withConnection(
      to: port,
      { reporter, commands throws(Failure) in
        if let problem = line.problem { throw problem }
        let invocation = try Invocation(line, environment)
        try await TransferRun(invocation: invocation, reporter: reporter, commands: commands).run()
      }, endingProcess: end)
  }

  /// Ends the process with the exit status of a result, after writing the error of a failure.
  @Sendable
  private static func end(_ result: Result<Void, Failure>) -> Never {
    guard case .failure(let failure) = result else { exit(0) }
    // Control characters in untrusted text are escaped for terminals.
    for line in [about, "ascp-simulator: \(failure.text) (code \(failure.code))"] {
      StandardStream.errors.put("\(DisplayText(line))\n")
    }
    exit(1)
  }
}

/// A failure of the simulator with an ascp error code and a text without secrets.
struct Failure: Error, Sendable, Equatable {
  let code: Int
  let text: String

  init(_ code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  static func usage(_ text: String) -> Failure { Failure(8, text) }

  static let cancelled = Failure(28, "Session cancelled")

  /// Converts the error of a request, which may be the first one to the transfer desk.
  init(_ error: TransportError, isFirst: Bool) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .connectionFailed where isFirst: self.init(44, "Failed to open TCP connection to the transfer desk")
    case .timeout: self.init(15, "The transfer desk did not respond in time")
    default: self.init(16, "The connection to the transfer desk was lost")
    }
  }
}
