// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import Foundation
internal import StorageAuth
internal import StorageCrypto

/// One check of an account: runs the SSH client in a temporary folder, and interprets what the client reports.
struct ProbeRun {
  let runner: any ProbeProgramRunner
  let time: any SigningClock
  let account: AsperaAccount
  let folder: TemporaryFolder
  let timeout: Duration
  /// The uptime at which the account check must have ended.
  let deadline: Duration

  /// Logs in with a credential, and returns a report about the login, or throws the reason for which it failed.
  func check(
    _ credential: SSHConnection.Credential, _ accountReport: AccountReport
  ) async throws(TransferFailure) -> AccountProbeReport {
    let hostKeys = try await writeAcceptedHostKeys()
    do { try credential.write(to: folder) } catch {
      throw TransferFailure(uncheckable: error)
    }
    try write(SSHConnection.askpass, to: SSHConnection.askpassFile, isExecutable: true)
    let connection = SSHConnection(account: account, credential: credential, hostKeys: hostKeys)
    // After the server has accepted the account, it does not matter if the session does not end or prints too much.
    let session: ProbeProgramResult?
    let sessionResult = await result(of: connection.program(in: folder.path, timeout: remainingTime))
    let isAccepted = read(SSHConnection.acceptedFile) != nil
    switch sessionResult {
    case .success(let result): session = result
    case .failure(.timeout) where isAccepted, .failure(.outputTooLarge) where isAccepted: session = nil
    case .failure(let error): throw failure(error, of: "ssh")
    }
    let transcript = SSHTranscript(session?.errors ?? "")
    guard isAccepted else {
      let diagnosis = ProbeDiagnosis(account: account, transcript: transcript, prompts: prompts)
      let sha1Failure = await connectToFindSHA1Failure(accountReport, hostKeys, diagnosis)
      throw sha1Failure ?? diagnosis.failure
    }
    if transcript.has("password has expired", "Password change required") {
      throw ProbeDiagnosis.expiredPassword(account.user, account.serverName)
    }
    let hostKey = HostKeyList(read(SSHConnection.hostKeyFile) ?? "").entries.first?.key
    let method = transcript.method ?? likelyMethod
    return AccountProbeReport(
      method: method, hostKey: hostKey, isHostKeyPinned: account.hostKey != nil,
      serverVersion: transcript.serverVersion, notes: notes(on: method, hostKey, session, accountReport))
  }

  /// Writes the pinned host key to the known-hosts file, and returns the host keys that the client must accept.
  ///
  /// A server has one key per type, and publishes the fingerprint of one of these keys. The scanned keys are only
  /// claims: the SSH connection itself makes the server prove possession of the key.
  private func writeAcceptedHostKeys() async throws(TransferFailure) -> SSHConnection.HostKeys {
    guard let fingerprint = account.hostKey else { return .any }
    // Two connections can follow: one with the credential, and one that finds the cause of a failure.
    let seconds = max(1, remainingTime.components.seconds / 3)
    let scan = ProbeProgram(
      arguments: ["ssh-keyscan", "-T", "\(seconds)", "-p", "\(account.sshPort)", "--", account.host],
      folder: folder.path, environment: ["LC_ALL": "C"], timeout: remainingTime)
    let offeredKeys: HostKeyList
    switch await result(of: scan) {
    case .success(let result): offeredKeys = HostKeyList(result.output)
    case .failure(let error): throw failure(error, of: "ssh-keyscan")
    }
    guard !offeredKeys.entries.isEmpty else { throw await connectToFindHostKeyFailure() }
    guard let entry = offeredKeys.entries.first(where: { $0.key.fingerprint == fingerprint }) else {
      let offeredText = offeredKeys.entries.map { "\($0.key.fingerprint) (\($0.key.type))" }.joined(separator: ", ")
      throw TransferFailure(
        .hostKey,
        "\(account.serverName) has no host key with the fingerprint \(fingerprint); it offers \(offeredText).",
        remedy: "Ask the server's administrator before you change the fingerprint; no credential was sent.")
    }
    try write("\(SSHConnection.hostKeyAlias) \(entry.key.type) \(entry.text)\n", to: SSHConnection.hostKeyFile)
    return .listed(type: entry.key.type)
  }

  /// Returns the failure for a server that rejected an RSA key because it accepts only signatures with SHA-1.
  ///
  /// Some servers announce other algorithms and then reject them: OpenSSH 9.2 with `PubkeyAcceptedAlgorithms ssh-rsa`
  /// does. Only a second connection, with the public key alone and without a signature, tells this from an unknown key.
  private func connectToFindSHA1Failure(
    _ accountReport: AccountReport, _ hostKeys: SSHConnection.HostKeys, _ diagnosis: ProbeDiagnosis
  ) async -> TransferFailure? {
    guard diagnosis.isKeyUnknown, case .privateKey(let key) = accountReport.authentication, case .rsa = key.kind,
      (try? write("\(key.publicKey)\n", to: SSHConnection.queriedKeyFile)) != nil
    else { return nil }
    let connection = SSHConnection(account: account, credential: .sha1Query, hostKeys: hostKeys)
    guard case .success(let result) = await result(of: connection.program(in: folder.path, timeout: remainingTime)),
      SSHTranscript(result.errors).has("Server accepts key")
    else { return nil }
    return diagnosis.sha1Failure
  }

