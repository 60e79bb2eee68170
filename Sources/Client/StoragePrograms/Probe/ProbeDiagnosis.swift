// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth

/// A diagnosis of a failed login, based on the SSH client's output and its prompts.
struct ProbeDiagnosis {
  let account: AsperaAccount
  let transcript: SSHTranscript
  /// The texts of the prompts from the server, or from the client on the server's behalf.
  let prompts: [String]

  /// The failure, of which the most specific cause counts, because the client prints general messages in each case.
  var failure: TransferFailure {
    hostKeyFailure ?? keyFailure ?? promptFailure ?? rejectionFailure ?? transportFailure ?? unknownFailure
  }

  /// The failure if the client rejects the server's host key, or all of its signature algorithms.
  private var hostKeyFailure: TransferFailure? {
    if let offer = transcript.text(after: "no matching host key type found. Their offer: ") {
      let offeredAlgorithms = Set(offer.prefix { !$0.isWhitespace }.split(separator: ","))
      guard !offeredAlgorithms.isEmpty, offeredAlgorithms.isSubset(of: ["ssh-rsa", "ssh-dss"]) else {
        return TransferFailure(
          .hostKey,
          "\(server) has only host key algorithms that this machine's SSH client rejects; it offers "
            + "\(SSHTranscript.printable(offer)).",
          remedy: "Ask the server's administrator to update its SSH server.")
      }
      let algorithmNames = offeredAlgorithms.sorted().joined(separator: ", ")
      return TransferFailure(
        .hostKey,
        "\(server) signs with SHA-1 alone to prove its host key (\(algorithmNames)), which "
          + "this machine's SSH client rejects.",
        remedy: "Ask the server's administrator to update its SSH server. \(Self.ascpMayLogIn)")
    }
    guard transcript.has("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED") else { return nil }
    return TransferFailure(
      .hostKey, "\(server) presented another host key than a moment ago.",
      remedy: "Compare the fingerprint with the server's administrator before you send a credential to this server.")
  }

  /// The failure if the client cannot use the key, so that the server has not received a credential.
  private var keyFailure: TransferFailure? {
    if transcript.has("incorrect passphrase supplied", "bad passphrase") {
      return TransferFailure(
        .account, "The passphrase does not decrypt the key of \(user).",
        remedy: "Give the account the passphrase of this key; the server has received no credential.")
    }
    if let reason = transcript.text(after: "Load key \"\(SSHConnection.keyFile)\": ") {
      return TransferFailure(
        .account, "The SSH client of this machine cannot use the key of \(user): \(SSHTranscript.printable(reason)).",
        remedy: "Convert it with ssh-keygen -p, or create a new one: ssh-keygen -t ed25519.")
    }
    if transcript.has("no mutual signature") {
      // The client omits only RSA keys for this reason, so the server has announced SHA-1, or no algorithm at all.
      return sha1Failure
    }
    return nil
  }

  /// The failure for a server that accepts RSA signatures only with SHA-1.
  var sha1Failure: TransferFailure {
    TransferFailure(
      .account,
      "\(server) accepts RSA signatures with SHA-1 alone (ssh-rsa), which this machine's SSH client no longer creates "
        + "with the key of \(user).",
      remedy: "Use an ECDSA or Ed25519 key if the server accepts one, or ask its administrator to update its SSH "
        + "server. \(Self.ascpMayLogIn)")
  }

  /// The remedy for algorithms that only the SSH client rejects.
  private static let ascpMayLogIn =
    "An older ascp may still log in: test it with AscpEngine.testLogin, or with the option --test-login."

  /// The failure if the server sent another prompt after it received the password.
  private var promptFailure: TransferFailure? {
    guard case .password = account.authentication, prompts.count > 1, let lastPrompt = prompts.last else { return nil }
    let prompt = lastPrompt.lowercased()
    if ["new password", "current password", "old password", "expired"].contains(where: { prompt.contains($0) }) {
      return Self.expiredPassword(user, server)
    }
    if prompt.contains("password") { return passwordRejection }
    return TransferFailure(
      .account, "\(server) asks \(user) for more than a password: “\(excerpt(lastPrompt))”.",
      remedy: "Use an account that logs in with only a password or a key; ascp answers one prompt.")
  }

