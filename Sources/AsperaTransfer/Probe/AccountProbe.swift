public import AsperaAuth
public import CloudCredentials
internal import StorageAuth

/// Checks an account against its server without ascp, through the SSH client of this machine.
///
/// A server checks the account over SSH before anything else, so that OpenSSH can tell whether it takes the account. The
/// probe says nothing about tokens and about what may be transferred.
///
/// The password and the passphrase are in the environment of the SSH client alone. If the account names a host key, no
/// credential is sent to a server that has not proven that it holds this key.
///
/// ```swift
/// let report = try await AccountProbe(machine).check(account)
/// print(report.method, report.hostKey?.fingerprint.description ?? "")
/// ```
public struct AccountProbe: Sendable {
  let machine: ProviderContext
  let timeout: Duration
  let runner: any ProbeCommandRunner
  let temporary: String?

  /// Makes a probe.
  ///
  /// - Parameters:
  ///   - machine: Where the key is read and the programs `ssh` and `ssh-keyscan` are found, and whose clock the time is
  ///     taken from.
  ///   - timeout: How long a check may take.
  public init(_ machine: ProviderContext, timeout: Duration = .seconds(30)) {
    self.init(machine, timeout: timeout, runner: nil, temporary: nil)
  }

  /// Makes a probe of parts; for tests.
  ///
  /// - Parameters:
  ///   - machine: Where the key is read, and whose clock the time is taken from.
  ///   - timeout: How long a check may take.
  ///   - runner: Runs the programs; those of this machine, if not given.
  ///   - temporary: Where temporary folders are made; where this machine has them, if not given.
  package init(
    _ machine: ProviderContext, timeout: Duration = .seconds(30), runner: (any ProbeCommandRunner)?, temporary: String?
  ) {
    self.machine = machine
    self.timeout = timeout
    self.runner =
      runner ?? SubprocessProbeRunner(path: machine.environment("PATH") ?? "/usr/bin:/bin", time: machine.time)
    self.temporary = temporary
  }

  /// Logs in and out again.
  ///
  /// Nothing is run on the server but `exit`, and whether it may run does not matter. A password is sent once: an account
  /// is not locked by a check.
  ///
  /// - Parameter account: The account.
  /// - Returns: What the server said when it accepted the account.
  /// - Throws: A ``TransferFailure``: `account` if the server does not take the account or the key cannot be used,
  ///   `hostKey` if the server is not the one that the account names, `transport` if it was not reached, `caller` if this
  ///   machine lacks a program, `cancelled` if the task was cancelled.
  public func check(_ account: AsperaAccount) async throws(TransferFailure) -> AccountProbeReport {
    let deadline = machine.time.uptime + timeout
    let facts: AccountReport
    let credential: ProbeCredential
    let folder: TemporaryFolder
    do {
      facts = try await account.check(on: machine)
      credential = try ProbeCredential(of: account, on: machine)
      folder = try TemporaryFolder(in: temporary)
    } catch {
      throw Task.isCancelled ? .checkCancelled : TransferFailure(uncheckable: error)
    }
    defer { folder.remove() }
    let run = ProbeRun(
      runner: runner, time: machine.time, account: account, folder: folder, timeout: timeout, deadline: deadline)
    return try await run.report(credential, facts)
  }
}
