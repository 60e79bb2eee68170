// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

extension TransferSpec: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private static let described: Set<String> = ["remote_host", "remote_user", "direction", "paths"]

  /// A description that contains the server, the user, the direction, the number of paths, and the names of other
  /// fields.
  public var description: String {
    let place = [remoteUser, remoteHost].compactMap { $0 }.joined(separator: "@")
    let count = fields["paths"]?.array?.count ?? 0
    var parts = [place.isEmpty ? "nowhere" : place, direction?.rawValue ?? "no direction"]
    parts.append(count == 1 ? "1 path" : "\(count) paths")
    let others = fields.names.filter { !Self.described.contains($0) }
    if !others.isEmpty { parts.append("fields: \(others.joined(separator: ", "))") }
    return "TransferSpec(\(parts.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// A mirror that contains the names of the fields, but not their values.
  public var customMirror: Mirror { Mirror(self, children: ["fields": fields.names]) }
}

extension TransferSpec {
  /// A copy of the specification without passwords, keys and tokens, for logs and for token requests.
  ///
  /// Fields that this package does not know are also removed if their names indicate a secret, including fields within
  /// objects. The proxy is removed because its URL can contain a password.
  public var withoutSecrets: TransferSpec { TransferSpec(fields: Self.withoutSecrets(fields)) }

  private static let secretWords = [
    "password", "passphrase", "passwd", "secret", "private_key", "api_key", "apikey", "token", "credential", "proxy",
    "authorization", "headers", "ssh_args",
  ]

  /// Returns whether a field name indicates that the field's value is a secret.
  static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return secretWords.contains { name.contains($0) }
  }

  private static func withoutSecrets(_ object: JSONObject) -> JSONObject {
    var rest = JSONObject()
    for (name, value) in object {
      switch value {
      case .string, .array, .object:
        guard !isSecret(name) else { continue }
        rest[name] = withoutSecrets(value)
      case .number, .bool, .null: rest[name] = value
      }
    }
    return rest
  }

  private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object): .object(withoutSecrets(object))
    case .array(let elements): .array(elements.map { withoutSecrets($0) })
    case .string, .number, .bool, .null: value
    }
  }
}
