// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import Foundation
internal import StorageAuth

/// A single connection of the SSH client, which uses its own folder.
///
/// Every path is relative to that folder, so that OpenSSH's quoting and expansions do not matter.
struct SSHConnection {
  /// The credential with which the client logs in.
  enum Credential {
    /// The client has no credential, so that the connection ends before authentication.
    case none
    /// The client sends a password, either directly or in response to the server's prompt.
    case password(Secret)
    /// The client uses a private key in a file of the user, to which ``keyFile`` links.
    case file(path: String, passphrase: Secret?)
    /// The client uses a private key in memory, which is written to ``keyFile``.
    case pem(Secret, passphrase: Secret?)
    /// The client only asks whether the server accepts RSA signatures with SHA-1 of the key in ``queriedKeyFile``.
    ///
    /// The client cannot log in, and creates no signature.
    case sha1Query
  }

  /// The host keys that the client accepts.
  enum HostKeys {
    /// The client accepts no host key, so that it exits after the key exchange.
    case none
    /// The client accepts only the host key in ``hostKeyFile``, which has the given type.
    case listed(type: String)
    /// The client accepts every host key, and writes the server's host key to ``hostKeyFile``.
    case any
  }

  // The names of the files in the connection's folder.

  static let keyFile = "key"
  /// The name of a private key file that does not exist, so that the client has only the public key beside it.
  private static let absentKeyFile = "absent"
  static let queriedKeyFile = "\(absentKeyFile).pub"
  static let askpassFile = "askpass"
  /// The known-hosts file with the accepted host keys, or the host key that the server presented.
  static let hostKeyFile = "known_hosts"
  static let acceptedFile = "accepted"
  static let promptsFile = "prompts"
  /// The character after each prompt in ``promptsFile``, which the askpass program writes as `\036`.
  static let promptSeparator: Unicode.Scalar = "\u{1e}"
  static let hostKeyAlias = "server"
  /// The time in which a session can report an expired password; then the client is terminated.
  static let sessionGrace = Duration.seconds(2)
  private static let secretVariable = "STORAGE_AUTH_PROBE_SECRET"

  let account: AsperaAccount
  let credential: Credential
  let hostKeys: HostKeys

  /// The askpass program, which answers the first prompt with the secret and ends the SSH client at the second.
  ///
  /// At a second prompt, the server has rejected the password or requires more than it. Another answer would count as
  /// another failed attempt. `$PPID` is the client, because the client starts the program directly.
  static let askpass = """
    #!/bin/sh
    umask 077
    again=; [ -s \(promptsFile) ] && again=1
    printf '%s\\036' "$1" >> \(promptsFile)
    if [ -n "$again" ]; then kill "$PPID"; exit 1; fi
    exec printenv \(secretVariable)

    """

  /// Returns the SSH client with its arguments and its environment.
  ///
  /// `LocalCommand` indicates success. OpenSSH runs it when the server has accepted the user, before the client
  /// processes any data of the session. The two obvious indications are unsuitable. The exit status is that of the
  /// session, which the server may deny to an account that is only for transfers. Lines such as `Authenticated to` can
  /// be forged, because a server can make the client print any text before authentication.
  func program(in folder: String, timeout: Duration) -> ProbeProgram {
    var options = Self.fixedOptions + ["ConnectTimeout=\(max(1, timeout.components.seconds))"]
    switch hostKeys {
    case .none: options.append("StrictHostKeyChecking=yes")
    case .listed(let type):
      options += ["StrictHostKeyChecking=yes", "HostKeyAlgorithms=\(Self.signatureAlgorithms(of: type))"]
    case .any: options.append("StrictHostKeyChecking=accept-new")
    }
    let (authenticationOptions, secret) = authentication
    options += authenticationOptions
    return ProbeProgram(
      arguments: ["ssh", "-vv", "-T", "-n", "-F", "/dev/null"] + options.flatMap { ["-o", $0] }
        + ["-p", "\(account.sshPort)", "-l", account.user, "--", account.host, "exit"],
      folder: folder,
      environment: [
        "LC_ALL": "C", "SHELL": "/bin/sh", "SSH_ASKPASS": "./\(Self.askpassFile)", "SSH_ASKPASS_REQUIRE": "force",
        // OpenSSH before 8.4 uses the askpass program only if `DISPLAY` is set and there is no terminal.
        "DISPLAY": "none",
      ], secret: secret.map { (Self.secretVariable, $0) }, timeout: timeout,
      successMarker: ProbeProgram.SuccessMarker(fileName: Self.acceptedFile, grace: Self.sessionGrace))
  }

