internal import AsperaAuth
internal import StorageCrypto

/// Host keys, as `ssh-keyscan` prints them and a list of known hosts holds them.
struct HostKeyList {
  /// A host key and its text.
  struct Entry: Equatable {
    let key: AccountProbeReport.HostKey
    /// The key in Base64.
    let text: String
  }

  /// The keys, each once, in the order in which they came.
  let entries: [Entry]

  /// Reads lines of host, type and key; others are left out.
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

  /// The key with a fingerprint.
  func entry(with fingerprint: HostKeyFingerprint) -> Entry? {
    entries.first { $0.key.fingerprint == fingerprint }
  }
}

extension HostKeyList.Entry {
  /// The line of a list of known hosts that lets a server have this key and no other.
  func knownHostsLine(for host: String) -> String { "\(host) \(key.type) \(text)\n" }
}

extension AccountProbeReport.HostKey {
  /// Describes a key; nothing if it is not of the type that it is said to be.
  init?(type: String, blob: [UInt8]) {
    let name = Array(type.utf8)
    guard name.count < 256, blob.starts(with: [0, 0, 0, UInt8(name.count)] + name) else { return nil }
    self.type = type
    fingerprint = HostKeyFingerprint(ofKey: blob)
    let digest = String(writing: { $0.append(base64: SHA256.hash(blob)) })
    sha256 = "SHA256:\(digest.prefix { $0 != "=" })"
  }
}
