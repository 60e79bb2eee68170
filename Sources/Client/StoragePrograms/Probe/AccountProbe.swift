// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
/// let report = try await AccountProbe(context).check(account)
/// print(report.method, report.hostKey?.fingerprint.description ?? "")
/// ```
public struct AccountProbe: Sendable {
  let context: ProviderContext
  let timeout: Duration
  let runner: any ProbeProgramRunner
  let temporaryFolder: String?

  /// Creates a probe that runs the programs of this machine, with a maximum duration of an account check.
  ///
  /// The context provides the key file, the `PATH` for `ssh` and `ssh-keyscan`, and the clock.
  public init(_ context: ProviderContext, timeout: Duration = .seconds(30)) {
    self.init(context, timeout: timeout, runner: nil, temporaryFolder: nil)
  }

  /// Creates a probe with a replaceable program runner and parent of temporary folders, for tests.
  package init(
    _ context: ProviderContext, timeout: Duration = .seconds(30), runner: (any ProbeProgramRunner)?,
    temporaryFolder: String?
  ) {
    self.context = context
    self.timeout = timeout
    self.runner =
      runner ?? SubprocessProbeRunner(searchPath: context.environment("PATH") ?? "/usr/bin:/bin", time: context.time)
    self.temporaryFolder = temporaryFolder
  }

  /// Checks an account by logging in to its server and logging out again.
  ///
  /// The only command that is sent to the server is `exit`, whose result does not matter. A password is sent only once,
  /// so that the check does not lock the account.
  ///
  /// - Returns: A report about the login that the server accepted.
  /// - Throws: A `TransferFailure`: `account` if the server rejects the account or the key is unusable, `hostKey` if
  ///   the server does not have the pinned host key, `transport` if the server cannot be reached, `caller` if this
  ///   machine lacks a program, `cancelled` if the task was cancelled, and `other` if the SSH client failed for an
  ///   unknown reason.
  public func check(_ account: AsperaAccount) async throws(TransferFailure) -> AccountProbeReport {
    let deadline = context.time.uptime + timeout
    let accountReport: AccountReport
    let credential: SSHConnection.Credential
    let folder: TemporaryFolder
    do {
      accountReport = try await account.check(on: context)
      credential = try SSHConnection.Credential(of: account, in: context)
      folder = try TemporaryFolder(in: temporaryFolder)
    } catch { throw Task.isCancelled ? .checkCancelled : TransferFailure(uncheckable: error) }
    defer { folder.remove() }
    let run = ProbeRun(
      runner: runner, time: context.time, account: account, folder: folder, timeout: timeout, deadline: deadline)
    return try await run.check(credential, accountReport)
  }
}

extension TransferFailure {
  init(uncheckable error: AsperaError) {
    let isAccount = ![.failed, .toolNotFound].contains(error.code)
    self.init(isAccount ? .account : .caller, error.message, remedy: error.remedy)
  }

  static let checkCancelled = TransferFailure(.cancelled, "The check was cancelled.", remedy: "Start it again.")
}

/// A report about a login that an Aspera server accepted.
public struct AccountProbeReport: Sendable, Hashable {
  /// A method by which a server can authenticate an account.
  public enum Method: String, Sendable, Hashable, CustomStringConvertible {
    /// A password that the client sent without a prompt from the server.
    case password
    /// A password that the client sent in response to a prompt from the server.
    case keyboardInteractive = "keyboard-interactive"
    /// A signature made with a private key.
    case publicKey = "publickey"
    /// No authentication, because the server accepts every client with this user name.
    ///
    /// The server did not check the account's credential.
    case none

    /// The name of the method in SSH, such as `publickey`.
    public var description: String { rawValue }
  }

  /// A server's host key.
  public struct HostKey: Sendable, Hashable {
    /// The type of the host key, such as `ssh-ed25519`.
    public let type: String
    /// The SHA-1 fingerprint of the host key, which an account can pin.
    public let fingerprint: HostKeyFingerprint
    /// The SHA-256 fingerprint of the host key in OpenSSH's form: `SHA256:` and Base64 without padding.
    public let sha256: String
  }

  /// The method by which the server authenticated the account.
  public let method: Method
  /// The host key of the server to which the client logged in, or `nil` if the client did not record the key.
  public let hostKey: HostKey?

  /// Whether the account pins the server's host key.
  ///
  /// If the account pins no host key, every host key was accepted, and the identity of the server was not verified.
  public let isHostKeyPinned: Bool

  /// The version of the server's SSH software, such as `OpenSSH_9.2p1`, or `nil` if the client did not report it.
  public let serverVersion: String?
  /// Additional findings about the login, one sentence each.
  public let notes: [String]
}
