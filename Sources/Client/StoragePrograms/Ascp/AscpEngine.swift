// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A transfer engine that runs IBM's ascp, which must be installed on this machine.
///
/// Each attempt is one process in its own session (`setsid`), without a terminal and with an empty standard input, so
/// that the process cannot prompt for a password. ascp receives passwords, keys and tokens only in its environment. The
/// file lists are in a folder that only this user can access and that is removed after the attempt. ascp inherits only
/// `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `TMPDIR` and `TZ` from this process's environment.
///
/// When the task is cancelled, the engine sends a cancel command to ascp over the management port. If ascp does not
/// exit, ascp and the processes that it started receive SIGTERM and finally SIGKILL. If this process itself is killed,
/// the management connection closes, which ends ascp. Only the file lists remain in that case.
///
/// An attempt of a specification with `multi_session` is as many processes, which start at once or
/// `AscpOptions.sessionSpacing` apart, with the same token, and report and end like one: their progress is added up,
/// and if one fails, the others are cancelled. If ``options`` contain the number of one session, only this session
/// runs. A persistent session cannot be divided.
///
/// Before its first attempt with a server, and after an attempt that failed because of the network, the engine connects
/// to the server's TCP port and hangs up, so that a closed port is reported as such. The check is left out with a
/// proxy, with `http_fallback` and with `use_system_ssh`.
///
/// ```swift
/// let engine = try AscpEngine()
/// let summary = try await engine.run(spec, additions: nil) { print($0) }
/// ```
public struct AscpEngine: TransferEngine {
  /// The path of the ascp executable.
  public let program: String

  /// The ascp options that the specification does not determine.
  ///
  /// If the options contain no home directory, the engine uses this process's `HOME`.
  public internal(set) var options: AscpOptions

  let limits: AscpLimits
  let time: any SigningClock
  let temporaryFiles: String?
  let environment: @Sendable (String) -> String?
  /// The check of servers before an attempt, or `nil` to leave it out.
  let reach: ServerReach?

  /// Creates an engine that runs the ascp installed on this machine.
  ///
  /// `program` is the path of ascp. If `nil`, it is that in `STORAGE_AUTH_ASCP`, on the `PATH` or where IBM installs it.
  /// The clock `time` measures the time limits.
  ///
  /// - Throws: An `AsperaError` that lists the searched locations if ascp is not found.
  public init(
    program: String? = nil, options: AscpOptions = AscpOptions(), limits: AscpLimits = AscpLimits(),
    time: any SigningClock = .system
  ) throws(AsperaError) {
    self.init(
      ascp: try AscpLocator().locate(program), options: options, limits: limits, time: time, reach: ServerReach())
  }

  init(
    ascp program: String, options: AscpOptions = AscpOptions(), limits: AscpLimits = AscpLimits(),
    time: any SigningClock = .system, temporaryFiles: String? = nil,
    environment: @escaping @Sendable (String) -> String? = { ProcessInfo.processInfo.environment[$0] },
    reach: ServerReach? = nil
  ) {
    self.program = program
    self.options = options
    self.limits = limits
    self.time = time
    self.temporaryFiles = temporaryFiles
    self.environment = environment
    self.reach = reach
  }

