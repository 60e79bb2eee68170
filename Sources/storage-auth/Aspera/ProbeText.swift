// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AscpDriver
internal import AsperaAuth
internal import AsperaTransfer

/// The output of `storage-auth aspera probe`, which has one fact on each line and contains no secrets.
enum ProbeText {
  static func show(_ name: String, _ text: String) {
    Terminal.line(name + String(repeating: " ", count: max(1, 15 - name.count)) + text)
  }

  /// Prints an account and the facts about it that were determined on this machine.
  static func show(_ account: AsperaAccount, _ report: AccountReport) {
    show("account", "\(account.user)@\(account.host):\(account.sshPort)")
    show("credential", "\(report.authentication)")
    show("host key", account.hostKey.map { "must be \($0)" } ?? "any is accepted")
    for note in report.notes { show("note", note) }
  }

  /// Prints the facts that an Aspera server reported.
  static func show(_ report: AccountProbeReport) {
    if let version = report.serverVersion { show("server", version) }
    if let key = report.hostKey {
      show(
        "host key",
        "\(key.type) \(key.fingerprint) (\(key.sha256)), \(report.isHostKeyPinned ? "pinned" : "not pinned")")
    }
    for note in report.notes { show("note", note) }
    show("login", "accepted, with \(report.method)")
  }
}
