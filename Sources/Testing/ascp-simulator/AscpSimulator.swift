// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

/// A program that replaces IBM's ascp where it is not installed.
///
/// Demos and tests use the simulator to transfer files to and from a LocalCloud on the same machine. It accepts the
/// arguments and environment variables of ascp and reports on a management port, but uses HTTP.
@main enum AscpSimulator {
  private static let notice = "ascp-simulator: this is a simulator of ascp for LocalCloud, not IBM's ascp."

  static func main() async {
    let commandLine = CommandLineReader(Array(CommandLine.arguments.dropFirst()))
    if commandLine[.version] != nil, commandLine.problem == nil {
      StandardStream.print(notice)
      return
    }
    do throws(Failure) { try await run(commandLine) } catch { endProcess(.failure(error)) }
  }

  private static func run(_ commandLine: CommandLineReader) async throws(Failure) {
    let environment = ProcessInfo.processInfo.environment
    let managementPort = try commandLine.port(.management)
    if commandLine[.mode] == Invocation.Mode.testLogin.rawValue {
      if let problem = commandLine.problem { throw problem }
      _ = try await TransferServerClient.open(Invocation(commandLine, environment))
      return
    }
    try await ManagementPort.withConnection(
      to: managementPort,
      { reporter, commands throws(Failure) in
        if let problem = commandLine.problem { throw problem }
        let invocation = try Invocation(commandLine, environment)
        try await TransferRun(invocation: invocation, reporter: reporter, commands: commands).run()
      }, endingProcess: endProcess)
  }

  @Sendable private static func endProcess(_ result: Result<Void, Failure>) -> Never {
    guard case .failure(let failure) = result else { exit(0) }
    // Control characters in untrusted text are escaped for terminals.
    for line in [notice, "ascp-simulator: \(failure.text) (code \(failure.code))"] {
      StandardStream.errors.put("\(DisplayText(line))\n")
    }
    exit(1)
  }
}

/// A failure of the simulator, with an ascp error code and a text without secrets.
struct Failure: Error, Sendable, Equatable {
  /// The error codes that the simulator gives, with the numbers that they have in ascp.
  enum Code: Int {
    case protocolError = 1, noSuchFile = 4, noPermission = 5, notAFolder = 6, isAFolder = 7, usage = 8
    case transferError = 12, connectionError = 14, connectionTimeout = 15, connectionLost = 16
    case cancelled = 28, diskRead = 35, diskWrite = 36, badPath = 41, statusError = 43, closedPort = 44
    case insecureConnection = 51, illegalCharacters = 56, linkLoop = 63, cannotRename = 64
  }

  let code: Int
  let text: String

  init(code: Int, _ text: String) {
    self.code = code
    self.text = text
  }

  init(_ code: Code, _ text: String) { self.init(code: code.rawValue, text) }

  /// Runs a function, and replaces its error, whose text may contain more than the client should see.
  static func replacingErrors(by code: Code, _ text: String, _ body: () throws -> Void) throws(Failure) {
    do { try body() } catch { throw Failure(code, text) }
  }

  static let cancelled = Failure(.cancelled, "Session cancelled")
  static func usage(_ text: String) -> Failure { Failure(.usage, text) }

  /// Creates the failure of a request to the transfer server, whose port can be closed only for the first request.
  init(_ error: TransportError, isFirstRequest: Bool) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .connectionFailed where isFirstRequest:
      self.init(.closedPort, "Failed to open TCP connection to the transfer desk")
    case .timeout: self.init(.connectionTimeout, "The transfer desk did not respond in time")
    default: self.init(.connectionLost, "The connection to the transfer desk was lost")
    }
  }
}