  /// Runs one attempt to carry out a transfer.
  ///
  /// When this method returns, all processes, temporary files and open ports of the attempt are gone.
  ///
  /// - Parameters:
  ///   - spec: The signed specification, which contains the account and the token.
  ///   - additions: The paths that are added to a persistent session, or `nil` if all paths are in `spec`.
  ///   - report: A function that receives the attempt's reports.
  /// - Returns: The number of transferred bytes and files.
  /// - Throws: A `TransferFailure`. Its kind is `caller` if ascp cannot be started with the specification, `cancelled`
  ///   if the task was cancelled, and `other` if the management port cannot be opened or ascp violates its protocol.
  ///   Otherwise the kind is based on ascp's error code and text.
  public func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?, report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    guard !Task.isCancelled else { throw .cancelled }
    guard let count = spec.sessionCount, count > 1, options.part == nil else {
      return try await runSession(spec, additions: additions, report: report)
    }
    guard additions == nil else { throw .cannotDividePersistentSession }
    let sessions = AscpSessions(count: count, spacing: options.sessionSpacing, clock: time)
    return try await sessions.run(report: report) { number, report throws(TransferFailure) in
      var engine = self
      engine.options.part = AscpOptions.Part(index: number, of: count, separatesPorts: options.separatesPorts)
      return try await engine.runSession(spec, additions: nil, report: report)
    }
  }

  /// Runs one session as one process.
  ///
  /// Four types share the work. An ``AscpInvocation`` has the arguments, the environment and the file lists of an
  /// `AscpCommand`, and an ``AscpProcess`` runs them. An ``AscpRun`` owns the management connection and the
  /// ``AscpAttempt``, a state machine without side effects: it passes in what happens and does what comes out, such as
  /// to end the process. The engine starts both, and asks the state machine for the result when the process has exited.
  private func runSession(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?, report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    try await reach?.requireReachable(spec, with: options, within: limits.reach)
    let (cancellations, canceller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // An unstructured task: a child task would be cancelled with this one, and could no longer send the command that
    // cancels the transfer, nor wait for ascp to exit.
    let session = Task { await startSession(spec, additions: additions, cancellations: cancellations, report: report) }
    let result = await withTaskCancellationHandler {
      await session.value
    } onCancel: {
      canceller.yield()
    }
    if case .failure(let failure) = result, failure.kind == .transport { reach?.repeatCheck(of: spec, with: options) }
    return try result.get()
  }

  /// The options with the home directory, which replaces `~` in the paths of keys.
  var startOptions: AscpOptions {
    var options = options
    options.homeDirectory = options.homeDirectory ?? environment("HOME")
    return options
  }

  /// Opens the management port, writes the file lists, and removes both after ascp has exited.
  private func startSession(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?, cancellations: AsyncStream<Void>,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async -> Result<TransferSummary, TransferFailure> {
    guard let listener = try? await ManagementListener() else { return .failure(.noManagementPort) }
    let result: Result<TransferSummary, TransferFailure>
    do throws(AsperaError) {
      var spec = spec
      if additions != nil { spec.isPersistent = true }
      let command = try AscpCommand(spec, options: startOptions, managementPort: listener.port)
      let invocation = try AscpInvocation(command, in: temporaryFiles)
      defer { invocation.removeFiles() }
      result = await supervise(
        invocation, on: listener, additions: additions, cancellations: cancellations, report: report)
    } catch { result = .failure(TransferFailure(unusable: error)) }
    listener.close()
    await listener.waitUntilClosed()
    return result
  }

  /// Runs the process and passes on its frames, cancellations and added paths, until it has exited.
  private func supervise(
    _ invocation: AscpInvocation, on listener: ManagementListener, additions: AsyncStream<[TransferPath]>?,
    cancellations: AsyncStream<Void>, report: @escaping @Sendable (TransferReport) -> Void
  ) async -> Result<TransferSummary, TransferFailure> {
    let (terminations, terminator) = AsyncStream.makeStream(of: Void.self)
    let attempt = AscpAttempt(
      limits: limits, mask: SecretMask(invocation.environment.values), isPersistent: additions != nil)
    let run = AscpRun(attempt, listener: listener, time: time, report: report) { terminator.yield() }
    let process = makeProcess(invocation.arguments, invocation.environment)
    let processTask = Task { await process.run(terminations: terminations) { await run.recordEndAndWaitUntilOver() } }
    await run.startTimeouts { processTask.cancel() }
    let ended = await withTaskGroup(of: Void.self) { group in
      group.addTask { await run.receiveFrames() }
      group.addTask { for await _ in cancellations { await run.receive(.cancelled) } }
      if let additions {
        group.addTask { await run.sendPaths(additions) }
      }
      let ended = await processTask.value
      await run.finish()
      group.cancelAll()
      return ended
    }
    return await run.outcome(of: ended.ending, printed: ended.printed)
  }

  /// The environment variables that ascp inherits: no others, such as another user's token, must affect a transfer.
  private static let inheritedVariables = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ",
  ]

  /// Returns a process with ascp's own variables, which take precedence over the inherited ones.
  func makeProcess(_ arguments: [String], _ ascpVariables: [String: Secret]) -> AscpProcess {
    var variables = ascpVariables
    for name in Self.inheritedVariables where ascpVariables[name] == nil {
      variables[name] = environment(name).map { Secret($0) }
    }
    return AscpProcess(program: program, arguments: arguments, environment: variables, printedLimit: limits.printed)
  }

  /// Runs an ascp process without a management port, and kills the process after the time limit for a login.
  func runWithoutPort(_ process: AscpProcess) async -> (ending: AscpProcess.Ending, printed: String) {
    await withTaskGroup(of: (ending: AscpProcess.Ending, printed: String)?.self) { group in
      group.addTask { await process.run() }
      group.addTask { [time, limits] in
        try? await time.sleep(for: limits.login)
        return nil
      }
      // The task that ends first cancels the other one. Both are awaited, so that the process has ended.
      var result: (ending: AscpProcess.Ending, printed: String)?
      for await ended in group {
        group.cancelAll()
        result = result ?? ended
      }
      return result ?? (.killed, "")
    }
  }
}

/// The time limits of an ``AscpEngine``, and the maximum size of the ascp output that the engine retains.
public struct AscpLimits: Sendable, Hashable {
  /// The maximum time until the transfer server accepts a connection, which is checked before ascp is started.
  public var reach: Duration = .seconds(15)
  /// The maximum time until ascp connects to the management port.
  public var connect: Duration = .seconds(30)

  /// The maximum time without a message while ascp connects to the server or transfers files.
  ///
  /// ascp itself gives up sooner. The limit does not apply to a running persistent session.
  public var silence: Duration = .seconds(300)

