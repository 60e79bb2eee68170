internal import AsperaAuth
internal import AsperaTransfer

/// What the probe prints: a line for each thing that was looked at.
///
/// No secret is in any of it.
enum ProbeText {
  static func show(_ name: String, _ text: String) {
    Terminal.line(name + String(repeating: " ", count: max(1, 15 - name.count)) + text)
  }

  /// The account, and what was found out about it here.
  static func show(_ account: AsperaAccount, _ report: AccountReport) {
    show("account", "\(account.user)@\(account.host):\(account.sshPort)")
    switch report.authentication {
    case .password: show("credential", "password")
    case .privateKey(let key): show("credential", "private key: \(key.kind), \(key.format)")
    }
    show("host key", account.hostKey.map { "has to be \($0)" } ?? "any is taken")
    for note in report.notes { show("note", note) }
  }

  /// What the server said.
  static func show(_ report: AccountProbeReport) {
    if let version = report.serverVersion { show("server", version) }
    if let key = report.hostKey {
      show(
        "host key",
        "\(key.type) \(key.fingerprint) (\(key.sha256)), \(report.isHostKeyPinned ? "pinned" : "not pinned")")
    }
    for note in report.notes { show("note", note) }
    show("login", "accepted, with \(report.method.rawValue)")
  }
}
