internal import AsperaAuth
internal import StorageAuth

/// One connection of the SSH client, in a folder of its own.
///
/// Every file is named relative to that folder, so that no path has to survive the quoting and the expansions that
/// OpenSSH applies to its options.
struct SSHConnection {
  /// What is proven to the server.
  enum Credential {
    /// Nothing: the connection ends before it would come to that.
    case none
    /// A password, sent as such or in an answer to the server's question.
    case password(Secret)
    /// The key in ``keyFile``, and what opens it.
    case key(passphrase: Secret?)
  }

  /// Which host keys may be met.
  enum HostKeys {
    /// None: the client goes no further than to the key.
    case none
    /// The one in ``hostKeyFile``, and its type.
    case listed(type: String)
    /// Any; it is put into ``hostKeyFile``.
    case any
  }

  /// The name of the private key in the folder.
  static let keyFile = "key"
  /// The name of the program in the folder that answers questions.
  static let askpassFile = "askpass"
  /// The name of the list of host keys in the folder: those that may be met, or the one that was met.
  static let hostKeyFile = "known_hosts"
  /// The name of the file in the folder that is there once the server has taken the account.
  static let acceptedFile = "accepted"
  /// The name of the file in the folder that lists the questions that were asked.
  static let questionsFile = "questions"
  /// What stands for the server in the list of host keys.
  static let hostKeyAlias = "server"

  private static let secretVariable = "STORAGE_AUTH_PROBE_SECRET"

  let account: AsperaAccount
  let credential: Credential
  let hostKeys: HostKeys

  /// Answers the first question with the secret, and ends the client at the second.
  ///
  /// A second question means that the answer was not enough: the server refused the password and offers another method,
  /// or it wants more than a password. An answer to it would count as another failed attempt. `$PPID` is the client,
  /// which starts the program itself.
  static let askpass = """
    #!/bin/sh
    umask 077
    again=; [ -s \(questionsFile) ] && again=1
    printf '%s\\036' "$1" >> \(questionsFile)
    if [ -n "$again" ]; then kill "$PPID"; exit 1; fi
    exec printenv \(secretVariable)

    """

  /// The command of the client.
  ///
  /// Success is told by `LocalCommand`, which OpenSSH runs when the server has accepted the user and before anything
  /// the server sends over the session is looked at. Neither of the obvious signs would do: the exit status is that of
  /// the session, which an account for transfers alone may be refused; and lines such as `Authenticated to` can be
  /// forged, because a server may have any text printed before anybody is authenticated.
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
      // Keeps the client from asking, the program that answers included.
      if passphrase == nil { options.append("BatchMode=yes") }
    }
    return ProbeCommand(
      arguments: ["ssh", "-vv", "-T", "-n", "-F", "/dev/null"] + options.flatMap { ["-o", $0] }
        + ["-p", "\(account.sshPort)", "-l", account.user, "--", account.host, "exit"],
      folder: folder,
      environment: [
        "LC_ALL": "C", "SHELL": "/bin/sh", "SSH_ASKPASS": "./\(Self.askpassFile)", "SSH_ASKPASS_REQUIRE": "force",
        // OpenSSH before 8.4 asks through the program only if there is a display, and no terminal.
        "DISPLAY": "none",
      ],
      secret: secret.map { (Self.secretVariable, $0) }, timeout: timeout)
  }

  /// Nothing of this machine's configuration, keys, agents and known hosts takes part, and nothing is forwarded.
  private static let fixedOptions = [
    "UserKnownHostsFile=\(hostKeyFile)", "GlobalKnownHostsFile=/dev/null", "HostKeyAlias=\(hostKeyAlias)",
    "HashKnownHosts=no", "UpdateHostKeys=no", "VerifyHostKeyDNS=no", "CheckHostIP=no", "CanonicalizeHostname=no",
    "IdentitiesOnly=yes", "IdentityAgent=none", "AddKeysToAgent=no", "NumberOfPasswordPrompts=1",
    "GSSAPIAuthentication=no", "HostbasedAuthentication=no", "ControlMaster=no", "ControlPath=none",
    "ProxyCommand=none", "ProxyJump=none", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes",
    "ConnectionAttempts=1", "PermitLocalCommand=yes", "LocalCommand=umask 077; : > \(acceptedFile)",
  ]

  /// How a server that holds a key of a type may sign with it; SHA-1 is left out, as the client does by itself.
  private static func signatureAlgorithms(of type: String) -> String {
    type == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : type
  }
}
