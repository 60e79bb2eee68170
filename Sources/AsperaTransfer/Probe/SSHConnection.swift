// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// One connection of the SSH client, with a separate folder.
///
/// Every file is named relative to that folder, so that no path is subject to the quoting and the expansions that
/// OpenSSH applies to its options.
struct SSHConnection {
  /// The credential for the server.
  enum Credential {
    /// No credential: the connection ends before authentication.
    case none
    /// A password, sent directly or in response to the server's prompt.
    case password(Secret)
    /// The private key in ``keyFile``, and its passphrase.
    case key(passphrase: Secret?)
  }

  /// The host keys that the client accepts.
  enum HostKeys {
    /// No host key: the client ends after the key exchange.
    case none
    /// The host key in ``hostKeyFile``, which has this type.
    case listed(type: String)
    /// Every host key; the client writes it to ``hostKeyFile``.
    case any
  }

  /// The name of the private key in the folder.
  static let keyFile = "key"
  /// The name of the askpass program, which answers prompts, in the folder.
  static let askpassFile = "askpass"
  /// The name of the known-hosts file in the folder, with the accepted host keys or the one that the server presented.
  static let hostKeyFile = "known_hosts"
  /// The name of the file that exists in the folder after the server has accepted the account.
  static let acceptedFile = "accepted"
  /// The name of the file in the folder that lists the prompts.
  static let questionsFile = "questions"
  /// The name of the server in the known-hosts file.
  static let hostKeyAlias = "server"

  private static let secretVariable = "STORAGE_AUTH_PROBE_SECRET"

  let account: AsperaAccount
  let credential: Credential
  let hostKeys: HostKeys

  /// The askpass program, which answers the first prompt with the secret and terminates the client at the second one.
  ///
  /// A second prompt means that the answer was insufficient: the server rejected the password and offers another
  /// method, or it requires more than a password. An answer to it would count as another failed attempt. `$PPID` is the
  /// client, which starts the program directly.
  static let askpass = """
    #!/bin/sh
    umask 077
    again=; [ -s \(questionsFile) ] && again=1
    printf '%s\\036' "$1" >> \(questionsFile)
    if [ -n "$again" ]; then kill "$PPID"; exit 1; fi
    exec printenv \(secretVariable)

    """

  /// Returns the command that runs the client.
  ///
  /// `LocalCommand` indicates success: OpenSSH runs it when the server has accepted the user, before the client
  /// processes any data of the session. The two obvious indications are unsuitable. The exit status is that of the
  /// session, which the server may deny to an account that is only for transfers. Lines such as `Authenticated to` can
  /// be forged, because a server can make the client print any text before authentication.
  func command(in folder: String, timeout: Duration) -> ProbeCommand {
    var options = Self.fixedOptions + ["ConnectTimeout=\(max(1, timeout.components.seconds))"]
    switch hostKeys {
    case .none: options.append("StrictHostKeyChecking=yes")
    case .listed(let type):
      options += ["StrictHostKeyChecking=yes", "HostKeyAlgorithms=\(Self.signatureAlgorithms(of: type))"]
    case .any: options.append("StrictHostKeyChecking=accept-new")
    }
    var secret: Secret?
    switch credential {
    case .none:
      options += ["PreferredAuthentications=none", "BatchMode=yes"]
    case .password(let password):
      secret = password
      options += ["PreferredAuthentications=password,keyboard-interactive", "PubkeyAuthentication=no"]
    case .key(let passphrase):
      secret = passphrase
      options += [
        "PreferredAuthentications=publickey", "PasswordAuthentication=no", "KbdInteractiveAuthentication=no",
        "IdentityFile=\(Self.keyFile)",
      ]
      // Keeps the client from prompting, including through the askpass program.
      if passphrase == nil { options.append("BatchMode=yes") }
    }
    return ProbeCommand(
      arguments: ["ssh", "-vv", "-T", "-n", "-F", "/dev/null"] + options.flatMap { ["-o", $0] }
        + ["-p", "\(account.sshPort)", "-l", account.user, "--", account.host, "exit"],
      folder: folder,
      environment: [
        "LC_ALL": "C", "SHELL": "/bin/sh", "SSH_ASKPASS": "./\(Self.askpassFile)", "SSH_ASKPASS_REQUIRE": "force",
        // OpenSSH before 8.4 uses the askpass program only if `DISPLAY` is set and there is no terminal.
        "DISPLAY": "none",
      ],
      secret: secret.map { (Self.secretVariable, $0) }, timeout: timeout)
  }

  /// The options that exclude this machine's configuration, keys, agents and known hosts, and that disable all
  /// forwarding.
  private static let fixedOptions = [
    "UserKnownHostsFile=\(hostKeyFile)", "GlobalKnownHostsFile=/dev/null", "HostKeyAlias=\(hostKeyAlias)",
    "HashKnownHosts=no", "UpdateHostKeys=no", "VerifyHostKeyDNS=no", "CheckHostIP=no", "CanonicalizeHostname=no",
    "IdentitiesOnly=yes", "IdentityAgent=none", "AddKeysToAgent=no", "NumberOfPasswordPrompts=1",
    "GSSAPIAuthentication=no", "HostbasedAuthentication=no", "ControlMaster=no", "ControlPath=none",
    "ProxyCommand=none", "ProxyJump=none", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes",
    "ConnectionAttempts=1", "PermitLocalCommand=yes", "LocalCommand=umask 077; : > \(acceptedFile)",
  ]

  /// Returns the signature algorithms for a type of host key, without SHA-1, which the client disables by default too.
  private static func signatureAlgorithms(of type: String) -> String {
    type == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : type
  }
}