  static func expiredPassword(_ user: String, _ server: String) -> TransferFailure {
    TransferFailure(
      .account, "The password of \(user) at \(server) has expired.",
      remedy: "Set a new one on the server, for example with passwd in an ssh session.")
  }

  /// The failure if the server did not accept the credential, or accepted it and requires another one.
  private var rejectionFailure: TransferFailure? {
    if let missingMethods = transcript.missingMethods {
      let methodNames = excerpt(missingMethods.joined(separator: ", "))
      return TransferFailure(
        .account, "\(server) accepted the credential of \(user) and requires more: \(methodNames).",
        remedy: "Use an account that requires only one of them; ascp has one credential.")
    }
    guard let offeredMethods = transcript.offeredMethods else { return nil }
    let (credentialName, usableMethods) = credential
    guard offeredMethods.contains(where: { usableMethods.contains($0) }) else {
      return TransferFailure(
        .account,
        "\(server) does not allow logins with a \(credentialName); it offers "
          + "\(excerpt(offeredMethods.joined(separator: ", "))).",
        remedy: "Give the account a credential that the server accepts, or ask its administrator to allow a "
          + "\(credentialName).")
    }
    if transcript.has("Too many authentication failures", "Permission denied") {
      if case .privateKey = account.authentication { return keyRejection }
      return passwordRejection
    }
    guard !prompts.isEmpty || transcript.has("Server accepts key"), transcript.has("Connection closed by") else {
      return nil
    }
    return TransferFailure(
      .account, "\(server) closed the connection after it received the \(credentialName) of \(user).",
      remedy: "The account may be locked or expired, or not permitted to log in from here; see the log of the server.")
  }

  private var passwordRejection: TransferFailure {
    TransferFailure(
      .account, "\(server) refused the password of \(user).",
      remedy: "Check user and password. A locked account, or one without a password, is refused in the same way.")
  }

  /// Whether the server rejected a key without accepting its public key first.
  var isKeyUnknown: Bool {
    guard case .privateKey = account.authentication,
      transcript.has("Permission denied", "Too many authentication failures")
    else { return false }
    return !transcript.has("Server accepts key", "no mutual signature", "Load key ", "passphrase", "partial success")
      && transcript.offeredMethods?.contains("publickey") == true
  }

  private var keyRejection: TransferFailure {
    transcript.has("Server accepts key")
      ? TransferFailure(
        .account, "\(server) knows the public key of \(user) and refused the signature of the private one.",
        remedy: "The account may be locked, or the signature algorithm forbidden; see the log of the server.")
      : TransferFailure(
        .account, "\(server) refused the key of \(user).",
        remedy: "Put its public key into the authorized_keys of this user on the server, and check the user.")
  }

  private var transportFailure: TransferFailure? {
    for (text, problem, remedy) in Self.transportMessages where transcript.has(text) {
      return TransferFailure(.transport, "\(server) \(problem).", remedy: remedy)
    }
    return nil
  }

  private var unknownFailure: TransferFailure {
    let lastMessage = transcript.lastMessage.map { ": “\(excerpt($0))”" } ?? ""
    return TransferFailure(
      .other, "The SSH client of this machine gave up on \(server)\(lastMessage).",
      remedy: "Try the same with ssh -v -p \(account.sshPort) \(account.user)@\(account.host).")
  }