  private var authentication: (options: [String], secret: Secret?) {
    switch credential {
    case .none: return (["PreferredAuthentications=none", "BatchMode=yes"], nil)
    case .password(let password):
      return (["PreferredAuthentications=password,keyboard-interactive", "PubkeyAuthentication=no"], password)
    case .file(_, let passphrase), .pem(_, let passphrase):
      let options = [
        "PreferredAuthentications=publickey", "PasswordAuthentication=no", "KbdInteractiveAuthentication=no",
        "IdentityFile=\(Self.keyFile)",
      ]
      // `BatchMode` keeps the client from prompting, including through the askpass program.
      return (options + (passphrase == nil ? ["BatchMode=yes"] : []), passphrase)
    case .sha1Query:
      // OpenSSH before 8.5 has only this name of `PubkeyAcceptedAlgorithms`, and later versions still accept it.
      let options = [
        "PreferredAuthentications=publickey", "BatchMode=yes", "IdentityFile=\(Self.absentKeyFile)",
        "PubkeyAcceptedKeyTypes=ssh-rsa",
      ]
      return (options, nil)
    }
  }

  /// The options that disable all forwarding, and this machine's configuration, keys, agents and known hosts.
  private static let fixedOptions = [
    "UserKnownHostsFile=\(hostKeyFile)", "GlobalKnownHostsFile=/dev/null", "HostKeyAlias=\(hostKeyAlias)",
    "HashKnownHosts=no", "UpdateHostKeys=no", "VerifyHostKeyDNS=no", "CheckHostIP=no", "CanonicalizeHostname=no",
    "IdentitiesOnly=yes", "IdentityAgent=none", "AddKeysToAgent=no", "NumberOfPasswordPrompts=1",
    "GSSAPIAuthentication=no", "HostbasedAuthentication=no", "ControlMaster=no", "ControlPath=none",
    "ProxyCommand=none", "ProxyJump=none", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes",
    "ConnectionAttempts=1", "PermitLocalCommand=yes", "LocalCommand=umask 077; : > \(acceptedFile)",
  ]

  /// Returns the signature algorithms for a type of host key, without SHA-1, which the client disables by default.
  private static func signatureAlgorithms(of type: String) -> String {
    type == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : type
  }
}

extension SSHConnection.Credential {
  /// A number of bytes that the SSH client reads completely from the askpass program, whose buffer has 1,024.
  private static let responseByteLimit = 1_000

  /// Creates a credential from an account, converting a private key whose format the SSH client cannot read.
  init(of account: AsperaAccount, in context: ProviderContext) throws(AsperaError) {
    switch account.authentication {
    case .password(let password):
      try Self.requirePassable(password, "password")
      self = .password(password)
    case .privateKey(let original):
      let key = try original.converted(for: .ssh, on: context)
      if let passphrase = key.passphrase { try Self.requirePassable(passphrase, "passphrase") }
      switch key.source {
      case .pem(let text): self = .pem(text, passphrase: key.passphrase)
      case .file(let path):
        let expandedPath = context.absolute(path) ?? path
        // A link to a relative path would start at its own folder.
        let folder = expandedPath.beginsWithByte("/") ? "" : "\(FileManager.default.currentDirectoryPath)/"
        self = .file(path: folder + expandedPath, passphrase: key.passphrase)
      }
    }
  }

  /// Writes the private key, or a link to the key file, to a connection's folder.
  func write(to folder: TemporaryFolder) throws(AsperaError) {
    switch self {
    case .none, .password, .sha1Query: return
    case .pem(let text, _):
      // OpenSSH rejects a key whose last line does not end with a line break.
      var pem = text.reveal().replacing("\r\n", with: "\n")
      if !pem.hasSuffix("\n") { pem += "\n" }
      _ = try folder.write(Array(pem.utf8), to: SSHConnection.keyFile)
    case .file(let path, _):
      // A link is used because the client would search for a public key and a certificate next to the original file. If
      // these files were outdated, the client would offer a different key.
      do {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder.path)/\(SSHConnection.keyFile)", withDestinationPath: path)
      } catch {
        throw AsperaError(
          .failed, "The key cannot be passed to the SSH client: no link can be created in \(folder.path).",
          remedy: "See whether TMPDIR names a folder of a file system that has symbolic links.")
      }
    }
  }

  /// Throws an error if the askpass program cannot pass a secret to the SSH client.
  private static func requirePassable(_ secret: Secret, _ name: String) throws(AsperaError) {
    let text = secret.reveal()
    guard text.utf8.count <= responseByteLimit, text.utf8.allSatisfy({ ![0x00, 0x0a, 0x0d].contains($0) }) else {
      throw AsperaError(
        .invalidAccount,
        "The \(name) is longer than \(responseByteLimit) bytes or contains a line break or a null byte, so the SSH "
          + "client cannot receive it.",
        remedy: "Check that the \(name) is not another value, such as the contents of a file.")
    }
  }
}
