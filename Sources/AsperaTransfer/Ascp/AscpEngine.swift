public import AsperaAuth
public import StorageAuth

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Carries out transfers with IBM's ascp, which has to be on this machine.
///
/// Each attempt is one process, in a session of its own, without a terminal and with an empty standard input, so that it
/// cannot ask for a password. Passwords, keys and tokens go to it in its environment and in nothing else; the lists of
/// files are in a folder that only this user can enter, which is removed with the attempt. Of this process's environment
/// it gets `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `TMPDIR` and `TZ`.
///
/// When the task is cancelled, ascp is told so on its management port; if it does not end, it and what it started get
/// SIGTERM and at last SIGKILL. If this process itself is killed, the management port closes, which ends ascp; only the
/// list of files is left then.
///
/// One attempt is one session: a specification with `multi_session` needs ``options`` that say which session of it this
/// is, and an engine for each.
///
/// ```swift
/// let engine = try AscpEngine()
/// let summary = try await engine.run(spec, additions: nil) { print($0) }
/// ```
public struct AscpEngine: TransferEngine {
  /// The program.
  public let program: String

  /// What ascp is started with besides what follows from a specification; the home directory is filled in.
  public let options: AscpOptions

  let limits: AscpLimits
  let time: any SigningClock
  let temporaryFiles: String?
  let environment: @Sendable (String) -> String?

  /// Uses the ascp of this machine.
  ///
  /// - Parameters:
  ///   - program: The path of ascp; `nil` looks for it in `STORAGE_AUTH_ASCP`, on the `PATH` and where IBM's products put
  ///     it.
  ///   - options: What ascp is started with besides what follows from a specification.
  ///   - limits: How long is waited for what.
  ///   - time: Whose clock is waited by.
  /// - Throws: An `AsperaError` that lists the places searched if there is none.
  public init(
    program: String? = nil, options: AscpOptions = AscpOptions(), limits: AscpLimits = AscpLimits(),
    time: any SigningClock = .system
  ) throws(AsperaError) {
    self.init(ascp: try AscpLocator().locate(program), options: options, limits: limits, time: time)
  }

  init(
    ascp program: String, options: AscpOptions = AscpOptions(), limits: AscpLimits = AscpLimits(),
    time: any SigningClock = .system, temporaryFiles: String? = nil,
    environment: @escaping @Sendable (String) -> String? = { ProcessInfo.processInfo.environment[$0] }
  ) {
    self.program = program
    self.options = options
    self.limits = limits
    self.time = time
    self.temporaryFiles = temporaryFiles
    self.environment = environment
  }

  /// Carries out one attempt.
  ///
  /// Nothing is left of it when this returns: no process, no temporary file, no open port.
  public func run(
    _ spec: TransferSpec, additions: AsyncStream<[TransferPath]>?,
    report: @escaping @Sendable (TransferReport) -> Void
  ) async throws(TransferFailure) -> TransferSummary {
    guard !Task.isCancelled else { throw .cancelled }
    let (cancellations, canceller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Not a child of this task: it has to stop in order when this one is cancelled.
    let attempt = Task {
      await self.attempt(spec, additions: additions, cancellations: cancellations, report: report)
    }
    return try await withTaskCancellationHandler {
      await attempt.value
    } onCancel: {
      canceller.yield()
    }.get()
  }

  /// The options with the home directory of this process, where they name none.
  var startOptions: AscpOptions {
    var options = options
    options.homeDirectory = options.homeDirectory ?? environment("HOME")
    return options
  }

  private func attempt(
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
      result = await run(invocation, on: listener, additions: additions, cancellations: cancellations, report: report)
    } catch {
      result = .failure(TransferFailure(unusable: error))
    }
    listener.shut()
    await listener.closed()
    return result
  }

  private func run(
    _ invocation: AscpInvocation, on listener: ManagementListener, additions: AsyncStream<[TransferPath]>?,
    cancellations: AsyncStream<Void>, report: @escaping @Sendable (TransferReport) -> Void
  ) async -> Result<TransferSummary, TransferFailure> {
    let (terminations, terminator) = AsyncStream.makeStream(of: Void.self)
    let attempt = AscpAttempt(
      limits: limits, mask: SecretMask(invocation.environment.values), isPersistent: additions != nil)
    let run = AscpRun(
      attempt, listener: listener, time: time, report: report
    ) { terminator.yield() }
    let process = Task {
      await self.process(invocation).run(terminations: terminations) { await run.isOver() }
    }
    await run.begin { process.cancel() }
    let ended = await withTaskGroup(of: Void.self) { group in
      group.addTask { await run.listen() }
      group.addTask {
        for await _ in cancellations { await run.handle(.cancelled) }
      }
      if let additions {
        group.addTask { await run.add(additions) }
      }
      let ended = await process.value
      await run.finish()
      group.cancelAll()
      return ended
    }
    return await run.result.outcome(of: ended.ending, printed: ended.printed)
  }

  /// The process of an invocation.
  func process(_ invocation: AscpInvocation) -> AscpProcess {
    AscpProcess(
      program: program, arguments: invocation.arguments,
      environment: AscpEnvironment(from: environment, own: invocation.environment), printedLimit: limits.printed)
  }
}
