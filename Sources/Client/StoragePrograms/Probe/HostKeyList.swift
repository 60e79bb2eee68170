// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageCrypto

/// A list of host keys in the form of `ssh-keyscan` output and known-hosts files.
struct HostKeyList {
  /// A host key and its encoded form.
  struct Entry: Equatable {
    let key: AccountProbeReport.HostKey
    /// The host key in SSH's binary encoding, Base64-encoded.
    let text: String
  }

  /// The host keys without duplicates, in the order of the input.
  let entries: [Entry]

  /// Parses lines that consist of host, type and key, and ignores other lines.
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

  /// Returns the host key with the given fingerprint, or `nil` if the list does not contain that key.
  func entry(with fingerprint: HostKeyFingerprint) -> Entry? {
    entries.first { $0.key.fingerprint == fingerprint }
  }
}

extension HostKeyList.Entry {
  /// Returns a known-hosts line that accepts only this key for a host.
  func knownHostsLine(for host: String) -> String { "\(host) \(key.type) \(text)\n" }
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
