// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

extension TokenScope {
  /// The SHA-256 of every part of the scope in hexadecimal, which is the same on every machine.
  ///
  /// A store uses the digest as the name of the scope.
  public var digest: String {
    SHA256.hash(writing: { writer in
      writer.append(part: name)
      writer.append(part: "\(lifetime)")
      for rule in policy.rules { writer.append(rule) }
    }).hex
  }
}

extension ByteWriter {
  /// Appends a string after its length, so that different lists of strings never have the same bytes.
  fileprivate mutating func append(part text: String) {
    append(Int64(text.utf8.count))
    append("\n")
    append(text)
  }

  /// Appends a list of strings after its length, or the length -1 for `nil`.
  fileprivate mutating func append(parts texts: [String]?) {
    append(part: "\(texts?.count ?? -1)")
    for text in texts ?? [] { append(part: text) }
  }

  fileprivate mutating func append(_ rule: AccessRule) {
    append(parts: rule.actions.map(\.rawValue).sorted())
    switch rule.objects {
    case .all: append(parts: ["all"])
    case .prefix(let prefix): append(parts: ["prefix", prefix])
    case .key(let key): append(parts: ["key", key])
    }
    append(part: rule.bucket)
    append(parts: rule.maximumSize.map { ["\($0)"] })
    append(parts: rule.contentTypes)
    append(parts: rule.addresses.map { $0.map(\.description) })
    append(parts: rule.end.map { ["\(Timestamp(unixSeconds: 0).duration(to: $0))"] })
  }
}