  /// The maximum time until ascp exits after its last message.
  public var exit: Duration = .seconds(5)
  /// The maximum time until ascp's last messages arrive after ascp has exited.
  public var arrival: Duration = .seconds(10)
  /// The maximum time until ascp exits after a cancel command on the management port.
  public var cancel: Duration = .seconds(5)
  /// The maximum time until ascp exits after SIGTERM, before ascp receives SIGKILL.
  public var terminate: Duration = .seconds(5)
  /// The maximum duration of a login test, and of a run that prints ascp's version.
  public var login: Duration = .seconds(120)
  /// The maximum number of bytes from the end of ascp's printed output that are retained for error messages.
  public var printed = 16_384

  /// Creates limits with the default values.
  public init() {}
}

extension TransferQueue {
  /// Creates a transfer queue that uses the ascp installed on this machine and a token issuer.
  ///
  /// The parameters are those of the initializer with an engine.
  ///
  /// - Throws: An `AsperaError` that lists the searched locations if ascp is not found.
  public convenience init(
    account: AsperaAccount? = nil, issuer: some TokenIssuer,
    configuration: TransferQueueConfiguration = TransferQueueConfiguration(), authEvents: EventHub = EventHub(),
    in context: ProviderContext = .local
  ) throws(AsperaError) {
    self.init(
      engine: try AscpEngine(), account: account, issuer: issuer, configuration: configuration, authEvents: authEvents,
      in: context)
  }
}

extension AscpEngine {
  /// Returns the version that the engine's ascp prints for `ascp -A`.
  ///
  /// - Returns: The version, with notes about the limitations of an old version.
  /// - Throws: An `AsperaError` if the program prints no version in time, for example because it is not IBM's ascp.
  public func version() async throws(AsperaError) -> AscpVersion {
    let ran = await runWithoutPort(makeProcess(["-A"], [:]))
    guard ran.ending == .exited(0), let version = AscpVersion(output: ran.printed) else {
      throw AsperaError(
        .failed, "\(program) does not print a version of ascp.",
        remedy: "Run it with -A to see its output; use another program if it is not IBM's ascp.")
    }
    return version
  }

  /// Tests whether the server of an account accepts it, without a transfer and without a token.
  ///
  /// ascp connects, checks the host key if the account pins one, logs in, and exits. The only explanation of a failed
  /// login is the text that ascp prints.
  ///
  /// - Returns: The result of the login, which is `.refused` also without a response in time, or if it was cancelled.
  public func testLogin(_ account: AsperaAccount) async -> AscpLogin {
    do throws(AsperaError) {
      let command = try AscpCommand.testLogin(try account.loginSpecification(), options: startOptions)
      let invocation = try AscpInvocation(command, in: temporaryFiles)
      defer { invocation.removeFiles() }
      let ran = await runWithoutPort(makeProcess(invocation.arguments, invocation.environment))
      let printed = SecretMask(invocation.environment.values).applied(to: ran.printed)
      switch ran.ending {
      case .exited(0): return .accepted
      case .notStarted(let reason): return .refused(.notStarted(reason))
      case .killed where Task.isCancelled: return .refused(.cancelled)
      case .killed: return .refused(.noAnswer(within: limits.login, printed: printed))
      case .exited, .signalled: return .refused(.ended(ran.ending, printed: printed))
      }
    } catch { return .refused(TransferFailure(unusable: error)) }
  }
}

extension AsperaAccount {
  /// Returns a signed specification for a login, without a token even if the account's transfers require one.
  fileprivate func loginSpecification() throws(AsperaError) -> TransferSpec {
    var account = self
    account.requiresToken = false
    do {
      return try TransferSigner(account: account).signed(
        TransferSpec(.send, []), with: TransferCredential(token: nil), in: .now)
    } catch { throw AsperaError(.invalidAccount, error.message, remedy: error.remedy) }
  }
}

/// The version of an installed ascp, with its known limitations.
public struct AscpVersion: Sendable, Hashable, CustomStringConvertible {
  /// The version number as ascp prints it, such as `4.4.5.1646`.
  public let description: String

  /// Parses the output of `ascp -A`, of which the first line that begins with `ascp version` contains the version.
  init?(output: String) {
    let prefix = "ascp version "
    let line = output.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(prefix) }
    guard let text = line?.dropFirst(prefix.count).split(separator: " ").first, text.first?.isNumber == true else {
      return nil
    }
    description = String(text)
  }

  /// The major version number, or 0 if the version does not begin with a number.
  public var major: Int { description.split(separator: ".").first.flatMap { Int(digits: $0) } ?? 0 }

  /// The known limitations of this version with current servers, one sentence each.
  public var notes: [String] {
    guard major < 4 else { return [] }
    return [
      "ascp \(description) knows only RSA and DSA host keys with SHA-1: a fingerprint of another key of the server "
        + "never matches, and a server that has switched SHA-1 off ends in code 19.",
      "ascp \(description) reads no ECDSA or Ed25519 keys, and none in the format of OpenSSH: code 19 as well.",
    ]
  }
}

/// The result of a login test, which checks whether a server accepts an account.
public enum AscpLogin: Sendable, Hashable {
  /// The server accepts the account, but may still require a token for a transfer.
  case accepted
  /// The login failed or was not completed, for the given reason.
  case refused(TransferFailure)
}