  private static let transportMessages: [(text: String, problem: String, remedy: String)] = [
    ("Could not resolve hostname", "has no address", "Check the name of the host, and the DNS of this machine."),
    (
      "Connection refused", "refused the connection",
      "Check the SSH port: Aspera servers listen on 33001 by default, and some on 22."
    ),
    ("timed out", "did not answer in time", "Check the host and the SSH port, and that no firewall blocks it."),
    ("No route to host", "cannot be reached from here", "Check the host, and the network of this machine."),
    ("Network is unreachable", "cannot be reached from here", "Check the host, and the network of this machine."),
    (
      "Unable to negotiate", "and the SSH client of this machine have no algorithm in common",
      "Update the SSH server; the log of ssh -v names what it offers."
    ),
    (
      "kex_exchange_identification", "closed the connection before it identified itself",
      "Check that the port is that of SSH. A server that is busy, or that blocks this address, does the same."
    ),
    ("Connection reset", "broke the connection", "Try again; a server that is busy does this."),
    ("Connection closed", "broke the connection", "Try again; a server that is busy does this."),
    ("Broken pipe", "broke the connection", "Try again; a server that is busy does this."),
  ]

  private var credential: (name: String, usableMethods: Set<String>) {
    switch account.authentication {
    case .password: ("password", ["password", "keyboard-interactive"])
    case .privateKey: ("key", ["publickey"])
    }
  }

  private var server: String { account.serverName }
  private var user: String { account.user }

  /// Returns text from the server in printable form, with the password masked in case the server sent it back.
  private func excerpt(_ text: String) -> String {
    guard case .password(let password) = account.authentication else { return SSHTranscript.printable(text) }
    return SSHTranscript.printable(SecretMask([password]).applied(to: text))
  }
}

/// The text that the SSH client prints to its standard error with the option `-vv`.
///
/// A server can make the client print any line, so that the transcript only explains the result of a login.
struct SSHTranscript {
  let lines: [Substring]

  init(_ text: String) { lines = text.split(whereSeparator: \.isNewline) }

  var serverVersion: String? { text(after: "remote software version ").map { String($0.prefix { !$0.isWhitespace }) } }

  /// The method of the login that succeeded, in one of the two forms in which versions of OpenSSH report it.
  var method: AccountProbeReport.Method? {
    for line in lines.reversed() {
      for (prefix, suffix) in [("Authenticated to ", "\"."), ("debug1: Authentication succeeded (", ").")] {
        guard line.hasPrefix(prefix), line.hasSuffix(suffix) else { continue }
        return AccountProbeReport.Method(
          rawValue: String(line.dropLast(suffix.count).split(whereSeparator: { "\"(".contains($0) }).last ?? ""))
      }
    }
    return nil
  }

  /// The authentication methods that the server offered before the first attempt.
  var offeredMethods: [String]? { lines.lazy.compactMap(Self.methods).first }

  /// The authentication methods that the server required in addition to a method that it accepted.
  var missingMethods: [String]? {
    guard has("with partial success") else { return nil }
    return lines.reversed().lazy.compactMap(Self.methods).first
  }

  /// Returns the methods in a line that lists those by which the client may continue, or `nil` for any other line.
  private static func methods(in line: Substring) -> [String]? {
    guard let range = line.firstRange(of: "Authentications that can continue: ") else { return nil }
    return line[range.upperBound...].split(separator: ",").map { String($0) }
  }

  func has(_ texts: String...) -> Bool { lines.contains { line in texts.contains { line.contains($0) } } }

  /// Returns what follows a text in the first line that contains it.
  func text(after beginning: String) -> Substring? {
    lines.lazy.compactMap { line in line.firstRange(of: beginning).map { line[$0.upperBound...] } }.first
  }

  /// The last line that is not a message for debugging.
  var lastMessage: String? {
    lines.last { !$0.hasPrefix("debug") && !$0.allSatisfy(\.isWhitespace) }.map { String($0) }
  }

  private static let printableLimit = 160

  /// Returns untrusted text in a form that is safe in an error message: one line of limited length.
  static func printable(_ text: some StringProtocol) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(printableLimit + 1) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return scalars.count > printableLimit ? String(scalars.dropLast()) + "…" : String(scalars)
  }
}

extension AsperaAccount { var serverName: String { "\(host):\(sshPort)" } }
