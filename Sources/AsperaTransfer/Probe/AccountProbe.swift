// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import CloudCredentials
internal import StorageAuth

/// A check of an account against its server without ascp, with this machine's SSH client.
///
/// An Aspera server checks the account over SSH before everything else, so OpenSSH can determine whether the server
/// accepts it. The probe checks neither tokens nor what the account may transfer.
///
/// The password and the passphrase are passed only in the environment of the SSH client. If the account pins a host
/// key, the probe sends no credential to a server that has not proven possession of that key.
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

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - machine: The context from which the probe gets the key file, the `PATH` for `ssh` and `ssh-keyscan`, and the
  ///     clock.
  ///   - timeout: The maximum duration of a check.
  public init(_ machine: ProviderContext, timeout: Duration = .seconds(30)) {
    self.init(machine, timeout: timeout, runner: nil, temporary: nil)
  }

  /// Creates a probe with replaceable parts, for tests.
  ///
  /// - Parameters:
  ///   - machine: The context from which the probe gets the key file and the clock.
  ///   - timeout: The maximum duration of a check.
  ///   - runner: The runner of the programs, or `nil` to run those of this machine.
  ///   - temporary: The parent of temporary folders, or `nil` for the system's default.
  package init(
    _ machine: ProviderContext, timeout: Duration = .seconds(30), runner: (any ProbeCommandRunner)?, temporary: String?
  ) {
    self.machine = machine
    self.timeout = timeout
    self.runner =
      runner ?? SubprocessProbeRunner(path: machine.environment("PATH") ?? "/usr/bin:/bin", time: machine.time)
    self.temporary = temporary
  }

  /// Logs in to the server and out again.
  ///
  /// The only command that is sent to the server is `exit`, and its result does not matter. A password is sent only
  /// once, so that a check does not lock an account.
  ///
  /// - Parameter account: The account.
  /// - Returns: The facts about the login that the server accepted.
  /// - Throws: A ``TransferFailure``: `account` if the server rejects the account or the key is unusable, `hostKey` if
  ///   the server does not have the pinned host key, `transport` if the server cannot be reached, `caller` if this
  ///   machine lacks a program, `cancelled` if the task was cancelled, `other` if the SSH client failed for an unknown
  ///   reason.
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
