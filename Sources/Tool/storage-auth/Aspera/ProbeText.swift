// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import AsperaTransfer
internal import StorageAuth
internal import StoragePrograms
internal import Synchronization

/// The output of `storage-auth aspera probe`, which contains no secrets: one fact on each line, or one JSON object.
final class ProbeText: Sendable {
  private let isJSON: Bool
  /// The facts for the JSON object, and the notes, of which there can be several.
  private let facts = Mutex((members: JSONObject(), notes: [JSONValue]()))

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  /// Prints a fact, or adds it to the JSON object.
  ///
  /// The last of several facts with the same name counts there.
  func show(_ name: String, _ text: String) {
    guard isJSON else {
      return Terminal.line(name + String(repeating: " ", count: max(1, 15 - name.count)) + text)
    }
    facts.withLock { facts in
      if name == "note" { facts.notes.append(.string(text)) } else { facts.members[Self.member(name)] = .string(text) }
    }
  }

  /// Prints an account and the facts about it that were determined on this machine.
  func show(_ account: AsperaAccount, _ report: AccountReport) {
    show("account", "\(account.user)@\(account.host):\(account.sshPort)")
    show("credential", "\(report.authentication)")
    show("host key", account.hostKey.map { "must be \($0)" } ?? "any is accepted")
    for note in report.notes { show("note", note) }
  }

  /// Prints the facts that an Aspera server reported.
  func show(_ report: AccountProbeReport) {
    if let version = report.serverVersion { show("server", version) }
    if let key = report.hostKey {
      show(
        "host key",
        "\(key.type) \(key.fingerprint) (\(key.sha256)), \(report.isHostKeyPinned ? "pinned" : "not pinned")")
    }
    for note in report.notes { show("note", note) }
    show("login", "accepted, with \(report.method)")
  }

  /// Prints the JSON object.
  func finish() {
    guard isJSON else { return }
    let object = facts.withLock { facts in
      var object = facts.members
      object["notes"] = .array(facts.notes)
      return object
    }
    Terminal.json(.object(object))
  }

  private static func member(_ name: String) -> String { name == "host key" ? "hostKey" : name }
}
