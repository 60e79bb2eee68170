// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
public import AsperaTransfer
internal import StorageAuth

/// A probe that checks an account on its Aspera server with this machine's SSH client, without ascp.
///
/// An Aspera server checks the account over SSH before everything else, so OpenSSH can determine whether the server
/// accepts the account. The probe does not check tokens, or which files the account can transfer.
///
/// The password and the passphrase are passed only in the environment of the SSH client. If the account pins a host
/// key, the probe sends credentials only to a server that has proven possession of that key.
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

  /// Creates a probe that runs the programs of this machine.
  ///
  /// - Parameters:
  ///   - machine: The context that provides the key file, the `PATH` for `ssh` and `ssh-keyscan`, and the clock.
  ///   - timeout: The maximum duration of an account check.
  public init(_ machine: ProviderContext, timeout: Duration = .seconds(30)) {
    self.init(machine, timeout: timeout, runner: nil, temporary: nil)
  }

  /// Creates a probe with a replaceable program runner and folder, for tests.
  ///
  /// - Parameters:
  ///   - machine: The context that provides the key file and the clock.
  ///   - timeout: The maximum duration of an account check.
  ///   - runner: The runner that starts the programs, or `nil` to run the programs of this machine.
  ///   - temporary: The parent of temporary folders, or `nil` to use the system's temporary directory.
  package init(
    _ machine: ProviderContext, timeout: Duration = .seconds(30), runner: (any ProbeCommandRunner)?, temporary: String?
  ) {
    self.machine = machine
    self.timeout = timeout
    self.runner =
      runner ?? SubprocessProbeRunner(path: machine.environment("PATH") ?? "/usr/bin:/bin", time: machine.time)
    self.temporary = temporary
  }

  /// Checks an account by logging in to its server and logging out again.
  ///
  /// The only command that is sent to the server is `exit`, whose result does not matter. A password is sent only once,
  /// so that the check does not lock the account.
  ///
  /// - Parameter account: The account to check.
  /// - Returns: A report about the login that the server accepted.
  /// - Throws: A `TransferFailure`: `account` if the server rejects the account or the key is unusable, `hostKey` if
  ///   the server does not have the pinned host key, `transport` if the server cannot be reached, `caller` if this
  ///   machine lacks a program, `cancelled` if the task was cancelled, and `other` if the SSH client failed for an
  ///   unknown reason.
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

extension TransferFailure {
  /// Creates a transfer failure from an error during an account check, in the account or on this machine.
  init(uncheckable error: AsperaError) {
    let isAccount = ![.failed, .toolNotFound].contains(error.code)
    self.init(isAccount ? .account : .caller, error.message, remedy: error.remedy)
  }

  /// The failure of an account check that was cancelled.
  static let checkCancelled = TransferFailure(.cancelled, "The check was cancelled.", remedy: "Start it again.")

  /// Returns the failure for an OpenSSH program that is missing on this machine.
  static func noSuchProgram(_ program: String) -> TransferFailure {
    TransferFailure(
      .caller, "The program \(program) is not on this machine, or cannot be started.",
      remedy: "Install OpenSSH's client (Debian: openssh-client) and make sure that it is on the PATH.")
  }
}
