// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The scope of a node bearer token: an access key and a role on the access key.
public struct NodeScope: Sendable, Hashable, CustomStringConvertible {
  /// The role of a user, whose rights are determined by the permissions on folders.
  public static let user = "user:all"

  /// The role of an administrator, who has all rights of the access key.
  public static let admin = "admin:all"

  /// The identifier of the access key.
  public let accessKey: String

  /// The role that the token grants on the access key, such as ``user``.
  public let role: String

  /// Creates a scope from an access key and a role.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - role: The role on the access key.
  public init(accessKey: String, role: String = user) {
    self.accessKey = accessKey
    self.role = role
  }

  /// Parses the value of a token's `scope` claim, or returns `nil` if the text has another form.
  ///
  /// - Parameter text: The claim value, such as `node.<access key>:user:all`.
  public init?(_ text: String) {
    guard let parts = text.removingBytePrefix("node.")?.parts(between: ":", atMost: 1), parts.count == 2 else {
      return nil
    }
    accessKey = String(parts[0])
    role = String(parts[1])
    if accessKey.isEmpty || role.isEmpty { return nil }
  }

  /// The value of a token's `scope` claim, such as `node.<access key>:user:all`.
  public var description: String { "node.\(accessKey):\(role)" }
}
