internal import StorageAuth

/// The steps of ``TransferSigner``.
extension TransferSpec {
  /// Puts in where an account is, in place of what was there.
  mutating func put(_ account: AsperaAccount) throws(AsperaError) {
    if offersWebSocket == true {
      throw Self.invalid(
        "asks for a web socket, which checks no account",
        "Leave wss_enabled out, or sign without an account.")
    }
    remoteHost = account.host
    remoteUser = account.user
    sshPort = account.sshPort
    udpPort = account.udpPort
  }

  /// Puts in what an account authenticates with, in place of any other credential.
  mutating func authenticate(as account: AsperaAccount) throws(AsperaError) {
    let (password, key) = account.credentials
    if password != nil { try checkAddressee(account) }
    remotePassword = password
    sshPrivateKey = key.flatMap { if case .pem(let text) = $0.source { text } else { nil } }
    sshPrivateKeyPath = key.flatMap { if case .file(let path) = $0.source { path } else { nil } }
    sshPrivateKeyPassphrase = key?.passphrase
  }

  /// A password is for one user of one server: whoever sees it has it, a key only proves itself.
  private func checkAddressee(_ account: AsperaAccount) throws(AsperaError) {
    guard remoteUser == account.user else {
      throw Self.mismatch(
        "is for another user than the account, whose password is for its own user alone",
        "Use the account of the user that the issuer names, or ask for a token for \(account.user).")
    }
    guard remoteHost?.lowercased() == account.host.lowercased() || account.hostKey != nil else {
      throw Self.mismatch(
        "names another host than the account, and the account pins no host key: its password would go to whoever answers",
        "Give the account the host that the issuer names, or pin the server's host key.")
    }
  }

  /// Pins the host key that all agree on.
  mutating func pin(_ own: HostKeyFingerprint?, _ granted: String?) throws(AsperaError) {
    var pins: Set<HostKeyFingerprint> = own.map { [$0] } ?? []
    for text in [sshfp, granted] {
      if let text, !text.isEmpty { pins.insert(try HostKeyFingerprint(text)) }
    }
    guard pins.count < 2 else {
      throw AsperaError(
        .invalidHostKey, "Account, specification and grant pin different host keys.",
        remedy: "Find out which key the server has; a server publishes one of its keys and may show another.")
    }
    sshfp = pins.first?.description
  }

  /// Puts a token in; the one that is there stays if there is no other.
  mutating func present(_ token: Secret?, isRequired: Bool) throws(AsperaError) {
    if let token { self.token = token }
    guard !isRequired || filled("token") != nil else {
      throw AsperaError(
        .invalidToken, "The account requires a token for each transfer, and there is none.",
        remedy: "Give the session a token, or an issuer of tokens.")
    }
  }

  /// A transfer needs a server and a user.
  func checkPlace() throws(AsperaError) {
    guard filled("remote_host") != nil else {
      throw Self.invalid("has no server", "Sign it with an account, or set remote_host.")
    }
    guard filled("remote_user") != nil else {
      throw Self.invalid(
        "has no user", "Sign it with an account, or set remote_user: servers let access keys in as xfer.")
    }
  }
}

extension AsperaAccount {
  /// The password or the key.
  fileprivate var credentials: (password: Secret?, key: AsperaPrivateKey?) {
    switch authentication {
    case .password(let password): (password, nil)
    case .privateKey(let key): (nil, key)
    }
  }
}

extension SigningError {
  /// The same for whoever signs.
  init(_ error: AsperaError) {
    let code: Code =
      switch error.code {
      case .ambiguousCredential, .missingCredential, .invalidToken, .malformedKey: .invalidCredential
      default: .invalidRequest
      }
    self.init(code, error.message, remedy: error.remedy)
  }
}