  /// Returns the reason why the server presented no host key, which `ssh` reports, unlike `ssh-keyscan`.
  private func connectToFindHostKeyFailure() async -> TransferFailure {
    let connection = SSHConnection(account: account, credential: .none, hostKeys: .none)
    switch await result(of: connection.program(in: folder.path, timeout: remainingTime)) {
    case .failure(let error): return failure(error, of: "ssh")
    case .success(let result):
      let transcript = SSHTranscript(result.errors)
      let failure = ProbeDiagnosis(account: account, transcript: transcript, prompts: []).failure
      guard transcript.has("Host key verification failed") else { return failure }
      return TransferFailure(
        .transport, "\(account.serverName) presents its host key to ssh but not to ssh-keyscan.",
        remedy: "Try again; a server that limits simultaneous connections does this.")
    }
  }

  private func notes(
    on method: AccountProbeReport.Method, _ hostKey: AccountProbeReport.HostKey?, _ session: ProbeProgramResult?,
    _ accountReport: AccountReport
  ) -> [String] {
    var notes: [String] = []
    if method == .none {
      notes.append("The server accepts \(account.user) without a credential; that of the account was not checked.")
    }
    if account.hostKey == nil {
      let pin = hostKey.map { ", such as \($0.fingerprint) if that is right" } ?? ""
      notes.append("Any host key was accepted, because the account pins none: give it the fingerprint\(pin).")
    }
    switch session?.status {
    case 0?: break
    case let status?:
      notes.append("A session ended with status \(status), which is usual for an account that is only for transfers.")
    case nil: notes.append("A session was opened and did not end by itself.")
    }
    if case .privateKey(let key) = accountReport.authentication {
      notes += key.limits.filter { $0.client == .ascp }.map(\.reason)
    }
    return notes
  }

  /// The authentication method that the prompts indicate, for use if the client did not report the method.
  private var likelyMethod: AccountProbeReport.Method {
    guard case .password = account.authentication else { return .publicKey }
    // OpenSSH prefixes a prompt from the server with the account in parentheses.
    return prompts.first.map { $0.hasPrefix("(") ? .keyboardInteractive : .password } ?? .none
  }

  /// The prompts that the askpass program recorded.
  private var prompts: [String] {
    (read(SSHConnection.promptsFile) ?? "").words(between: SSHConnection.promptSeparator).map { String($0) }
  }

  private var remainingTime: Duration { max(deadline - time.uptime, .seconds(1)) }

  private func result(of program: ProbeProgram) async -> Result<ProbeProgramResult, ProbeProgramError> {
    await Result.catching { () async throws(ProbeProgramError) in try await runner.run(program) }
  }

  private func failure(_ error: ProbeProgramError, of programName: String) -> TransferFailure {
    switch error {
    case .notStarted:
      TransferFailure(
        .caller, "The program \(programName) is not on this machine, or cannot be started.",
        remedy: "Install OpenSSH's client (Debian: openssh-client) and make sure that it is on the PATH.")
    case .cancelled: .checkCancelled
    case .timeout:
      TransferFailure(
        .transport,
        "\(account.serverName) did not accept \(account.user) within \(timeout.components.seconds) seconds.",
        remedy: "Try again, or increase the timeout of the check.")
    case .outputTooLarge:
      TransferFailure(
        .transport, "\(account.serverName) sent more than the output limit before it accepted \(account.user).",
        remedy: "Check that the port is that of the SSH server.")
    }
  }

  private func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(folder.path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  private func write(_ text: String, to name: String, isExecutable: Bool = false) throws(TransferFailure) {
    do {
      _ = try folder.write(Array(text.utf8), to: name, isExecutable: isExecutable)
    } catch { throw TransferFailure(uncheckable: error) }
  }
}

/// A list of host keys in the form of `ssh-keyscan` output and known-hosts files.
struct HostKeyList {
  struct Entry: Equatable {
    let key: AccountProbeReport.HostKey
    /// The host key in SSH's binary encoding, Base64-encoded.
    let text: String
  }

  /// The host keys without duplicates, in the order of the input.
  let entries: [Entry]

  init(_ lines: String) {
    var entries: [Entry] = []
    for line in lines.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let fields = line.split(separator: " ")
      guard fields.count >= 3, let blob = [UInt8](base64: String(fields[2])),
        let key = AccountProbeReport.HostKey(type: String(fields[1]), blob: blob)
      else { continue }
      let entry = Entry(key: key, text: String(fields[2]))
      if !entries.contains(entry) { entries.append(entry) }
    }
    self.entries = entries
  }
}

extension AccountProbeReport.HostKey {
  /// Creates a description of an encoded host key, or returns `nil` if the key does not have the given type.
  init?(type: String, blob: [UInt8]) {
    let name = Array(type.utf8)
    guard name.count < 256, blob.starts(with: [0, 0, 0, UInt8(name.count)] + name) else { return nil }
    self.type = type
    fingerprint = HostKeyFingerprint(ofKey: blob)
    let digest = String(writing: { $0.append(base64: SHA256.hash(blob)) })
    sha256 = "SHA256:\(digest.prefix { $0 != "=" })"
  }
}
