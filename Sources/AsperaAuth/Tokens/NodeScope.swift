// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The scope of a node bearer token: an access key, and a role on it.
public struct NodeScope: Sendable, Hashable, CustomStringConvertible {
  /// The role of a user, who has the rights that the permissions on folders grant.
  public static let user = "user:all"

  /// The role of an administrator, who has all rights of the access key.
  public static let admin = "admin:all"

  /// The identifier of the access key.
  public let accessKey: String

  /// The role on the access key, such as ``user``.
  public let role: String

  /// Creates a scope.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - role: The role on the access key.
  public init(accessKey: String, role: String = user) {
    self.accessKey = accessKey
    self.role = role
  }

  /// Parses the value of the claim `scope`.
  ///
  /// - Parameter text: The scope: `node.<access key>:user:all`.
  /// - Returns: `nil` if the text has another form.
  public init?(_ text: String) {
    guard text.hasPrefix("node."), let colon = text.firstIndex(of: ":") else { return nil }
    accessKey = String(text[..<colon].dropFirst("node.".count))
    role = String(text[colon...].dropFirst())
    if accessKey.isEmpty || role.isEmpty { return nil }
  }

  /// The value of the claim `scope`.
  public var description: String { "node.\(accessKey):\(role)" }
}
